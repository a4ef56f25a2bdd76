// Search alone, and look-up: an article named outright opens at once.

import * as api from "./api.js";
import { articleLink, h } from "./dom.js";
import { collections } from "./own.js";
import { badge } from "./panel.js";
import { explain, t } from "./words.js";

export function searchView() {
  const input = h("input", { type: "search", name: "q", required: true, placeholder: t("searchHint"), "aria-label": t("searchLead"), enterkeyhint: "search", autocomplete: "off" });
  const mode = h("select", { name: "mode", "aria-label": t("mode") }, ["", "bm25", "dense", "hybrid"].map((m) => h("option", { value: m }, t("mode_" + m))));
  const status = h("p.muted", { role: "status" });
  const results = h("ol.results");
  const form = h("form.find", { onsubmit: submit }, input, mode, h("button.primary", { type: "submit" }, t("find")));
  const el = h("section.view", null, h("div.view-head", null, h("h1", null, t("searchLead"))), form, status, results);
  let run = 0; // answers to older questions are dropped

  function submit(e) {
    e.preventDefault();
    const q = new URLSearchParams({ q: input.value.trim() });
    if (mode.value) q.set("mode", mode.value);
    const hash = "#/search?" + q;
    if (location.hash === hash) find(true);
    else location.hash = hash;
  }

  async function find(jump) {
    const mine = ++run;
    const question = input.value.trim();
    if (!question) return;
    status.textContent = t("loading");
    const start = performance.now();
    try {
      const r = await api.search({ question, k: 20, collections: collections(), ...(mode.value && { mode: mode.value }) });
      if (mine !== run) return;
      const took = Math.round(performance.now() - start);
      status.textContent = r.hits.length === 0 ? t("none") : [t("took", r.hits.length, took), t("mode_" + r.mode), r.direct && t("direct")].filter(Boolean).join(" · ");
      results.replaceChildren(...r.notes.map((n) => h("li.side-note", null, n)), ...r.hits.map(hitView));
      if (jump && r.direct && r.hits.length > 0) location.hash = articleLink(r.hits[0].id);
    } catch (e) {
      if (mine !== run) return;
      results.replaceChildren();
      status.textContent = explain(e);
    }
  }

  let last = "";
  return {
    el,
    open(params) {
      const q = params.get("q") ?? "", m = params.get("mode") ?? "";
      const key = q + "\n" + m;
      if (key !== last) {
        last = key;
        input.value = q;
        mode.value = ["bm25", "dense", "hybrid"].includes(m) ? m : "";
        results.replaceChildren();
        status.textContent = "";
        find(true);
      }
      if (!q) input.focus({ preventScroll: true });
    },
  };
}

function hitView(hit) {
  return h("li", null, h("a.hit", { href: articleLink(hit.id), lang: "zh-Hans" },
    h("span.hit-name", null, h("b", null, hit.label), h("span", null, hit.law), badge(hit.status)),
    hit.path?.length > 0 && h("span.path", null, hit.path.join(" › ")),
    h("span.hit-text", null, hit.text.replaceAll("\n", " "))));
}
