// One article, beside what is being read: a side panel, on phones a sheet.

import * as api from "./api.js";
import { articleLink, h, lawLink, paragraphs } from "./dom.js";
import { relations } from "./relations.js";
import { explain, t } from "./words.js";

const panel = document.getElementById("panel");
const phone = matchMedia("(max-width: 900px)");
let opener = null; // where the focus goes back to
let onClose = () => {};
let wanted = ""; // the id asked for last; answers to older questions are dropped

/** badge shows what a law is on the day asked about. */
export const badge = (status) => h("span.badge." + status, null, t("status_" + status));

/** facts says a law's level, version and dates in one line. */
export function facts(l) {
  return [
    t("levels")[l.level], l.region, l.issuer,
    /^\d{4}-/.test(l.version) ? t("version", l.version) : t("noVersion"),
    l.effective && t("effective", l.effective), l.repealed && t("ended", l.repealed),
  ].filter(Boolean).join(" · ");
}

// What the answers on this page said of an article when they were checked.
const checked = new Map();

/** noteChecks keeps why an answer may cite the articles it cites. */
export function noteChecks(citations, record, evidence) {
  for (const c of citations) {
    checked.set(c.id, { found: evidence.includes(c.id), status: c.status, findings: record.findings.filter((f) => f.id === c.id) });
  }
}

// reasons tells why a citation of this article passed the checks of an answer.
function reasons(id) {
  const c = checked.get(id);
  if (!c) return null;
  const point = (yes, text) => h("li." + (yes ? "good" : "bad"), null, text);
  return h("section.reasons", null, h("h3", null, t("why")), h("ul", null,
    point(true, t("whyExists")),
    point(c.status === "in_force", t("whyStatus", t("status_" + c.status))),
    point(c.found, t(c.found ? "whyFound" : "verdict_not_in_evidence")),
    c.findings.filter((f) => f.kind !== "reference").map((f) => point(f.severity === "ok", `${f.text} ${t("verdict_" + f.verdict)}${f.note ? "：" + f.note : ""}`))));
}

export async function openPanel(id, closed) {
  wanted = id;
  onClose = closed;
  if (!panel.open) {
    opener = document.activeElement;
    panel.replaceChildren(h("p.loading", null, t("loading")));
    if (phone.matches) panel.showModal();
    else panel.show();
    document.body.classList.add("with-panel");
  }
  let content;
  try {
    content = card(await api.article(id));
  } catch (e) {
    content = [bar(), h("p.notice#panel-title", null, explain(e)), h("p.muted", null, id)];
  }
  if (wanted !== id || !panel.open) return;
  panel.replaceChildren(...content.flat());
  panel.scrollTop = 0;
  panel.querySelector("h2")?.focus({ preventScroll: true });
}

export function closePanel() {
  if (!panel.open) return;
  wanted = "";
  panel.close();
  document.body.classList.remove("with-panel");
  opener?.focus?.({ preventScroll: true });
}

function bar() {
  return h("div.panel-bar", null, h("span"), h("button.plain", { type: "button", "aria-label": t("close"), title: t("close"), onclick: () => onClose() }, "✕"));
}

function card(a) {
  const name = `《${a.law}》${a.label}`;
  const copy = h("button.plain", {
    type: "button",
    onclick: async () => {
      await navigator.clipboard.writeText(`${name}（${a.id}）\n${location.origin}/${articleLink(a.id)}`);
      copy.textContent = t("copied");
    },
  }, t("copy"));
  const step = (n, word, mark) => n
    ? h("a.step", { href: articleLink(n.id), rel: mark }, h("small", null, t(word)), h("span", { lang: "zh-Hans" }, n.label))
    : h("span.step");
  return [
    bar(),
    h("header.law-head", { lang: "zh-Hans" },
      h("a.law-title", { href: lawLink(a.law_id, a.id) }, a.law),
      a.path.length > 0 && h("p.path", null, a.path.join(" › "))),
    h("div.label-row", null, h("h2#panel-title", { tabindex: -1, lang: "zh-Hans" }, a.label), badge(a.status)),
    a.repealed_by && h("p.notice", null, t("ended", a.repealed ?? ""), "，", t("replacedBy"), " ", h("a", { href: lawLink(a.repealed_by) }, a.repealed_by)),
    h("div.statute", { lang: "zh-Hans" }, paragraphs(a.text)),
    h("p.facts", null, facts(a), h("br"), t("asOfDay", a.as_of), a.intent && " · " + t("intent", t("intents")[a.intent])),
    reasons(a.id),
    h("p.tools", null, h("a.button", { href: lawLink(a.law_id, a.id) }, t("toLaw")), copy),
    h("nav.steps-nav", { "aria-label": t("neighbours") }, step(a.prev, "prev", "prev"), step(a.next, "next", "next")),
    relations(a),
  ].filter(Boolean);
}

panel.addEventListener("cancel", (e) => { e.preventDefault(); onClose(); });
panel.addEventListener("click", (e) => { if (e.target === panel && phone.matches) onClose(); }); // the backdrop
document.addEventListener("keydown", (e) => {
  if (!panel.open || e.defaultPrevented || e.altKey || e.ctrlKey || e.metaKey) return;
  if (e.key === "Escape") onClose();
  if (!panel.contains(document.activeElement)) return;
  if (e.key === "ArrowLeft") panel.querySelector("[rel=prev]")?.click();
  if (e.key === "ArrowRight") panel.querySelector("[rel=next]")?.click();
});
