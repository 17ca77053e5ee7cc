/** One person, or one row: set the variables, and see what the model says and why. */

import { controlList, controlOf } from "./controls.js";
import { fill, html, scrollable, section } from "./elements.js";
import { litRules, verdictOf, waterfallTable } from "./explanation.js";
import { flipList } from "./flip_list.js";
import { rowLoader } from "./row_loader.js";
import { predictionText } from "./sentences.js";
import { presentViews, sizeOf } from "./state.js";
import { predictionInWords } from "../core/explain.js";
import { columnsOf, predictOutcome, scoreRow } from "../core/model.js";

/** @typedef {import("../types.d.ts").Column} Column */
/** @typedef {import("./controls.js").Control} Control */
/** @typedef {import("./state.js").PageStore} PageStore */

/** The columns that a model uses, the weightiest first. @param {PageStore} store @returns {Column[]} */
function usedColumns(store) {
  /** @type {Map<string, number>} */
  const weights = new Map();
  for (const rule of sizeOf(store).model.rules)
    for (const name of new Set(rule.condition.flatMap(columnsOf)))
      weights.set(name, (weights.get(name) ?? 0) + Math.abs(rule.weight));
  return store.data.columns
    .filter((column) => weights.has(column.name))
    .sort((a, b) => (weights.get(b.name) ?? 0) - (weights.get(a.name) ?? 0));
}

/** @param {PageStore} store */
export function whatIfSection(store) {
  const { data, state } = store;
  const left = html("div"),
    result = html("div", { class: "verdict" }),
    added = scrollable("How the rules add up");
  const glance = html("div", { class: "glance", "aria-hidden": "true" });
  const lights = html("div"),
    flips = html("div");
  const live = html("p", { class: "hidden", role: "status", "aria-live": "polite" });
  /** @type {Column[]} */
  let columns = [];
  /** @type {Control[]} */
  let controls = [];
  let waiting = 0;
  store.follow(
    ["size"],
    () => {
      columns = usedColumns(store);
      controls = columns.map((column) =>
        controlOf(column, (value) =>
          store.change({ row: new Map(state.row).set(column.name, value), loaded: null }),
        ),
      );
      fill(left, controlList(controls));
    },
    left,
  );
  store.follow(
    ["size", "edits", "row"],
    () => {
      const model = store.model(),
        views = presentViews(store),
        scored = scoreRow(model, state.row);
      const { expected, index } = predictOutcome(model, scored.scores);
      const shown = model.loss === "softmax" ? (index ?? 0) : 0;
      columns.forEach((column, k) => controls[k].show(state.row.get(column.name) ?? null));
      fill(result, verdictOf(store, scored, shown));
      fill(
        glance,
        html("b", {}, predictionText(data, expected, index)),
        data.outcome.predicted,
      );
      fill(added, waterfallTable(store, scored, shown));
      fill(lights, views.length > 0 && [html("h3", {}, "Each rule"), litRules(store, scored)]);
      // What takes longer, and what is read aloud, waits until the hand rests.
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        fill(flips, flipList(store, columns));
        live.textContent = predictionInWords(model, data.outcome, views, scored);
      }, 150);
    },
    left,
  );
  return section(
    "what-if",
    "What if",
    "Set the variables, or load a row, and see what the model says, why, and what would change it.",
    rowLoader(store),
    html(
      "div",
      { class: "what-if" },
      html("div", {}, html("h3", { class: "first" }, "Variables"), left, glance),
      html("div", {}, result, live, added, lights, flips),
    ),
  );
}
