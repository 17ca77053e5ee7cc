// What a model says of a row, computed as the format of the models defines it: in float64 from
// left to right, so that every program finds the same answer for rows exactly on a boundary.

import { expectedAt, lossOf, sigmoid } from "./losses.js";

/** @typedef {import("../types.d.ts").ModelDocument} ModelDocument */
/** @typedef {import("../types.d.ts").PropositionDocument} PropositionDocument */
/** @typedef {import("../types.d.ts").ProductProposition} ProductProposition */
/** @typedef {import("../types.d.ts").LinearProposition} LinearProposition */
/** @typedef {import("../types.d.ts").Value} Value */
/** @typedef {Map<string, Value>} Row */

/**
 * @typedef {object} Scored
 * @property {number[]} scores one, or one for each class if the loss is softmax
 * @property {boolean[]} rules whether each rule covers the row
 * @property {boolean[][]} propositions for each rule, which of its propositions are true
 */

/**
 * @typedef {object} Predicted
 * @property {number[]} expected the expected number, or the probability of each class
 * @property {number | null} index the place of the predicted class; null for numbers
 */

// Beyond it, powers are not multiplied out.
const LARGEST_PLAIN_POWER = 16;
// A probability that equals the cut-off up to rounding does not count as above it.
const CUTOFF_ROUNDING = 1e-9;

/**
 * Which rules cover a row, and its score(s). Columns that the row does not have are missing.
 * @param {ModelDocument} model
 * @param {Row} row
 * @returns {Scored}
 */
export function scoreRow(model, row) {
  const propositions = model.rules.map((rule) => rule.condition.map((p) => isTrue(p, row)));
  const rules = propositions.map((truths) => truths.every(Boolean));
  return { scores: addVotes(model, rules), rules, propositions };
}

/**
 * The score(s) of rows that these rules cover.
 * @param {Pick<ModelDocument, "offset" | "rules">} model
 * @param {ArrayLike<boolean | number>} covered
 * @returns {number[]}
 */
function addVotes(model, covered) {
  const scores = offsetsOf(model);
  model.rules.forEach((rule, k) => {
    scores[rule.output] += rule.weight * Number(covered[k]);
  });
  return scores;
}

/**
 * The offset of each output.
 * @param {Pick<ModelDocument, "offset">} model
 * @returns {number[]}
 */
export function offsetsOf(model) {
  return Array.isArray(model.offset) ? [...model.offset] : [model.offset];
}

/**
 * What a model predicts at the scores of a row.
 * @param {ModelDocument} model
 * @param {ArrayLike<number>} scores
 * @returns {Predicted}
 */
export function predictOutcome(model, scores) {
  const loss = lossOf(model);
  if (!loss.hasClasses) return { expected: expectedAt(loss, scores), index: null };
  if (model.classes?.length === 1) return { expected: [1], index: 0 };
  if (loss.readout === "sigmoid")
    return { expected: [sigmoid(-scores[0]), sigmoid(scores[0])], index: Number(scores[0] > 0) };
  return { expected: expectedAt(loss, scores), index: placeOfLargest(scores) };
}

/**
 * The place of the class that a row counts as: of two classes by the cut-off if there is one, else
 * the most probable. Null for numbers.
 * @param {ModelDocument} model
 * @param {ArrayLike<number>} scores
 * @param {number | null} cutoff
 * @returns {number | null}
 */
export function decide(model, scores, cutoff) {
  const { expected, index } = predictOutcome(model, scores);
  if (cutoff === null || expected.length !== 2 || index === null) return index;
  return Number(isAboveCutoff(expected[1], cutoff));
}

/**
 * Whether a probability counts as positive.
 * @param {number} probability
 * @param {number} cutoff
 */
export function isAboveCutoff(probability, cutoff) {
  return probability > cutoff * (1 + CUTOFF_ROUNDING);
}

/**
 * Whether a proposition is true of a row.
 * @param {PropositionDocument} proposition
 * @param {Row} row
 */
function isTrue(proposition, row) {
  const missing = proposition.missing ?? false;
  if (proposition.kind === "membership") {
    const label = valueIn(row, proposition.column);
    if (label === null) return missing;
    return proposition.categories.some((category) => isSameLabel(category, label)) !== proposition.negated;
  }
  const quantity = quantityOf(proposition, row);
  if (Number.isNaN(quantity)) return missing;
  if (proposition.kind === "product" && proposition.at_most) return quantity <= proposition.threshold;
  return quantity >= proposition.threshold;
}

/**
 * What is compared with the threshold: the weighted sum or the product; NaN where it is unknown.
 * @param {LinearProposition | ProductProposition} proposition
 * @param {Row} row
 */
export function quantityOf(proposition, row) {
  const values = proposition.columns.map((column) => numberIn(row, column));
  if (proposition.kind === "linear") {
    let total = proposition.weights[0] * values[0];
    for (let k = 1; k < values.length; k++) total += proposition.weights[k] * values[k];
    return total;
  }
  let total = 1;
  proposition.powers.forEach((power, k) => {
    const factor = values[k] > 0 ? raiseTo(values[k], Math.abs(power)) : Number.NaN;
    total = power > 0 ? total * factor : total / factor;
  });
  return total;
}

/**
 * The columns of a proposition.
 * @param {PropositionDocument} proposition
 */
export function columnsOf(proposition) {
  return proposition.kind === "membership" ? [proposition.column] : proposition.columns;
}

/**
 * The value of a column, null where it is missing.
 * @param {Row} row
 * @param {string} column
 * @returns {Value}
 */
export function valueIn(row, column) {
  const value = row.get(column);
  return value === undefined || Number.isNaN(value) ? null : value;
}

/**
 * Labels compare as in Python: true is 1 and false is 0, but "1" is another.
 * @param {Value} a
 * @param {Value} b
 */
export function isSameLabel(a, b) {
  return plainLabel(a) === plainLabel(b);
}

/** @param {Value} label */
function plainLabel(label) {
  return typeof label === "boolean" ? Number(label) : label;
}

/**
 * @param {Row} row
 * @param {string} column
 */
function numberIn(row, column) {
  const value = valueIn(row, column);
  return value === null ? Number.NaN : Number(value);
}

// Whole powers are products, which every computer rounds alike.
/**
 * @param {number} base
 * @param {number} power
 */
function raiseTo(base, power) {
  if (!Number.isInteger(power) || power > LARGEST_PLAIN_POWER) return Math.pow(base, power);
  let result = base;
  for (let k = 1; k < power; k++) result *= base;
  return result;
}

/**
 * The place of the largest score, the first among equals.
 * @param {ArrayLike<number>} scores
 */
export function placeOfLargest(scores) {
  let best = 0;
  for (let k = 1; k < scores.length; k++) if (scores[k] > scores[best]) best = k;
  return best;
}
