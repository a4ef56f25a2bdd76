// Where the page starts: words, routes, the banner.

import * as api from "./api.js";
import { askView } from "./ask.js";
import { h } from "./dom.js";
import { lawView, lawsView } from "./laws.js";
import { openPanel, closePanel } from "./panel.js";
import { searchView } from "./search.js";
import { uploadView } from "./upload.js";
import { language, switchLanguage, t } from "./words.js";

const main = document.getElementById("main");

// Views are made once and kept, so that an answer is still there when its reader
// comes back from an article.
const views = { ask: askView(), search: searchView(), laws: lawsView(), upload: uploadView() };
let shown = ""; // the hash of the view on show, where a closed panel leads back to

function show(name, el) {
  if (main.firstElementChild !== el) main.replaceChildren(el);
  for (const a of document.querySelectorAll("nav a")) {
    if (a.dataset.view === name) a.setAttribute("aria-current", "page");
    else a.removeAttribute("aria-current");
  }
}

async function route() {
  const hash = location.hash || "#/";
  const [, name, rest = ""] = /^#\/([a-z]*)(?:[/?](.*))?$/.exec(hash) ?? [];
  if (name === "article") {
    if (!main.firstElementChild) show("ask", views.ask.el);
    await openPanel(decode(rest), () => { location.hash = shown || "#/"; });
    return;
  }
  closePanel();
  if (hash !== shown) window.scrollTo(0, 0);
  shown = hash;
  switch (name) {
    case "search":
      show("search", views.search.el);
      return views.search.open(new URLSearchParams(rest));
    case "upload":
      show("upload", views.upload.el);
      return views.upload.open();
    case "laws":
      show("laws", views.laws.el);
      return views.laws.open(new URLSearchParams(rest));
    case "law": {
      const [id, at] = rest.split("?at=");
      const el = await lawView(decode(id));
      if (shown !== hash) return; // its reader has gone on
      show("laws", el);
      if (at) el.goTo?.(decode(at));
      return;
    }
    default:
      show("ask", views.ask.el);
      views.ask.open();
  }
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not an encoded id; the server will say so
  }
}

// watch shows what is not ready yet, and asks again until all is.
async function watch() {
  const banner = document.getElementById("banner");
  let state = null;
  try {
    state = await api.ready();
  } catch {
    // said below
  }
  const percent = state && Math.floor(state.dense_share * 100);
  const said = !state ? [t("down")]
    : state.bm25 !== "ready" ? [t("starting")]
    : state.dense.startsWith("building") ? [h("progress", { max: 100, value: percent, "aria-hidden": "true" }), t("building", Math.min(percent, 99))]
    : [];
  if (state) views.ask.ready(state);
  banner.replaceChildren(...said);
  banner.hidden = said.length === 0;
  setTimeout(watch, said.length > 0 ? 3000 : 60000);
}

// The server asks for a key: it is kept for as long as this tab is open.
window.addEventListener("key", () => {
  const place = document.getElementById("key");
  const input = h("input", { type: "password", name: "key", autocomplete: "current-password", "aria-label": t("key"), placeholder: t("key"), required: true });
  place.replaceChildren(h("form", { onsubmit: (e) => {
    e.preventDefault();
    sessionStorage.setItem("key", input.value.trim());
    location.reload();
  } }, input, h("button.primary", { type: "submit" }, t("useKey"))));
  place.hidden = false;
});

document.documentElement.lang = language === "en" ? "en" : "zh-Hans";
document.title = "LexAgent · " + t("title");
for (const el of document.querySelectorAll("[data-t]")) el.textContent = t(el.dataset.t);
for (const el of document.querySelectorAll("[data-label]")) el.setAttribute("aria-label", t(el.dataset.label));
document.querySelector(".skip").addEventListener("click", (e) => {
  e.preventDefault(); // the hash is the route
  main.focus();
});
document.getElementById("language").addEventListener("click", switchLanguage);
api.hasReports().then((yes) => { document.getElementById("reports").hidden = !yes; });
window.addEventListener("hashchange", route);
route();
watch();
