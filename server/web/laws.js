// The statute book: the list of laws, and one law with its contents.

import * as api from "./api.js";
import { articleLink, h, lawLink, paragraphs } from "./dom.js";
import { badge, facts } from "./panel.js";
import { explain, t } from "./words.js";

const pageSize = 50;

export function lawsView() {
  const input = h("input", { type: "search", name: "q", placeholder: t("lawsHint"), "aria-label": t("lawsHint"), autocomplete: "off" });
  const level = h("select", { name: "level", "aria-label": t("allLevels") },
    h("option", { value: "" }, t("allLevels")), t("levels").map((word, i) => h("option", { value: i }, word)));
  const status = h("p.muted", { role: "status" });
  const list = h("ul.laws");
  const more = h("button.plain", { type: "button", hidden: true, onclick: () => load(list.childElementCount) }, t("more"));
  const el = h("section.view", null,
    h("div.view-head", null, h("h1", null, t("lawsLead"))),
    h("form.find", { onsubmit: (e) => e.preventDefault() }, input, level), status, list, h("p.center", null, more));
  let run = 0, timer = 0, filled = false;

  async function load(offset) {
    const mine = ++run;
    const query = { q: input.value.trim(), offset, limit: pageSize };
    if (level.value !== "") query.level = level.value;
    try {
      const r = await api.laws(query);
      if (mine !== run) return;
      if (offset === 0) list.replaceChildren();
      list.append(...r.data.map((l) => h("li", null, h("a.law", { href: lawLink(l.id), lang: "zh-Hans" }, h("span.law-name", null, l.law, badge(l.status)), h("span.path", null, facts(l))))));
      status.textContent = r.total === 0 ? t("noLaws") : t("total", r.total);
      more.hidden = list.childElementCount >= r.total;
      filled = true;
    } catch (e) {
      if (mine === run) status.textContent = explain(e);
    }
  }
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => load(0), 150);
  });
  level.addEventListener("change", () => load(0));

  return {
    el,
    open(params) {
      if (params.has("q")) input.value = params.get("q");
      if (!filled || params.has("q")) load(0);
    },
  };
}

/** lawView is one whole law: contents at the side, the text by its headings. */
export async function lawView(id) {
  let l;
  try {
    l = await api.law(id);
  } catch (e) {
    return h("section.view", null, h("p.notice", null, explain(e)), h("p.muted", null, id));
  }
  const units = l.units.filter((u) => u.kind !== "chunk");
  const text = h("div.law-text", { lang: "zh-Hans" });
  const contents = h("ul");
  let above = [];
  for (const u of units) {
    u.path.forEach((heading, depth) => {
      if (above[depth] === heading && above.slice(0, depth).every((a, i) => a === u.path[i])) return;
      above = u.path.slice(0, depth + 1);
      const target = h(`h${Math.min(depth + 2, 6)}.heading`, { tabindex: -1 }, heading);
      text.append(target);
      contents.append(h("li.depth-" + Math.min(depth, 3), null, h("button.plain", { type: "button", onclick: () => { target.scrollIntoView({ block: "start" }); target.focus({ preventScroll: true }); } }, heading)));
    });
    above = u.path;
    text.append(h("section.unit", { "data-id": u.id, "data-number": u.number || null, tabindex: -1 }, h("a.unit-label", { href: articleLink(u.id) }, u.label), h("div.statute", null, paragraphs(u.text))));
  }
  const count = units.filter((u) => u.kind === "article").length;
  const goTo = (unit) => {
    for (const el of text.querySelectorAll(".at")) el.classList.remove("at");
    if (!unit) return;
    unit.classList.add("at");
    unit.scrollIntoView({ block: "center", behavior: "instant" });
    unit.focus({ preventScroll: true });
  };
  const number = h("input", { type: "text", inputmode: "numeric", name: "number", size: 5, "aria-label": t("goTo"), placeholder: t("goToHint") });
  const find = h("form.go-to", { onsubmit: (e) => {
    e.preventDefault();
    const unit = text.querySelector(`[data-number="${CSS.escape(number.value.trim())}"]`);
    number.setCustomValidity(unit ? "" : t("noSuchNumber"));
    number.reportValidity();
    goTo(unit);
  } }, h("label", null, t("goTo"), " ", number), h("button.plain", { type: "submit" }, t("go")));
  number.addEventListener("input", () => number.setCustomValidity(""));
  const view = h("section.view.wide", null,
    h("div.view-head", { lang: "zh-Hans" }, h("h1", null, l.law), h("p.facts", null, badge(l.status), " ", facts(l), count > 0 && " · " + t("articles", count)),
      l.repealed_by && h("p.notice", null, t("replacedBy"), " ", h("a", { href: lawLink(l.repealed_by) }, l.repealed_by)),
      count > 0 && find),
    h("div.law-columns" + (contents.childElementCount === 0 ? ".plain-columns" : ""), null,
      contents.childElementCount > 0 && h("details.contents", { lang: "zh-Hans", open: matchMedia("(min-width: 901px)").matches }, h("summary", null, t("contents")), contents),
      text));
  view.goTo = (unit) => goTo(text.querySelector(`[data-id="${CSS.escape(unit)}"]`));
  return view;
}
