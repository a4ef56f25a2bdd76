// 👍 and 👎 under an answer, with a reason if its reader has one.

import * as api from "./api.js";
import { h } from "./dom.js";
import { explain, t } from "./words.js";

let there = null; // the promise of whether the server takes feedback

/** feedbackOn returns the buttons for an answer; they show where the server takes feedback. */
export function feedbackOn(answer) {
  const said = h("span.muted", { role: "status" });
  const reason = h("input", { type: "text", name: "reason", maxlength: 500, placeholder: t("reason"), "aria-label": t("reason") });
  const form = h("form.reason", { hidden: true, onsubmit: (e) => { e.preventDefault(); send("down", reason.value.trim()); form.hidden = true; } }, reason, h("button.plain", { type: "submit" }, t("sendReason")));
  const button = (rating, mark) => h("button.plain", { type: "button", "aria-pressed": "false", "aria-label": t("rate_" + rating), title: t("rate_" + rating), onclick: (e) => {
    for (const b of place.querySelectorAll("[aria-pressed]")) b.setAttribute("aria-pressed", String(b === e.currentTarget));
    form.hidden = rating !== "down";
    send(rating, "");
  } }, mark);
  const place = h("div.feedback", { hidden: true }, button("up", "👍"), button("down", "👎"), said, form);

  async function send(rating, why) {
    try {
      await api.feedback({ answer_id: answer, rating, ...(why && { reason: why }) });
      said.textContent = t("thanks");
    } catch (e) {
      if (e.status === 404) place.hidden = true; // this server keeps none
      said.textContent = explain(e);
    }
  }

  there ??= api.takesFeedback();
  there.then((yes) => { place.hidden = !yes; });
  return place;
}
