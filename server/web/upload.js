// Documents of the reader's own: brought, watched on their way, reported, listed, removed.

import * as api from "./api.js";
import { h } from "./dom.js";
import { choose, own } from "./own.js";
import { explain, t } from "./words.js";

const look = 500; // milliseconds between two looks at a job

export function uploadView() {
  const collection = h("input", { type: "text", name: "collection", value: Object.keys(own())[0] ?? "uploads", required: true, pattern: "[a-z0-9][a-z0-9_\\-]{0,63}", title: t("collectionHint"), autocomplete: "off", spellcheck: "false" });
  const files = h("input", { type: "file", name: "file", multiple: true, required: true, accept: ".docx,.pdf,.md,.markdown,.txt,.html,.htm,.xhtml,.jsonl" });
  const send = h("button.primary", { type: "submit" }, t("uploadSend"));
  const jobs = h("ol.jobs", { "aria-live": "polite" });
  const kept = h("ul.jobs");
  let shown = ""; // what kept shows
  const keeps = h("section", { hidden: true }, h("h2", null, t("kept")), kept);
  const form = h("form.upload", { onsubmit: submit },
    h("label", null, t("collection"), collection), h("label", null, t("files"), files), send);
  const el = h("section.view", null,
    h("div.view-head", null, h("h1", null, t("uploadLead")), h("p.muted", null, t("uploadSub"))),
    form, h("p.muted", null, t("uploadTypes")), jobs, keeps);
  collection.addEventListener("change", list);

  async function submit(e) {
    e.preventDefault();
    send.disabled = true;
    await watch(Array.from(files.files, (f) => f.name), async () => {
      const job = await api.upload(collection.value, files.files);
      files.value = "";
      return job;
    });
    send.disabled = false;
  }

  // watch shows a job from its beginning to its end, and then what is kept.
  async function watch(names, begin) {
    const state = h("p.job-state", null, t("loading"));
    const bar = h("progress", { "aria-label": t("job_running") });
    const row = h("li.job", null, h("b", { lang: "zh-Hans" }, names.join("、")), " ", h("span.muted", null, collection.value), state, bar);
    jobs.prepend(row);
    try {
      await follow(await begin(), row, state, bar);
    } catch (err) {
      bar.remove();
      row.classList.add("failed");
      state.textContent = explain(err);
    }
    await list();
  }

  // list shows the documents of the collection, each with a button that removes it when
  // it is pressed a second time.
  async function list() {
    const of = collection.value;
    const found = await api.documents(of).catch(() => ({ documents: [] })); // this reader may not, and the form says so when used
    const now = JSON.stringify([of, found.documents]);
    if (of !== collection.value || now === shown) return; // and no button changes under a finger
    shown = now;
    keeps.hidden = found.documents.length === 0;
    kept.replaceChildren(...found.documents.map((d) => {
      const button = h("button.plain", { type: "button", onclick: press, onblur: calm }, t("remove"));
      function calm() { button.textContent = t("remove"); delete button.dataset.sure; }
      function press() {
        if (!button.dataset.sure) {
          button.dataset.sure = "yes";
          button.textContent = t("removeSure");
          return;
        }
        button.disabled = true;
        watch([d.name], () => api.remove(of, d.name)).then(() => { button.disabled = false; });
      }
      return h("li.job", null, h("b", { lang: "zh-Hans" }, d.name), " ", h("span.muted", null, new Date(d.at).toLocaleString()), " ", button);
    }));
  }

  return { el, open: list };
}

// follow shows a job until it is over.
async function follow(job, row, state, bar) {
  while (job.state === "queued" || job.state === "running") {
    const p = job.progress;
    state.textContent = [t("job_" + job.state), p && t("stage_" + p.stage), p?.total > 0 && `${p.done} / ${p.total}`].filter(Boolean).join(" · ");
    if (p?.total > 0) bar.value = p.done / p.total;
    else bar.removeAttribute("value");
    await new Promise((r) => setTimeout(r, look));
    job = await api.job(job.id);
  }
  bar.remove();
  row.classList.add(job.state);
  state.textContent = t(job.removes && job.state === "done" ? "job_removed" : "job_" + job.state) + (job.error ? "：" + job.error : "");
  if (job.removes) return;
  if (job.report) row.append(...reportOf(job.report));
  if (job.state === "done") choose(job.collection, true);
}

function reportOf(r) {
  const line = (x) => h("li", { lang: "zh-Hans" }, x);
  return [
    h("p.muted", null, t("report", r)),
    h("ul.muted", null, r.skipped.map((s) => line(`${s.path}${s.line ? ":" + s.line : ""}：${s.reason}`)), r.notes.map((n) => line(`${n.source}：${n.text}`))),
  ];
}
