/** What is predicted of a row, and why. */

import { html, lineBar } from "./elements.js";
import { predictionText, voteText } from "./sentences.js";
import { isEdited, presentShown, presentViews } from "./state.js";
import { principalReasons, waterfall } from "../core/explain.js";
import { decide, offsetsOf, predictOutcome } from "../core/model.js";
import {
  decimalsThatAddUp,
  formatCount,
  formatDecimals,
  formatNumber,
  formatPercent,
  withSign,
} from "../core/numbers.js";

/** @typedef {import("../core/model.js").Scored} Scored */
/** @typedef {import("./state.js").PageStore} PageStore */

/** How the rules add up, in votes and in what is predicted. @param {PageStore} store @param {Scored} scored @param {number} shown */
export function waterfallTable(store, scored, shown) {
  const { data } = store,
    model = store.model(),
    rules = presentShown(store);
  const steps = waterfall(model, scored, shown),
    end = steps[steps.length - 1];
  const low = Math.min(0, ...steps.map((s) => s.to)),
    high = Math.max(0, ...steps.map((s) => s.to));
  const classes = data.outcome.class_names;
  // Where votes add up to the number itself, its bars would be those of the votes.
  const hasOwnBars = model.loss !== "squared";
  const digits = hasOwnBars ? 3 : 4;
  const { decimals, addUp } = decimalsThatAddUp(
    steps.filter((s) => s.output === shown).map((s) => s.vote),
    end.to,
    digits,
  );
  const voted = (/** @type {number} */ vote) => withSign(formatDecimals(vote, decimals, digits));
  const expected = (/** @type {number} */ value) =>
    classes
      ? formatPercent(value, 1)
      : hasOwnBars
        ? formatNumber(value, 4)
        : formatDecimals(value, decimals, digits);
  const [least, most] = classes
    ? [0, 1]
    : [
        Math.min(0, ...steps.map((s) => s.expectedTo)),
        Math.max(0, ...steps.map((s) => s.expectedTo)),
      ];
  const line = (
    /** @type {import("./elements.js").Child} */ what,
    /** @type {string} */ vote,
    /** @type {import("./elements.js").Child} */ voteBar,
    /** @type {Element} */ ownBar,
    /** @type {string} */ value,
    look = "",
  ) =>
    html(
      "tr",
      { class: look },
      html("th", { scope: "row" }, what),
      html("td", { class: "pictured" }, voteBar),
      html("td", {}, vote),
      hasOwnBars && html("td", { class: "pictured" }, ownBar),
      html("td", {}, value),
    );
  return html(
    "table",
    { class: "waterfall" },
    html("caption", {}, "How the rules add up"),
    html(
      "thead",
      {},
      html(
        "tr",
        {},
        html("th", { scope: "col" }, "step"),
        html(
          "th",
          { scope: "col", colspan: 2 },
          classes && classes.length > 2 ? `score of ${classes[shown]}` : data.outcome.vote,
        ),
        html(
          "th",
          { scope: "col", colspan: hasOwnBars ? 2 : 1 },
          classes ? "probability" : data.outcome.predicted,
        ),
      ),
    ),
    html(
      "tbody",
      {},
      steps.map((s) =>
        line(
          s.rule === null
            ? "start"
            : [
                html("span", { class: "muted" }, `${rules[s.rule].place + 1}. `),
                rules[s.rule].sentence,
                s.output !== shown &&
                  html("span", { class: "muted" }, ` ${voteText(s.vote)} for ${classes?.[s.output]}`),
              ],
          s.output === shown ? voted(s.vote) : "",
          s.output === shown && lineBar(s.from, s.to, low, high),
          lineBar(s.rule === null ? 0 : s.expectedFrom, s.expectedTo, least, most),
          expected(s.expectedTo),
        ),
      ),
      line(
        ["in all", !addUp && html("span", { class: "small" }, " (votes are rounded)")],
        voted(end.to),
        lineBar(0, end.to, low, high),
        lineBar(0, end.expectedTo, least, most),
        expected(end.expectedTo),
        "total",
      ),
    ),
  );
}

/** Each rule, lit or dark, and which of its parts are met. @param {PageStore} store @param {Scored} scored */
export function litRules(store, scored) {
  const lines = presentShown(store).map((rule, k) =>
    html(
      "li",
      { class: scored.rules[k] ? "lit" : "dark" },
      html("span", { class: "light", "aria-hidden": "true" }, scored.rules[k] ? "●" : "○"),
      html(
        "span",
        {},
        html("span", { class: "muted" }, `${rule.place + 1}. `),
        rule.propositions.map((part, p) => [
          p > 0 && " and ",
          part.sentence,
          html(
            "span",
            { class: "mark" },
            scored.propositions[k][p] ? " ✓" : " ✗",
            html("span", { class: "hidden" }, scored.propositions[k][p] ? " met" : " not met"),
          ),
        ]),
      ),
      html(
        "b",
        {},
        scored.rules[k] ? voteText(rule.vote ?? 0) : html("span", { class: "muted" }, "no vote"),
        scored.scores.length > 1 &&
          html("span", { class: "muted" }, ` ${store.data.outcome.class_names?.[rule.output]}`),
      ),
    ),
  );
  const dark = lines.filter((_, k) => !scored.rules[k]);
  if (lines.length <= 15) return html("ol", { class: "lights" }, lines);
  return [
    html(
      "ol",
      { class: "lights" },
      lines.filter((_, k) => scored.rules[k]),
    ),
    html(
      "details",
      { id: "dark-rules" },
      html("summary", {}, `${formatCount(dark.length, "rule")} without a vote here`),
      html("ol", { class: "lights" }, dark),
    ),
  ];
}

/** What is predicted, large, and the main reasons for it. @param {PageStore} store @param {Scored} scored @param {number} shown */
export function verdictOf(store, scored, shown) {
  const { data } = store,
    model = store.model(),
    { outcome } = data,
    names = outcome.class_names;
  const { expected, index } = predictOutcome(model, scored.scores);
  const views = presentViews(store),
    decided = decide(model, scored.scores, outcome.cutoff);
  const usual =
    offsetsOf(model)[0] +
    views.reduce((sum, view, k) => sum + model.rules[k].weight * view.coverage, 0);
  const upwards = names ? names.length > 2 || decided === 1 : scored.scores[0] >= usual;
  const reasons = principalReasons(model, views, scored, { shown, upwards });
  const towards = names ? names[decided ?? 0] : upwards ? "a high prediction" : "a low prediction";
  return [
    html(
      "span",
      { class: "muted" },
      names && names.length > 2 ? `probability of ${names[shown]}` : outcome.predicted,
    ),
    // Its value has all digits, for whoever reads the page by program.
    html(
      "data",
      { class: "large", value: expected[expected.length === 2 ? 1 : shown] },
      predictionText(data, expected, index),
    ),
    names &&
      html(
        "p",
        {},
        "Counts as ",
        html("b", {}, names[decided ?? 0]),
        outcome.cutoff !== null &&
          names.length === 2 &&
          html(
            "span",
            { class: "muted" },
            ` (cut-off ${formatPercent(outcome.cutoff, 1)}${outcome.cutoff_reason ? `: ${outcome.cutoff_reason}` : ""})`,
          ),
      ),
    names &&
      names.length > 2 &&
      html(
        "p",
        { class: "muted" },
        expected.map((p, k) => [
          k > 0 && " · ",
          html("data", { value: p }, `${names[k]} ${formatPercent(p, 0)}`),
        ]),
      ),
    isEdited(store) &&
      html(
        "p",
        { class: "muted" },
        `With your ${formatCount(store.state.edits.changes.length, "change")}.`,
      ),
    reasons.length > 0 && [
      html("h3", {}, `Main reasons for ${towards}`),
      html(
        "ol",
        { class: "reasons" },
        reasons.map((reason) =>
          html("li", {}, !reason.holds && html("b", {}, "Not: "), reason.words),
        ),
      ),
    ],
  ];
}
