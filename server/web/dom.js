// The one way to make elements. Text always goes in as text, never as HTML.

/** h("p.note#id", {attributes, onclick}, ...children): strings become text, null and false nothing. */
export function h(spec, attributes, ...children) {
  const [, tag, rest] = /^([a-z0-9]+)(.*)$/.exec(spec);
  const el = document.createElement(tag);
  for (const [, mark, name] of rest.matchAll(/([.#])([\w-]+)/g)) {
    if (mark === "#") el.id = name;
    else el.classList.add(name);
  }
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) el.addEventListener(name.slice(2), value);
    else el.setAttribute(name, value === true ? "" : value);
  }
  el.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return el;
}

/** s(name, {attributes}, ...children) makes an element of a drawing (SVG). */
export function s(name, attributes, ...children) {
  const el = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [attribute, value] of Object.entries(attributes ?? {})) el.setAttribute(attribute, value);
  el.append(...children.flat(Infinity));
  return el;
}

/** articleLink and lawLink are the shareable places of the page; at is a unit of the law. */
export const articleLink = (id) => "#/article/" + encodeURIComponent(id);
export const lawLink = (id, at) => "#/law/" + encodeURIComponent(id) + (at ? "?at=" + encodeURIComponent(at) : "");

/** paragraphs shows a statute's text: one paragraph (款) a line, items (项) hanging. */
export function paragraphs(text) {
  return text.split("\n").filter((line) => line.trim() !== "").map((line) => {
    const item = /^\s*(（[一二三四五六七八九十百零〇]+）|[(（]?\d+[)）.．、]|[一二三四五六七八九十]+、)/.test(line);
    return h(item ? "p.item" : "p", null, line.trim());
  });
}
