// The smallest change of one variable that makes a rule, or the decision, come out differently.
//
// A rule's answer changes only where one of its propositions does: at its threshold, solved for the
// variable. So it is enough to try the next readable values around each of these points, and the ends
// of what training saw; each is put into the model, so that what is shown really flips it.

import { columnsOf, decide, quantityOf, scoreRow, valueIn } from "./model.js";

/** @typedef {import("../types.d.ts").Column} Column */
/** @typedef {import("../types.d.ts").ModelDocument} ModelDocument */
/** @typedef {import("../types.d.ts").PropositionDocument} PropositionDocument */
/** @typedef {import("../types.d.ts").Value} Value */
/** @typedef {import("./model.js").Scored} Scored */

/**
 * @typedef {object} Flip
 * @property {Value} from
 * @property {Value} to print it in full: it has no more digits than it needs
 * @property {number} distance as a share of the column's range; 1 for another category
 * @property {number[]} rules the places of the rules that come out differently
 * @property {boolean} decision whether the predicted class changes
 * @property {Scored} scored the row after the change
 */

/**
 * @typedef {object} ColumnFlips
 * @property {string} column
 * @property {Flip | null} rule the smallest change that flips any rule
 * @property {Flip | null} decision the smallest change that flips the decision; null for numbers
 */

// Steps on either side of a threshold that are tried: rounding may move it by one.
const STEPS_AROUND = [-2, -1, 0, 1, 2];
// Of a threshold near which the control has no values.
const DIGITS = 3;

/**
 * For each column the smallest changes within what training saw.
 * @param {ModelDocument} model
 * @param {Map<string, Value>} row
 * @param {Column[]} columns
 * @param {number | null} cutoff the probability above which a row counts as positive
 * @returns {ColumnFlips[]}
 */
export function smallestFlips(model, row, columns, cutoff) {
  const before = scoreRow(model, row);
  const decided = decide(model, before.scores, cutoff);
  return columns.map((column) => {
    /** @type {ColumnFlips} */
    const found = { column: column.name, rule: null, decision: null };
    for (const candidate of candidatesOf(model, row, column)) {
      const scored = scoreRow(model, new Map(row).set(column.name, candidate.to));
      const rules = scored.rules.flatMap((covers, k) => (covers === before.rules[k] ? [] : [k]));
      if (rules.length === 0) continue;
      const decision = decide(model, scored.scores, cutoff) !== decided;
      const flip = { from: valueIn(row, column.name), ...candidate, rules, decision, scored };
      found.rule ??= flip;
      if (decision) found.decision ??= flip;
      if (decision || decided === null) break;
    }
    return found;
  });
}

// The values to try, the nearest first.
/**
 * @param {ModelDocument} model
 * @param {Map<string, Value>} row
 * @param {Column} column
 * @returns {{ to: Value, distance: number }[]}
 */
function candidatesOf(model, row, column) {
  const from = valueIn(row, column.name);
  if (column.kind === "category")
    return (column.categories ?? [])
      .filter(({ label }) => label !== from)
      .map(({ label }) => ({ to: label, distance: 1 }));
  if (column.range === undefined) return [];
  const [low, high] = column.range;
  const start = Number(from ?? column.typical ?? low);
  const points = model.rules
    .flatMap((rule) => rule.condition)
    .filter((proposition) => columnsOf(proposition).includes(column.name))
    .flatMap((proposition) => borders(proposition, row, column.name));
  if (from === null) points.push(start);
  return [...new Set([low, high, ...points.flatMap((point) => valuesAround(point, column))])]
    .filter((to) => to >= low && to <= high && to !== from)
    .map((to) => ({ to, distance: Math.abs(to - start) / (high - low || 1) }))
    .sort((a, b) => a.distance - b.distance || a.to - b.to);
}

/**
 * The step of a column's control.
 * @param {Column} column
 */
export function stepOf(column) {
  return column.step ?? 1;
}

/**
 * Readable values next to a point: those of the control, or closer ones where its range is so wide
 * that its steps are far longer than the point is large.
 * @param {number} point
 * @param {Column} column
 */
function valuesAround(point, column) {
  const digit = 10 ** (Math.floor(Math.log10(Math.abs(point))) + 1 - DIGITS);
  const step = column.whole ? 1 : Math.min(stepOf(column), digit || Infinity);
  const nearest = Math.round(point / step);
  return STEPS_AROUND.map((more) => onGrid(nearest + more, step)).filter(Number.isFinite);
}

/**
 * A multiple of the step without the digits that rounding adds, such as 0.30000000000000004.
 * @param {number} times
 * @param {number} step
 */
function onGrid(times, step) {
  return Number((times * step).toPrecision(15));
}

/**
 * The values of a column at which a proposition changes, up to rounding.
 * @param {PropositionDocument} proposition
 * @param {Map<string, Value>} row
 * @param {string} name
 * @returns {number[]}
 */
function borders(proposition, row, name) {
  if (proposition.kind === "membership") return proposition.categories.map(Number).filter(Number.isFinite);
  const place = proposition.columns.indexOf(name);
  const atOne = quantityOf(proposition, new Map(row).set(name, 1));
  if (Number.isNaN(atOne)) return [];
  if (proposition.kind === "linear") {
    const weight = proposition.weights[place];
    return [(proposition.threshold - (atOne - weight)) / weight];
  }
  // A product is unknown from 0 down.
  return [0, (proposition.threshold / atOne) ** (1 / proposition.powers[place])];
}
