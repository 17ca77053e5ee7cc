/** The smallest changes of one variable that change the decision or a rule. */

import { button, html } from "./elements.js";
import { predictionText, valueText } from "./sentences.js";
import { presentShown } from "./state.js";
import { smallestFlips } from "../core/flips.js";
import { predictOutcome, scoreRow } from "../core/model.js";

/** @typedef {import("../types.d.ts").Column} Column */
/** @typedef {import("../core/flips.js").Flip} Flip */
/** @typedef {import("./state.js").PageStore} PageStore */

/** @param {PageStore} store @param {Column[]} columns */
export function flipList(store, columns) {
  const { data, state } = store,
    model = store.model(),
    rules = presentShown(store);
  const flips = smallestFlips(model, state.row, columns, data.outcome.cutoff);
  const after = (/** @type {Flip} */ flip) => {
    const { expected, index } = predictOutcome(model, flip.scored.scores);
    return (
      (data.outcome.class_names && expected.length > 2
        ? `${data.outcome.class_names[index ?? 0]}, `
        : "") + predictionText(data, expected, index)
    );
  };
  const line = (/** @type {string} */ name, /** @type {Flip} */ flip) => {
    const column = columns.find((known) => known.name === name);
    const before = scoreRow(model, state.row).rules;
    const turns = flip.rules.map((k) => `rule ${rules[k].place + 1} ${before[k] ? "off" : "on"}`);
    const id = `flip-${columns.findIndex((known) => known.name === name)}${flip.decision ? "-decision" : ""}`;
    return html(
      "li",
      {},
      html(
        "span",
        {},
        html("b", {}, name),
        `: ${valueText(flip.from, column)} → ${valueText(flip.to, column, null)}`,
        html(
          "span",
          { class: "muted" },
          ` turns ${turns.slice(0, 4).join(", ")}${turns.length > 4 ? " …" : ""}; then ${after(flip)}`,
        ),
      ),
      button(
        "Try",
        () => store.change({ row: new Map(state.row).set(name, flip.to), loaded: null }),
        { id, "aria-label": `Try: set ${name} to ${valueText(flip.to, column, null)}` },
      ),
    );
  };
  const sorted = (/** @type {"decision" | "rule"} */ kind) =>
    flips
      .flatMap((found) =>
        found[kind] ? [{ name: found.column, flip: /** @type {Flip} */ (found[kind]) }] : [],
      )
      .sort((a, b) => a.flip.distance - b.flip.distance);
  const decisions = sorted("decision"),
    others = sorted("rule").filter(({ flip }) => !flip.decision);
  const few = 4;
  const list = (/** @type {{ name: string, flip: Flip }[]} */ found) => [
    html(
      "ol",
      { class: "flips" },
      found.slice(0, few).map(({ name, flip }) => line(name, flip)),
    ),
    found.length > few &&
      html(
        "details",
        {},
        html("summary", {}, `${found.length - few} more`),
        html(
          "ol",
          { class: "flips" },
          found.slice(few).map(({ name, flip }) => line(name, flip)),
        ),
      ),
  ];
  return [
    data.outcome.class_names && [
      html("h3", {}, "What would change the decision"),
      html(
        "p",
        { class: "muted" },
        decisions.length === 0
          ? "No change of a single variable, within what training saw, changes the decision."
          : "The smallest change of one variable alone, within what training saw.",
      ),
      list(decisions),
    ],
    others.length > 0 && [
      html(
        "h3",
        {},
        data.outcome.class_names
          ? "What would change a rule, but not the decision"
          : "What would change the prediction",
      ),
      list(others),
    ],
  ];
}
