// The collections of the reader's own documents, as this browser remembers them,
// and which of them are searched beside the law.

import { h } from "./dom.js";
import { t } from "./words.js";

const key = "collections";

function load() {
  try {
    const saved = JSON.parse(localStorage.getItem(key) ?? "{}");
    return saved !== null && typeof saved === "object" && !Array.isArray(saved) ? saved : {};
  } catch {
    return {}; // not ours
  }
}

/** own returns {name: whether it is searched}. */
export const own = load;

/** choose remembers a collection. */
export function choose(name, searched) {
  localStorage.setItem(key, JSON.stringify({ ...load(), [name]: searched }));
  window.dispatchEvent(new Event("collections"));
}

/** collections are those that are searched. */
export const collections = () => ["public", ...Object.entries(load()).filter(([, searched]) => searched).map(([name]) => name)];

/** ownChoices shows a box for each collection; it is empty while there is none. */
export function ownChoices() {
  const place = h("fieldset.own", { hidden: true });
  function fill() {
    const known = Object.entries(load());
    place.hidden = known.length === 0;
    place.replaceChildren(h("legend", null, t("ownCollections")), ...known.map(([name, searched]) => h("label.check", null,
      h("input", { type: "checkbox", checked: searched, onchange: (e) => choose(name, e.target.checked) }), name)));
  }
  window.addEventListener("collections", (e) => { if (!place.contains(document.activeElement)) fill(e); });
  fill();
  return place;
}
