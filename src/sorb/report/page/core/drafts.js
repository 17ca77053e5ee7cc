// A model that is being edited: which rules are left, where their thresholds stand, and which votes
// are pinned; fitted to the sums of the training rows, and judged on any sums of the page.

import { lossOf } from "./losses.js";
import { judge, measure } from "./measures.js";
import { columnsOf, offsetsOf } from "./model.js";
import { patternScores, refitVotes, sumOfLosses } from "./refit.js";
import { remembered } from "./remember.js";
import { coveredCells, patternsOf, pool, totalOf } from "./sums.js";

/** @typedef {import("../types.d.ts").ModelDocument} ModelDocument */
/** @typedef {import("../types.d.ts").PropositionDocument} PropositionDocument */
/** @typedef {import("../types.d.ts").RuleView} RuleView */
/** @typedef {import("../types.d.ts").Size} Size */
/** @typedef {import("../types.d.ts").Sums} Sums */
/** @typedef {import("./measures.js").Judged} Judged */
/** @typedef {import("./refit.js").RefitProblem} RefitProblem */
/** @typedef {import("./sums.js").Patterns} Patterns */

/**
 * @typedef {object} DraftRule
 * @property {number} vote
 * @property {number} output
 * @property {number[]} propositions places in the propositions of the size
 * @property {number[]} cuts the cut of each
 * @property {boolean} pinned
 */

/**
 * @typedef {object} Draft
 * @property {number[]} offset
 * @property {(DraftRule | null)[]} rules by the numbers of the original model; null where dropped
 * @property {string[]} forbidden the conditions that may not come back
 */

/**
 * The model of a size before any change.
 * @param {Size} size
 * @returns {Draft}
 */
export function draftOf(size) {
  const rules = size.model.rules.map((rule, k) => {
    const { propositions } = size.rules[k];
    const cuts = propositions.map((place) => size.propositions[place].own ?? 0);
    return { vote: rule.weight, output: rule.output, propositions, cuts, pinned: false };
  });
  return { offset: offsetsOf(size.model), rules, forbidden: [] };
}

/**
 * The rules that are left, with their numbers.
 * @param {Draft} draft
 */
export function presentRules(draft) {
  return draft.rules.flatMap((rule, number) => (rule === null ? [] : [{ rule, number }]));
}

/**
 * Fit the votes that are not pinned to the training rows.
 * @param {Size} size
 * @param {Draft} draft
 * @returns {Draft}
 */
export function refitDraft(size, draft) {
  const problem = problemOf(draft, size);
  const { patterns } = problem;
  const sums = pool(size.cells.training, patterns.ofCell, patterns.count);
  const fitted = withVotes(draft, refitVotes(problem, sums, votesOf(draft)));
  knownPatterns.set(fitted, patterns);
  return fitted;
}

/**
 * The document of a proposition with its threshold at a cut.
 * @param {Size} size
 * @param {number} proposition
 * @param {number} cut
 * @returns {PropositionDocument}
 */
export function propositionAt(size, proposition, cut) {
  const { document, cuts } = size.propositions[proposition];
  if (document.kind === "membership" || cuts === null) return document;
  return { ...document, threshold: cuts[cut] };
}

/**
 * The document of the condition of a rule.
 * @param {Size} size
 * @param {DraftRule} rule
 */
export function conditionOf(size, rule) {
  return rule.propositions.map((proposition, place) => propositionAt(size, proposition, rule.cuts[place]));
}

/**
 * The document of a draft, as Python writes it.
 * @param {Size} size
 * @param {Draft} draft
 * @returns {ModelDocument}
 */
export function draftModel(size, draft) {
  const rules = presentRules(draft).map(({ rule }) => ({
    weight: rule.vote, output: rule.output, condition: conditionOf(size, rule),
  }));
  const offset = Array.isArray(size.model.offset) ? draft.offset : draft.offset[0];
  const { experience, ...model } = size.model;
  // A model remembers the columns that its rules use.
  const used = new Set(rules.flatMap((rule) => rule.condition).flatMap(columnsOf));
  const kept = Object.entries(experience ?? {}).filter(([name]) => used.has(name));
  const known = kept.length > 0 ? { experience: Object.fromEntries(kept) } : {};
  return { ...model, offset, rules, ...known };
}

/**
 * A draft beside the outcomes of the training or the test rows, for the measures and curves.
 * @param {Size} size
 * @param {Draft} draft
 * @param {Sums} sums
 */
export function judgeDraft(size, draft, sums) {
  return judgedRows(draft, sums, size);
}

const judgedRows = remembered(
  (/** @type {Draft} */ draft, /** @type {Sums} */ sums, /** @type {Size} */ size) => judgeRows(size, draft, sums),
);

/**
 * @param {Size} size
 * @param {Draft} draft
 * @param {Sums} sums
 * @returns {Judged}
 */
function judgeRows(size, draft, sums) {
  const patterns = patternsOfDraft(size, draft);
  const pooled = pool(sums, patterns.ofCell, patterns.count);
  const scores = patternScores(patterns, outputsOf(draft), votesOf(draft));
  return judge(lossOf(size.model), pooled, scores, size.cells.shift);
}

/** What is measured of the rows of a subgroup, which are many: what it is measured from is not kept. */
export const measureGroup = remembered(
  (/** @type {Draft} */ draft, /** @type {Sums} */ sums, /** @type {Size} */ size, /** @type {number | null} */ cutoff) =>
    measure(judgeRows(size, draft, sums), cutoff),
);

/**
 * The scores of each cell, one output after the other.
 * @param {Size} size
 * @param {Draft} draft
 */
export function cellScores(size, draft) {
  const K = draft.offset.length;
  const patterns = patternsOfDraft(size, draft);
  const ofPattern = patternScores(patterns, outputsOf(draft), votesOf(draft));
  const { ofCell } = patterns;
  const scores = new Float64Array(ofCell.length * K);
  for (let cell = 0; cell < ofCell.length; cell++)
    for (let k = 0; k < K; k++) scores[cell * K + k] = ofPattern[ofCell[cell] * K + k];
  return scores;
}

/**
 * The mean loss of training rows that the votes were not fitted to: those of each fold, with votes
 * fitted to the others. The rules stay as they are, so it tells what votes and pins do, not how far
 * the rules themselves were fitted to the rows. `losses` has the sum of each fold, without the part
 * that no vote changes, so that two drafts can be compared fold by fold. Null without folds.
 * @param {Size} size
 * @param {Draft} draft
 */
export function crossValidate(size, draft) {
  const { training, n_folds: nFolds } = size.cells;
  if (training.fold === undefined || nFolds < 2) return null;
  const folds = Array.from({ length: nFolds }, (_, fold) => validateFold(draft, fold, size));
  const losses = folds.map((fold) => fold.loss);
  const weights = folds.map((fold) => fold.weight);
  const total = losses.reduce((sum, loss) => sum + loss, training.constant ?? 0);
  return { risk: total / totalOf(weights), losses, weights };
}

/** The rows of one fold, with votes fitted to all others. */
export const validateFold = remembered(
  (/** @type {Draft} */ draft, /** @type {number} */ fold, /** @type {Size} */ size) => {
    const problem = problemOf(draft, size);
    const { ofCell, count } = problem.patterns;
    const { training } = size.cells;
    const others = pool(training, ofCell, count, { withoutFold: fold });
    const left = pool(training, ofCell, count, { fold });
    const fitted = refitVotes(problem, others, votesOf(draft));
    return { loss: sumOfLosses(problem, left, fitted), weight: left.total };
  },
);

/**
 * Whom of the training rows a rule covers, as `RuleView` tells it: how many, which share of all
 * weight, and what outcomes they have.
 * @param {Size} size
 * @param {DraftRule} rule
 * @returns {Pick<RuleView, "n" | "coverage" | "mean" | "purity">}
 */
export function whomRuleCovers(size, rule) {
  const { training, shift } = size.cells;
  const { K, n, w, wy, total } = pool(training, Int32Array.from(cellsOfRule(size, rule)), 2);
  const shares = Array.from({ length: K }, (_, k) => (w[1] > 0 ? wy[K + k] / w[1] + shift : 0));
  const mean = K > 1 ? shares : shares[0];
  const largest = K > 1 ? Math.max(...shares) : Math.max(shares[0], 1 - shares[0]);
  const purity = lossOf(size.model).hasClasses && w[1] > 0 ? largest : null;
  return { n: n[1], coverage: w[1] / total, mean, purity };
}

/** @type {WeakMap<Draft, Patterns>} */
const knownPatterns = new WeakMap();

/**
 * @param {Size} size
 * @param {Draft} draft
 */
function patternsOfDraft(size, draft) {
  let patterns = knownPatterns.get(draft);
  if (patterns === undefined) {
    const covered = presentRules(draft).map(({ rule }) => cellsOfRule(size, rule));
    patterns = patternsOf(size.cells.n_cells, covered);
    knownPatterns.set(draft, patterns);
  }
  return patterns;
}

// A change touches one rule: the cells of all others are as they were.
/**
 * @param {Size} size
 * @param {DraftRule} rule
 */
function cellsOfRule(size, rule) {
  return knownCells(size, `${rule.propositions}|${rule.cuts}`, rule);
}

const knownCells = remembered(
  (/** @type {Size} */ size, /** @type {string} */ _, /** @type {DraftRule} */ rule) => coveredCells(size, rule),
);

const problemOf = remembered(
  (/** @type {Draft} */ draft, /** @type {Size} */ size) =>
    /** @type {RefitProblem} */ ({
      loss: lossOf(size.model),
      patterns: patternsOfDraft(size, draft),
      outputs: outputsOf(draft),
      pinned: presentRules(draft).map(({ rule }) => rule.pinned),
      penalty: size.reg_lambda,
      shift: size.cells.shift,
    }),
);

/** @param {Draft} draft */
function outputsOf(draft) {
  return presentRules(draft).map(({ rule }) => rule.output);
}

/** @param {Draft} draft */
function votesOf(draft) {
  return { offset: draft.offset, votes: presentRules(draft).map(({ rule }) => rule.vote) };
}

/**
 * The same rules with other votes, in the order of the rules that are left.
 * @param {Draft} draft
 * @param {import("./refit.js").Votes} fitted
 * @returns {Draft}
 */
export function withVotes(draft, { offset, votes }) {
  const rules = [...draft.rules];
  presentRules(draft).forEach(({ rule, number }, place) => {
    rules[number] = { ...rule, vote: votes[place] };
  });
  return { ...draft, offset, rules };
}
