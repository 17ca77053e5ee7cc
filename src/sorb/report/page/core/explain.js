// Why a model predicts what it predicts of a row: what each rule adds, and the main reasons in words.

import { logSumExp, lossOf } from "./losses.js";
import { offsetsOf, predictOutcome } from "./model.js";
import { formatNumber, formatPercent } from "./numbers.js";

/** @typedef {import("../types.d.ts").ModelDocument} ModelDocument */
/** @typedef {import("../types.d.ts").Outcome} Outcome */
/** @typedef {import("../types.d.ts").RuleView} RuleView */
/** @typedef {import("./model.js").Scored} Scored */

/**
 * A step of a waterfall, from the start to what is predicted.
 * @typedef {object} WaterfallStep
 * @property {number | null} rule its place in the model; null for the offset
 * @property {number} vote what it adds to the score of its output
 * @property {number} output
 * @property {number} from the score of the shown output before, and after
 * @property {number} to
 * @property {number} expectedFrom the probability of the shown class, or the number, before and after
 * @property {number} expectedTo
 */

/**
 * Why a row has a higher (or lower) score than rows have on average.
 * @typedef {object} Reason
 * @property {string} words
 * @property {boolean} holds whether the row meets the words; else what counts is that it does not
 * @property {number} push how much further from the average it leads, in votes; positive
 * @property {number[]} rules
 */

const MOST_REASONS = 4;
const COUNT_WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/**
 * What the rules that cover a row add, the largest votes first. With more than two classes it is
 * about one of them, and rules that vote for others lower its probability.
 * @param {ModelDocument} model
 * @param {Scored} scored
 * @param {number} [shown] the class, if there are more than two
 * @returns {WaterfallStep[]}
 */
export function waterfall(model, scored, shown = 0) {
  const scores = offsetsOf(model);
  const start = expectedOf(model, scores, shown);
  const [vote, output] = [scores[shown], shown];
  /** @type {WaterfallStep[]} */
  const steps = [{ rule: null, vote, output, from: 0, to: vote, expectedFrom: start, expectedTo: start }];
  const covering = model.rules.flatMap((rule, k) => (scored.rules[k] ? [{ rule, k }] : []));
  covering.sort((a, b) => Math.abs(b.rule.weight) - Math.abs(a.rule.weight));
  covering.forEach(({ rule, k }, place) => {
    const [from, expectedFrom] = [scores[shown], expectedOf(model, scores, shown)];
    scores[rule.output] += rule.weight;
    // In another order the last digit may be another: the end is what the model says.
    if (place === covering.length - 1) scores.splice(0, scores.length, ...scored.scores);
    const [to, expectedTo] = [scores[shown], expectedOf(model, scores, shown)];
    const { weight, output: own } = rule;
    steps.push({ rule: k, vote: weight, output: own, from, to, expectedFrom, expectedTo });
  });
  return steps;
}

/**
 * At most four reasons why a row is predicted what it is, the strongest first: what most moves its
 * score away from the average, towards the shown class or the predicted side. A rule that does not
 * cover a row is a reason, too, if most rows have its vote.
 * @param {ModelDocument} model
 * @param {RuleView[]} rules
 * @param {Scored} scored
 * @param {{ shown?: number, upwards?: boolean }} [towards] the class if there are more than two;
 *   whether reasons for a higher score are wanted (the default) or for a lower one
 * @returns {Reason[]}
 */
export function principalReasons(model, rules, scored, { shown = 0, upwards = true } = {}) {
  const effects = effectsOnLogOdds(model, scored, shown);
  /** @type {Map<string, Reason>} */
  const byWords = new Map();
  model.rules.forEach((rule, k) => {
    const beyond = Number(scored.rules[k]) - rules[k].coverage;
    const push = (upwards ? 1 : -1) * rule.weight * effects[rule.output] * beyond;
    const known = byWords.get(rules[k].words);
    if (known === undefined) {
      const { words } = rules[k];
      byWords.set(words, { words, holds: scored.rules[k], push, rules: [k] });
    } else {
      known.push += push;
      known.rules.push(k);
    }
  });
  return [...byWords.values()]
    .filter((reason) => reason.push > 0)
    .sort((a, b) => b.push - a.push)
    .slice(0, MOST_REASONS);
}

/**
 * A sentence for those who cannot see the pictures: "The probability of ill is 31.2 %. Three of the
 * five rules cover this row. The largest vote comes from: age at least 40."
 * @param {ModelDocument} model
 * @param {Outcome} outcome
 * @param {RuleView[]} rules
 * @param {Scored} scored
 */
export function predictionInWords(model, outcome, rules, scored) {
  const covering = scored.rules.filter(Boolean).length;
  const parts = [`${answerInWords(model, outcome, scored)}.`, `${coveringInWords(covering, rules.length)}.`];
  const { index } = predictOutcome(model, scored.scores);
  const shown = model.loss === "softmax" ? (index ?? 0) : 0;
  const largest = waterfall(model, scored, shown).find((step) => step.rule !== null);
  if (largest !== undefined && largest.rule !== null)
    parts.push(`The largest vote comes from: ${rules[largest.rule].words}.`);
  return parts.join(" ");
}

/**
 * What is predicted, in words.
 * @param {ModelDocument} model
 * @param {Outcome} outcome
 * @param {Scored} scored
 */
function answerInWords(model, outcome, scored) {
  const { expected, index } = predictOutcome(model, scored.scores);
  if (index === null) {
    const unit = outcome.unit === null ? "" : ` ${outcome.unit}`;
    return `The ${outcome.predicted} is ${formatNumber(expected[0], 4)}${unit}`;
  }
  if (expected.length === 2) return `The ${outcome.predicted} is ${formatPercent(expected[1])}`;
  const name = outcome.class_names?.[index] ?? String(model.classes?.[index]);
  return `The most probable class is ${name}, with ${formatPercent(expected[index])}`;
}

/**
 * @param {number} covering
 * @param {number} count
 */
function coveringInWords(covering, count) {
  if (count === 0) return "The model has no rules";
  if (count === 1) return `The only rule ${covering === 1 ? "covers" : "does not cover"} this row`;
  if (covering === 0) return `None of the ${inWords(count)} rules covers this row`;
  if (covering === count) return `All ${inWords(count)} rules cover this row`;
  const some = inWords(covering);
  const verb = covering === 1 ? "covers" : "cover";
  return `${some[0].toUpperCase()}${some.slice(1)} of the ${inWords(count)} rules ${verb} this row`;
}

/** @param {number} count */
function inWords(count) {
  return COUNT_WORDS[count] ?? String(count);
}

/**
 * @param {ModelDocument} model
 * @param {number[]} scores
 * @param {number} shown
 */
function expectedOf(model, scores, shown) {
  const { expected } = predictOutcome(model, scores);
  return expected.length === 2 && scores.length === 1 ? expected[1] : expected[shown];
}

// How much one more vote for each output raises the log-odds of the shown class against all others:
// the derivative of f_k − log Σ e^f over the others. With one output it is the score itself.
/**
 * @param {ModelDocument} model
 * @param {Scored} scored
 * @param {number} shown
 */
function effectsOnLogOdds(model, scored, shown) {
  const K = scored.scores.length;
  if (lossOf(model).readout !== "softmax") return [1];
  const others = scored.scores.map((score, k) => (k === shown ? -Infinity : score));
  const shares = new Array(K).fill(0);
  logSumExp(others, 0, K, shares);
  return shares.map((share, k) => (k === shown ? 1 : -share));
}
