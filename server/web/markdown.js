// The Markdown of answers, rendered by making elements: whatever the text says,
// nothing in it becomes HTML. Known are paragraphs, headings, lists, quotes,
// rules, **strong**, *emphasis* and `code`. Links stay text: an answer's only
// links are its checked citations.

import { h, articleLink } from "./dom.js";

/**
 * render returns elements for text. links are {from, to, id, title}: ranges of
 * the text, in characters (code points), that open an article.
 */
export function render(text, links = []) {
  const doc = { chars: Array.from(text), links: [...links].sort((a, b) => a.from - b.from) };
  const out = [];
  let list = null; // the list that the next item joins
  let open = null; // the paragraph or quote that the next line joins
  for (const line of lines(doc.chars)) {
    const block = classify(line.text);
    if (block.kind !== "item" && block.kind !== "blank") list = null;
    if (block.kind !== open?.kind) open = null;
    const from = line.from + block.skip;
    switch (block.kind) {
      case "rule":
        out.push(h("hr"));
        break;
      case "heading":
        out.push(inline(doc, from, line.to, h("h" + Math.min(block.depth + 2, 6))));
        break;
      case "item": {
        if (!list || list.ordered !== block.ordered) {
          list = { ordered: block.ordered, el: h(block.ordered ? "ol" : "ul", block.ordered ? { start: block.number } : null) };
          out.push(list.el);
        }
        list.el.append(inline(doc, from, line.to, h(block.depth > 0 ? "li.deep" : "li")));
        break;
      }
      case "quote":
      case "text":
        if (open) open.el.append(h("br"));
        else {
          open = { kind: block.kind, el: h(block.kind === "quote" ? "blockquote" : "p") };
          out.push(open.el);
        }
        inline(doc, from, line.to, open.el);
    }
  }
  return out;
}

function* lines(chars) {
  let from = 0;
  for (let i = 0; i <= chars.length; i++) {
    if (i === chars.length || chars[i] === "\n") {
      yield { from, to: i, text: chars.slice(from, i).join("") };
      from = i + 1;
    }
  }
}

// classify tells what a line is, and how many of its characters are marks.
// The marks and white space are single code units, so lengths of matches count characters.
function classify(text) {
  let m;
  if (/^\s*$/.test(text)) return { kind: "blank", skip: 0 };
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(text)) return { kind: "rule", skip: 0 };
  if ((m = /^\s*(#{1,6})\s+/.exec(text))) return { kind: "heading", depth: m[1].length, skip: m[0].length };
  if ((m = /^(\s*)[-*+]\s+/.exec(text))) return { kind: "item", ordered: false, depth: m[1].length, skip: m[0].length };
  if ((m = /^(\s*)(\d{1,4})[.)]\s+/.exec(text))) return { kind: "item", ordered: true, number: m[2], depth: m[1].length, skip: m[0].length };
  if ((m = /^\s*>\s?/.exec(text))) return { kind: "quote", skip: m[0].length };
  return { kind: "text", skip: /^\s*/.exec(text)[0].length };
}

const pairs = [["**", "strong"], ["`", "code"], ["*", "em"]];

// inline puts the characters [from, to) into el, and returns el.
function inline(doc, from, to, el) {
  let plain = from;
  for (let i = from; i < to; ) {
    const found = pairs.find(([mark]) => at(doc, i, mark));
    const close = found ? closing(doc, i + found[0].length, to, found[0]) : -1;
    if (close < 0) {
      i += found ? found[0].length : 1;
      continue;
    }
    const [mark, tag] = found;
    pieces(doc, plain, i, el);
    const child = h(tag);
    if (tag === "code") pieces(doc, i + 1, close, child);
    else inline(doc, i + mark.length, close, child);
    el.append(child);
    i = plain = close + mark.length;
  }
  pieces(doc, plain, to, el);
  return el;
}

const at = (doc, i, mark) => Array.from(mark).every((c, j) => doc.chars[i + j] === c);

// closing finds the mark that ends what begins at from, or −1. Emphasis must not be empty or begin with space.
function closing(doc, from, to, mark) {
  if (from >= to || /\s/.test(doc.chars[from])) return -1;
  for (let i = from + 1; i + mark.length <= to; i++) {
    if (at(doc, i, mark)) return i;
  }
  return -1;
}

// pieces puts plain characters into el, the linked ones as links.
function pieces(doc, from, to, el) {
  const text = (a, b) => doc.chars.slice(a, b).join("");
  for (const link of doc.links) {
    if (link.to <= from || link.from >= to) continue;
    const a = Math.max(link.from, from), b = Math.min(link.to, to);
    el.append(text(from, a), h("a.cite", { href: articleLink(link.id), title: link.title }, text(a, b)));
    from = b;
  }
  if (from < to) el.append(text(from, to));
}
