// What belongs to an article: its versions with their differences, and the
// citations around it, drawn and listed.

import * as api from "./api.js";
import { diff } from "./diff.js";
import { articleLink, h, s } from "./dom.js";
import { badge } from "./panel.js";
import { t } from "./words.js";

/** relations returns a place that fills itself when the server has answered. */
export function relations(a) {
  const place = h("div.relations");
  api.versions(a.id).then((r) => place.prepend(...versionsOf(a, r.data))).catch(() => {}); // the article itself is there
  api.citations(a.id).then((r) => place.append(...citationsOf(a, r))).catch(() => {});
  return place;
}

function versionsOf(a, all) {
  if (all.length < 2) return [];
  const shown = h("div.diff", { lang: "zh-Hans", role: "status" });
  const rows = all.map((v) => {
    const here = v.id === a.id;
    const name = [/^\d{4}-/.test(v.version) ? t("version", v.version) : t("noVersion"), " ", badge(v.status)];
    const compare = h("button.plain.compare", { type: "button", "aria-pressed": "false", onclick: () => {
      const on = compare.getAttribute("aria-pressed") === "true";
      for (const b of list.querySelectorAll(".compare")) b.setAttribute("aria-pressed", "false");
      compare.setAttribute("aria-pressed", String(!on));
      shown.replaceChildren(...(on ? [] : changes(v, a)));
    } }, t("compare"));
    return h("li", null, v.id ? h("a", { href: articleLink(v.id), "aria-current": here ? "true" : null }, name) : h("span", null, name, " ", t("noSuchNumber")), !here && v.id && compare);
  });
  const list = h("ul.versions", null, rows);
  return [h("section", null, h("h3", null, t("versions", all.length)), list, shown)];
}

// changes shows what lies between two versions, the older one first.
function changes(v, a) {
  const [from, to] = (v.effective ?? v.version) < (a.effective ?? a.version) ? [v, a] : [a, v];
  const pieces = diff(from.text, to.text);
  const tags = { same: "span", gone: "del", new: "ins" };
  return [
    h("p.muted", null, pieces.length === 1 && pieces[0].kind === "same" ? t("sameText") : t("fromTo", from.version, to.version)),
    h("p.statute", null, pieces.map((p) => h(tags[p.kind], null, p.text))),
  ];
}

function citationsOf(a, r) {
  if (r.cites.length + r.cited_by.length === 0) return [];
  return [h("section.citations", null, h("h3", null, t("relations")),
    graph(a, once(r.cited_by), once(r.cites)),
    edges(t("citedBy", r.cited_by_total), r.cited_by), edges(t("cites", r.cites_total), r.cites))];
}

// once keeps the first of the edges that lead to one article, and those that lead to one at all.
const once = (list) => list.filter((e, i) => e.id && list.findIndex((o) => o.id === e.id) === i);

function edges(title, list) {
  if (list.length === 0) return null;
  return h("details.edges", null, h("summary", null, title), h("ul", { lang: "zh-Hans" }, list.map((e) => h("li", null,
    e.id ? h("a", { href: articleLink(e.id) }, `《${e.law}》${e.label}`) : h("span", null, e.law),
    " ", e.status && e.status !== "in_force" && badge(e.status), h("span.muted", null, " ", e.kind === "cites" ? e.text : t("kind_" + e.kind),
      e.reason && " · " + t("reason_" + e.reason), e.stale && " · " + t("stale"))))));
}

const most = 7, row = 54, box = { w: 132, h: 42 }, width = 448;

// graph draws the article between what cites it (left) and what it cites (right). Every
// box is a link, so the graph is walked by clicks or by the keyboard.
function graph(a, into, out) {
  const rows = Math.max(Math.min(into.length, most), Math.min(out.length, most), 1);
  const height = rows * row + 12, middle = height / 2;
  const svg = s("svg", { class: "graph", viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": t("relations") });
  const place = (list, i) => middle + (i - (Math.min(list.length, most) - 1) / 2) * row;
  const half = box.w / 2, centre = width / 2;
  const line = (x1, y1, x2, y2) => s("path", { class: "edge", d: `M${x1} ${y1} C${(x1 + x2) / 2} ${y1} ${(x1 + x2) / 2} ${y2} ${x2} ${y2}`, "marker-end": "url(#arrow)" });
  svg.append(s("defs", null, s("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, s("path", { d: "M0 0 L8 4 L0 8 z" }))));
  into.slice(0, most).forEach((e, i) => svg.append(line(box.w + 2, place(into, i), centre - half - 2, middle), node(e, 1, place(into, i))));
  out.slice(0, most).forEach((e, i) => svg.append(line(centre + half + 2, middle, width - box.w - 3, place(out, i)), node(e, width - box.w - 1, place(out, i))));
  svg.append(node(a, centre - half, middle, true));
  return h("div.graph-frame", null, svg);
}

function node(e, x, y, here) {
  const short = (text, n) => (text.length > n ? text.slice(0, n - 1) + "…" : text);
  const law = short(e.law.replace(/^中华人民共和国/, ""), 9);
  const inside = [
    s("title", null, `《${e.law}》${e.label}`),
    s("rect", { x, y: y - box.h / 2, width: box.w, height: box.h, rx: 8 }),
    s("text", { x: x + box.w / 2, y: y - 4 }, short(e.label, 10)),
    s("text", { class: "of", x: x + box.w / 2, y: y + 13 }, law),
  ];
  return here ? s("g", { class: "node here" }, inside) : s("a", { class: "node", href: articleLink(e.id), "aria-label": `《${e.law}》${e.label}` }, inside);
}
