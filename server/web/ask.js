// The conversation: a question, the steps of the graph as they happen, the
// checked answer with its citations.

import * as api from "./api.js";
import { articleLink, h } from "./dom.js";
import { feedbackOn } from "./feedback.js";
import { render } from "./markdown.js";
import { collections, ownChoices } from "./own.js";
import { badge, noteChecks } from "./panel.js";
import { explain, ms, t } from "./words.js";

const steps = ["understand", "retrieve", "draft", "verify"];

export function askView() {
  const history = []; // the messages so far, as the API takes them
  const kept = []; // {question, text, last}: the turns so far, for when the page is loaded again
  const turns = h("div.turns", { "aria-live": "polite" });
  const input = h("textarea", { name: "question", rows: 2, maxlength: 20000, placeholder: t("placeholder"), "aria-label": t("lead"), enterkeyhint: "send" });
  const send = h("button.primary", { type: "submit" }, t("send"));
  const asOf = h("input", { type: "date", name: "as_of" });
  const model = h("select", { name: "model" }, ["lexagent", "lexagent-agent", "lexagent-search"].map((m) => h("option", { value: m }, t("model_" + m))));
  const note = h("p.muted.center", { hidden: true }, t("noLLM"));
  const again = h("button.plain", { type: "button", hidden: true, onclick: clear }, t("again"));
  const hero = h("div.hero", null, h("h1", null, t("lead")), h("p", null, t("sub")));
  const examples = h("ul.examples", null, t("examples").map((q) =>
    h("li", null, h("button.example", { type: "button", lang: "zh-Hans", onclick: () => { input.value = q; form.requestSubmit(); } }, q))));
  const form = h("form.ask", { onsubmit: submit, novalidate: true }, // the button also stops, with nothing typed
    h("div.box", null, input, send),
    h("div.form-foot", null,
      h("details.options", null, h("summary", null, t("options")),
        h("label", null, t("asOf"), asOf, h("small", null, t("today"))),
        h("label", null, t("model"), model), ownChoices()),
      again));
  const el = h("section.view.ask-view", null, hero, turns, form, examples, note, h("p.muted.center.disclaimer", null, t("disclaimer")));
  let running = null; // the AbortController of the answer in the making

  input.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && !e.shiftKey && !e.isComposing) {
      e.preventDefault();
      form.requestSubmit();
    }
  });
  input.addEventListener("input", grow);

  function grow() {
    input.style.height = "auto";
    input.style.height = Math.min(input.scrollHeight, 240) + "px";
  }

  // talking: the conversation takes the room of the welcome.
  function talking(yes) {
    el.classList.toggle("talking", yes);
    again.hidden = !yes;
    input.rows = yes ? 1 : 2;
    input.placeholder = t(yes ? "followUp" : "placeholder");
    grow();
  }

  function clear() {
    running?.abort();
    history.length = 0;
    kept.length = 0;
    keep();
    turns.replaceChildren();
    talking(false);
    input.focus();
  }

  async function submit(e) {
    e.preventDefault();
    if (running) return running.abort();
    const question = input.value.trim();
    if (!question) return;
    input.value = "";
    talking(true);
    running = new AbortController();
    send.textContent = t("stop");
    const turn = turnView(question);
    turns.append(turn.el);
    turn.el.scrollIntoView({ block: "start", behavior: "smooth" });
    const body = { model: model.value, messages: [...history, { role: "user", content: question }], collections: collections() };
    if (asOf.value) body.as_of = asOf.value;
    const signal = running.signal;
    try {
      const whole = await api.ask(body, signal, turn.chunk);
      if (!whole) throw new Error(t("lost"));
      history.push({ role: "user", content: question }, { role: "assistant", content: turn.text() });
      kept.push({ question, text: turn.text(), last: turn.last() });
      keep();
    } catch (err) {
      turn.fail(signal.aborted ? t("stopped") : explain(err));
    }
    running = null;
    send.textContent = t("send");
  }

  // keep keeps the conversation for as long as this tab is open.
  function keep() {
    try {
      sessionStorage.setItem("turns", JSON.stringify(kept));
    } catch {
      sessionStorage.removeItem("turns"); // too long for this browser
    }
  }

  function restore() {
    const turnsKept = JSON.parse(sessionStorage.getItem("turns") ?? "[]");
    for (const { question, text, last } of turnsKept) {
      const turn = turnView(question);
      turn.chunk({ choices: [{ delta: { content: text } }] });
      turn.chunk(last);
      turn.settled();
      turns.append(turn.el);
      history.push({ role: "user", content: question }, { role: "assistant", content: text });
      kept.push({ question, text, last });
    }
    if (turnsKept.length > 0) talking(true);
  }
  try {
    restore();
  } catch {
    sessionStorage.removeItem("turns"); // of another version of the page
  }

  return {
    el,
    open: () => { if (!matchMedia("(pointer: coarse)").matches) input.focus({ preventScroll: true }); },
    ready: (state) => { note.hidden = state.llm !== "none"; },
  };
}

// turnView is one question and its answer.
function turnView(question) {
  const rows = {};
  const progress = h("ol.steps");
  steps.forEach(row);
  const body = h("div.answer-text", { lang: "zh-Hans" });
  const foot = h("div.answer-foot");
  const answer = h("div.answer", null, progress, body, foot);
  const el = h("article.turn", null, h("h2.question", { lang: "zh-Hans" }, question), answer);
  let text = "", last = null;

  // row is the line of a step: the usual four from the beginning, others as they come.
  function row(name) {
    if (!rows[name]) {
      rows[name] = { time: h("span.time"), note: h("span.note"), el: null };
      rows[name].el = h("li." + name, { title: "" }, h("span.name", null, t("step_" + name)), rows[name].time, rows[name].note);
      progress.append(rows[name].el);
    }
    return rows[name];
  }

  function event(e) {
    switch (e.type) {
      case "step_started":
        row(e.step).el.classList.add("running");
        break;
      case "step_done":
        row(e.step).el.classList.replace("running", "done");
        row(e.step).time.textContent = ms(e.ms);
        row(e.step).note.textContent = row(e.step).el.title = e.note ?? "";
        break;
      case "evidence":
        rows.retrieve.note.textContent = rows.retrieve.el.title = t("found", e.hits.length);
        break;
    }
  }

  function finish(chunk) {
    const about = chunk.lexagent;
    const proper = Array.from(text).slice(0, about.text_length).join("");
    const links = chunk.citations.flatMap((c) => c.spans.map(([from, to]) => ({ from, to, id: c.id, title: `《${c.law}》${c.label}` })));
    body.replaceChildren(...render(proper, links), ...about.notes.map((n) => h("p.side-note", null, n)));
    progress.classList.add("over");
    noteChecks(chunk.citations, chunk.verification, about.evidence);
    foot.replaceChildren(...[sources(chunk.citations), checks(chunk.verification, about), feedbackOn(chunk.id)].filter(Boolean));
    last = chunk;
  }

  return {
    el,
    text: () => text,
    last: () => last,
    settled: () => progress.remove(), // of an answer that was made before the page was loaded
    fail(message) {
      for (const row of Object.values(rows)) row.el.classList.remove("running");
      foot.append(h("p.notice", { role: "alert" }, message));
    },
    chunk(chunk) {
      const choice = chunk.choices[0];
      if (choice?.delta.content) {
        text += choice.delta.content;
        body.replaceChildren(...render(closed(text)));
      }
      if (choice?.finish_reason) finish(chunk);
      else if (chunk.lexagent) event(chunk.lexagent);
    },
  };
}

// closed ends a **strong** passage that is still streaming, so that its marks don't show.
function closed(text) {
  const line = text.slice(text.lastIndexOf("\n") + 1);
  return line.split("**").length % 2 === 0 ? text + "**" : text;
}

function sources(citations) {
  if (citations.length === 0) return null;
  return h("section.sources", null, h("h3", null, t("sources")),
    h("ul", null, citations.map((c) => h("li", null,
      h("a.source", { href: articleLink(c.id), lang: "zh-Hans" },
        h("span.source-name", null, h("b", null, c.label), h("span", null, c.law), badge(c.status)),
        h("span.source-text", null, c.text.replaceAll("\n", " ")))))));
}

// checks tells what was checked, what failed, and what was taken out.
function checks(record, about) {
  const bad = record.findings.filter((f) => f.severity !== "ok");
  const verdict = record.citations === "not_checked" ? t("notChecked")
    : bad.length > 0 ? t("failed", bad.length)
    : record.findings.length > 0 ? `${t("checked", record.findings.length)}，${t("allGood")}` : null;
  return h("div.checks", null,
    h("p", null, h("span.kind." + about.kind, null, t("kind_" + about.kind)), " · ", ms(about.ms)),
    verdict && h("p." + (record.citations === "passed" ? "good" : "bad"), null, verdict),
    bad.length > 0 && h("ul.findings", { lang: "zh-Hans" }, bad.map((f) => h("li", null, f.text, " ", h("em", null, t("verdict_" + f.verdict)), f.note && "：" + f.note))),
    record.removed.length > 0 && h("details.removed", null, h("summary", null, t("removed", record.removed.length)),
      record.removed.map((r) => h("p", { lang: "zh-Hans" }, r))));
}
