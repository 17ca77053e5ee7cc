/** One person, or one row: set the variables, and see what the model says and why. */

import { button, fill, html, newId, section, svg } from "./elements.js";
import { controlList, controlOf } from "./controls.js";
import { predictionText, voteText, withUnit } from "./sentences.js";
import { isEdited, presentShown, presentViews, sizeOf } from "./state.js";
import { rowAt } from "../core/effects.js";
import { predictionInWords, principalReasons, waterfall } from "../core/explain.js";
import { smallestFlips } from "../core/flips.js";
import { columnsOf, decide, offsetsOf, predictOutcome, scoreRow } from "../core/model.js";
import { formatCount, formatNumber, formatPercent } from "../core/numbers.js";

/** @typedef {import("../types.d.ts").Column} Column */
/** @typedef {import("../types.d.ts").Value} Value */
/** @typedef {import("../core/model.js").Scored} Scored */
/** @typedef {import("../core/flips.js").Flip} Flip */
/** @typedef {import("./controls.js").Control} Control */
/** @typedef {import("./state.js").PageStore} PageStore */

/** The columns that a model uses, the weightiest first. @param {PageStore} store @returns {Column[]} */
function usedColumns(store) {
  /** @type {Map<string, number>} */
  const weights = new Map();
  for (const rule of sizeOf(store).model.rules)
    for (const name of new Set(rule.condition.flatMap(columnsOf)))
      weights.set(name, (weights.get(name) ?? 0) + Math.abs(rule.weight));
  return store.data.columns.filter((column) => weights.has(column.name))
    .sort((a, b) => (weights.get(b.name) ?? 0) - (weights.get(a.name) ?? 0));
}

/** @param {Value} value @param {Column | undefined} column */
function valueText(value, column) {
  if (value === null) return "missing";
  return typeof value === "number" ? formatNumber(value, 6) + withUnit(column?.unit) : String(value);
}

/** Loads a row of the table. @param {PageStore} store */
function rowLoader(store) {
  const { rows, columns, outcome } = store.data;
  if (!rows || rows.number.length === 0) return null;
  const count = rows.number.length;
  const said = html("p", { class: "muted", role: "status" });
  const load = (/** @type {number} */ place) => {
    const wrapped = (place + count) % count;
    number.value = String(rows.number[wrapped]);
    menu.value = rows.split[wrapped];
    store.change({ row: rowAt(rows, columns, wrapped), loaded: wrapped });
  };
  const number = html("input", { type: "number", id: newId("row"), min: 0, step: 1, onchange: () => {
    const place = rows.number.findIndex((known, k) => known === Number(number.value) && rows.split[k] === menu.value);
    if (place >= 0) load(place);
    else said.textContent = `The ${menu.value} row ${number.value} is not on this page, which holds ${formatCount(count, "row")}.`;
  } });
  // Two tables may both count their rows from zero.
  const splits = [...new Set(rows.split)];
  const menu = html("select", { "aria-label": "Kind of row" }, splits.map((split) => html("option", { value: split }, `${split} row`)));
  const at = () => store.state.loaded ?? -1;
  store.follow(["row"], () => {
    const place = store.state.loaded;
    said.textContent = place === null ? "Set the variables, or load a row of the table."
      : `Row ${rows.number[place]}, one of the ${rows.split[place]} rows. What happened: ${outcome.class_names ? "" : `${outcome.name} `}${valueText(rows.outcome[place], undefined)}${withUnit(outcome.unit)}.`;
  });
  return html("div", {}, html("div", { class: "actions" },
    splits.length > 1 && menu, html("label", { for: number.id }, "Row"), number,
    button("Previous", () => load(at() - 1)), button("Next", () => load(at() + 1)),
    button("Any row", () => load(Math.floor(Math.random() * count)))), said);
}

/** @param {number} from @param {number} to @param {number} low @param {number} high */
function stepBar(from, to, low, high) {
  const wide = high - low || 1;
  return svg("svg", { class: "bar-line", viewBox: `${low} 0 ${wide} 10`, preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { x: Math.min(from, to), y: 1.5, width: Math.max(Math.abs(to - from), wide / 200), height: 7, class: to >= from ? "bar main" : "bar" }),
    low < 0 && high > 0 && svg("line", { x1: 0, x2: 0, y1: 0, y2: 10, class: "axis" }));
}

/** How the rules add up, in votes and in what is predicted. @param {PageStore} store @param {Scored} scored @param {number} shown */
function waterfallTable(store, scored, shown) {
  const { data } = store, model = store.model(), rules = presentShown(store);
  const steps = waterfall(model, scored, shown), end = steps[steps.length - 1];
  const low = Math.min(0, ...steps.map((s) => s.to)), high = Math.max(0, ...steps.map((s) => s.to));
  const classes = data.outcome.class_names;
  const expected = (/** @type {number} */ value) => classes ? formatPercent(value, 1) : formatNumber(value, 4);
  const [least, most] = classes ? [0, 1] : [Math.min(0, ...steps.map((s) => s.expectedTo)), Math.max(0, ...steps.map((s) => s.expectedTo))];
  // Where a vote is a part of the number that is predicted, both would say the same.
  const twice = model.loss !== "squared";
  const line = (/** @type {import("./elements.js").Child} */ what, /** @type {string} */ vote, /** @type {Element} */ bar, /** @type {Element} */ other, /** @type {string} */ value, look = "") =>
    html("tr", { class: look }, html("th", { scope: "row" }, what), html("td", { class: "pictured" }, bar), html("td", {}, vote),
      twice && html("td", { class: "pictured" }, other), html("td", {}, value));
  return html("table", { class: "waterfall" },
    html("caption", {}, "How the rules add up"),
    html("thead", {}, html("tr", {}, html("th", { scope: "col" }, "step"), html("th", { scope: "col", colspan: 2 }, data.outcome.vote),
      html("th", { scope: "col", colspan: twice ? 2 : 1 }, classes ? "probability" : data.outcome.predicted))),
    html("tbody", {},
      steps.map((s) => line(s.rule === null ? "start" : [html("span", { class: "muted" }, `${rules[s.rule].place + 1}. `), rules[s.rule].sentence,
        classes && classes.length > 2 && s.rule !== null && ` (for ${classes[s.output]})`],
      voteText(s.vote), stepBar(s.from, s.to, low, high), stepBar(s.rule === null ? 0 : s.expectedFrom, s.expectedTo, least, most), expected(s.expectedTo))),
      line("in all", voteText(end.to), stepBar(0, end.to, low, high), stepBar(0, end.expectedTo, least, most), expected(end.expectedTo), "total")));
}

/** Each rule, lit or dark, and which of its parts are met. @param {PageStore} store @param {Scored} scored */
function litRules(store, scored) {
  const lines = presentShown(store).map((rule, k) => html("li", { class: scored.rules[k] ? "lit" : "dark" },
    html("span", { class: "light", "aria-hidden": "true" }, scored.rules[k] ? "●" : "○"),
    html("span", {}, html("span", { class: "muted" }, `${rule.place + 1}. `), rule.propositions.map((part, p) =>
      [p > 0 && " and ", part.sentence, html("span", { class: "mark" }, scored.propositions[k][p] ? " ✓" : " ✗", html("span", { class: "hidden" }, scored.propositions[k][p] ? " met" : " not met"))])),
    html("b", {}, scored.rules[k] ? voteText(rule.vote ?? 0) : html("span", { class: "muted" }, "no vote"))));
  const dark = lines.filter((_, k) => !scored.rules[k]);
  if (lines.length <= 15) return html("ol", { class: "lights" }, lines);
  return [html("ol", { class: "lights" }, lines.filter((_, k) => scored.rules[k])),
    html("details", { id: "dark-rules" }, html("summary", {}, `${formatCount(dark.length, "rule")} without a vote here`), html("ol", { class: "lights" }, dark))];
}

/** @param {PageStore} store @param {Column[]} columns */
function flipList(store, columns) {
  const { data, state } = store, model = store.model(), rules = presentShown(store);
  const flips = smallestFlips(model, state.row, columns, data.outcome.cutoff);
  const after = (/** @type {Flip} */ flip) => {
    const { expected, index } = predictOutcome(model, flip.scored.scores);
    return (data.outcome.class_names && expected.length > 2 ? `${data.outcome.class_names[index ?? 0]}, ` : "") + predictionText(data, expected, index);
  };
  const line = (/** @type {string} */ name, /** @type {Flip} */ flip) => {
    const column = columns.find((known) => known.name === name);
    const before = scoreRow(model, state.row).rules;
    const turns = flip.rules.map((k) => `rule ${rules[k].place + 1} ${before[k] ? "off" : "on"}`);
    const id = `flip-${columns.findIndex((known) => known.name === name)}${flip.decision ? "-decision" : ""}`;
    return html("li", {},
      html("span", {}, html("b", {}, name), `: ${valueText(flip.from, column)} → ${valueText(flip.to, column)}`,
        html("span", { class: "muted" }, ` turns ${turns.slice(0, 4).join(", ")}${turns.length > 4 ? " …" : ""}; then ${after(flip)}`)),
      button("Try", () => store.change({ row: new Map(state.row).set(name, flip.to), loaded: null }),
        { id, "aria-label": `Try: set ${name} to ${valueText(flip.to, column)}` }));
  };
  const sorted = (/** @type {"decision" | "rule"} */ kind) => flips
    .flatMap((found) => (found[kind] ? [{ name: found.column, flip: /** @type {Flip} */ (found[kind]) }] : []))
    .sort((a, b) => a.flip.distance - b.flip.distance);
  const decisions = sorted("decision"), others = sorted("rule").filter(({ flip }) => !flip.decision);
  const few = 4;
  const list = (/** @type {{ name: string, flip: Flip }[]} */ found) => [
    html("ol", { class: "flips" }, found.slice(0, few).map(({ name, flip }) => line(name, flip))),
    found.length > few && html("details", {}, html("summary", {}, `${found.length - few} more`),
      html("ol", { class: "flips" }, found.slice(few).map(({ name, flip }) => line(name, flip))))];
  return [
    data.outcome.class_names && [html("h3", {}, "What would change the decision"), html("p", { class: "muted" }, decisions.length === 0
      ? "No change of a single variable, within what training saw, changes the decision."
      : "The smallest change of one variable alone, within what training saw."), list(decisions)],
    others.length > 0 && [html("h3", {}, data.outcome.class_names ? "What would change a rule, but not the decision" : "What would change the prediction"), list(others)]];
}

/** What is predicted, large, and the main reasons for it. @param {PageStore} store @param {Scored} scored @param {number} shown */
function verdictOf(store, scored, shown) {
  const { data } = store, model = store.model(), { outcome } = data, names = outcome.class_names;
  const { expected, index } = predictOutcome(model, scored.scores);
  const views = presentViews(store), decided = decide(model, scored.scores, outcome.cutoff);
  const usual = offsetsOf(model)[0] + views.reduce((sum, view, k) => sum + model.rules[k].weight * view.coverage, 0);
  const upwards = names ? names.length > 2 || decided === 1 : scored.scores[0] >= usual;
  const reasons = principalReasons(model, views, scored, { shown, upwards });
  const towards = names ? names[decided ?? 0] : upwards ? "a high prediction" : "a low prediction";
  return [
    html("span", { class: "muted" }, names && names.length > 2 ? `probability of ${names[shown]}` : outcome.predicted),
    html("span", { class: "large" }, predictionText(data, expected, index)),
    names && html("p", {}, "Counts as ", html("b", {}, names[decided ?? 0]),
      outcome.cutoff !== null && names.length === 2 && html("span", { class: "muted" }, ` (cut-off ${formatPercent(outcome.cutoff, 1)}${outcome.cutoff_reason ? `: ${outcome.cutoff_reason}` : ""})`)),
    names && names.length > 2 && html("p", { class: "muted" }, expected.map((p, k) => `${names[k]} ${formatPercent(p, 0)}`).join(" · ")),
    isEdited(store) && html("p", { class: "muted" }, `With your ${formatCount(store.state.edits.changes.length, "change")}.`),
    reasons.length > 0 && [html("h3", {}, `Main reasons for ${towards}`),
      html("ol", { class: "reasons" }, reasons.map((reason) => html("li", {}, `${reason.words}${reason.holds ? "" : " – not the case"}`)))]];
}

/** @param {PageStore} store */
export function whatIfSection(store) {
  const { data, state } = store;
  const left = html("div"), result = html("div", { class: "verdict" }), added = html("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "How the rules add up" });
  const glance = html("div", { class: "glance", "aria-hidden": "true" });
  const lights = html("div"), flips = html("div");
  const live = html("p", { class: "hidden", role: "status", "aria-live": "polite" });
  /** @type {Column[]} */
  let columns = [];
  /** @type {Control[]} */
  let controls = [];
  let waiting = 0;
  store.follow(["size"], () => {
    columns = usedColumns(store);
    controls = columns.map((column) => controlOf(column, (value) =>
      store.change({ row: new Map(state.row).set(column.name, value), loaded: null })));
    fill(left, controlList(controls));
  }, left);
  store.follow(["size", "edits", "row"], () => {
    const model = store.model(), scored = scoreRow(model, state.row);
    const { index } = predictOutcome(model, scored.scores);
    const shown = model.loss === "softmax" ? index ?? 0 : 0;
    columns.forEach((column, k) => controls[k].show(state.row.get(column.name) ?? null));
    fill(result, verdictOf(store, scored, shown));
    fill(glance, html("b", {}, predictionText(data, predictOutcome(model, scored.scores).expected, index)), data.outcome.predicted);
    fill(added, waterfallTable(store, scored, shown));
    fill(lights, litRules(store, scored));
    // What takes longer, and what is read aloud, waits until the hand rests.
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      fill(flips, flipList(store, columns));
      live.textContent = predictionInWords(model, data.outcome, presentViews(store), scored);
    }, 150);
  }, result.parentElement ?? left);
  return section("what-if", "What if", "Set the variables, or load a row, and see what the model says, why, and what would change it.",
    rowLoader(store),
    html("div", { class: "what-if" },
      html("div", {}, html("h3", { class: "first" }, "Variables"), left, glance),
      html("div", {}, result, live, added, html("h3", {}, "Each rule"), lights, flips)));
}
