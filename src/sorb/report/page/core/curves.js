// Curves over the rows of a model: calibration, ROC, precision and recall, and the net benefit of
// decisions. Each has a point for each different expectation, as all rows of a group have the same.

import { isAboveCutoff } from "./model.js";
import { remembered } from "./remember.js";
import { totalOf } from "./sums.js";

/** @typedef {import("./measures.js").Judged} Judged */

/**
 * Groups by what is expected of them, the highest first; groups of which the same is expected are
 * one.
 * @typedef {object} Ranked
 * @property {number[]} expected
 * @property {number[]} positive the weight of the rows of the class
 * @property {number[]} negative and that of all others
 */

/**
 * @typedef {object} CalibrationBin
 * @property {number} from
 * @property {number} to
 * @property {number} n
 * @property {number} weight
 * @property {number} expected the mean of what is expected
 * @property {number} occurred the mean of what occurs
 */

/** @typedef {{ x: number, y: number, at: number }} CurvePlace */

const BINS = 10;

/**
 * Groups in ten bins of equal width by what is expected: from 0 to 1 for a class, else from the
 * least to the largest expected number. Bins without rows are left out, and all of them if some
 * expected number is infinite.
 * @param {Judged} judged
 * @param {number} [k] the class, if there are more than two
 */
export function calibrationBins(judged, k = 0) {
  return knownBins(judged, k);
}

const knownBins = remembered(binsOf);

/**
 * @param {Judged} judged
 * @param {number} k
 * @returns {CalibrationBin[]}
 */
function binsOf({ loss, sums, expected, shift }, k) {
  const { K } = sums;
  const groups = [...sums.w.keys()].filter((g) => sums.w[g] > 0);
  const values = groups.map((g) => expected[g * K + k]);
  const low = loss.hasClasses ? 0 : values.reduce((a, b) => Math.min(a, b), Infinity);
  const high = loss.hasClasses ? 1 : values.reduce((a, b) => Math.max(a, b), -Infinity);
  if (!Number.isFinite(high - low)) return [];
  const width = high - low || 1;
  const bins = Array.from({ length: BINS }, (_, bin) => ({
    from: low + (bin * (high - low)) / BINS,
    to: low + ((bin + 1) * (high - low)) / BINS,
    n: 0, weight: 0, expected: 0, occurred: 0,
  }));
  groups.forEach((g, place) => {
    const bin = bins[Math.min(BINS - 1, Math.floor(((values[place] - low) / width) * BINS))];
    bin.n += sums.n[g];
    bin.weight += sums.w[g];
    bin.expected += sums.w[g] * values[place];
    bin.occurred += sums.wy[g * K + k] + shift * sums.w[g];
  });
  return bins
    .filter((bin) => bin.weight > 0)
    .map((bin) => ({ ...bin, expected: bin.expected / bin.weight, occurred: bin.occurred / bin.weight }));
}

/**
 * @param {Judged} judged
 * @param {number} [k] the class, if there are more than two
 */
export function rankGroups(judged, k = 0) {
  return knownRanks(judged, k);
}

const knownRanks = remembered(ranksOf);

/**
 * @param {Judged} judged
 * @param {number} k
 * @returns {Ranked}
 */
function ranksOf({ sums, expected }, k) {
  const { K } = sums;
  const order = [...sums.w.keys()].filter((g) => sums.w[g] > 0);
  order.sort((a, b) => expected[b * K + k] - expected[a * K + k]);
  /** @type {Ranked} */
  const ranked = { expected: [], positive: [], negative: [] };
  for (const g of order) {
    const value = expected[g * K + k];
    if (value !== ranked.expected.at(-1)) {
      ranked.expected.push(value);
      ranked.positive.push(0);
      ranked.negative.push(0);
    }
    const last = ranked.expected.length - 1;
    ranked.positive[last] += sums.wy[g * K + k];
    ranked.negative[last] += sums.w[g] - sums.wy[g * K + k];
  }
  return ranked;
}

/**
 * How often a row of the class has the higher expectation, where equal ones count half; null if
 * there are not both kinds of rows.
 * @param {Ranked} ranked
 */
export function areaUnderRoc({ positive, negative }) {
  const pairs = totalOf(positive) * totalOf(negative);
  if (!(pairs > 0)) return null;
  let above = 0;
  let wins = 0;
  for (let k = 0; k < positive.length; k++) {
    wins += negative[k] * (above + positive[k] / 2);
    above += positive[k];
  }
  return wins / pairs;
}

/**
 * The share of the others that is taken for the class (x) against the share of the class that is
 * found (y), if all rows count that reach `at`.
 * @param {Ranked} ranked
 * @returns {CurvePlace[]}
 */
export function rocCurve(ranked) {
  const [positives, negatives] = [totalOf(ranked.positive), totalOf(ranked.negative)];
  if (!(positives * negatives > 0)) return [];
  const places = cumulated(ranked).map(({ at, found, wrong }) => ({
    x: wrong / negatives, y: found / positives, at,
  }));
  return [{ x: 0, y: 0, at: Infinity }, ...places];
}

/**
 * The share of the class that is found (x) against how many of those that count are of it (y).
 * @param {Ranked} ranked
 * @returns {CurvePlace[]}
 */
export function precisionRecallCurve(ranked) {
  const positives = totalOf(ranked.positive);
  if (!(positives > 0)) return [];
  return cumulated(ranked).map(({ at, found, wrong }) => ({
    x: found / positives, y: found / (found + wrong), at,
  }));
}

/**
 * The net benefit of acting on rows above each threshold: found less false alarms, which are
 * weighed by the odds of the threshold, as shares of all rows; beside that of acting on all.
 * @param {Ranked} ranked
 * @param {number[]} thresholds between 0 and 1
 */
export function decisionCurve(ranked, thresholds) {
  const [positives, negatives] = [totalOf(ranked.positive), totalOf(ranked.negative)];
  const whole = positives + negatives;
  const steps = cumulated(ranked);
  return thresholds.map((threshold) => {
    const odds = threshold / (1 - threshold);
    const last = steps.findLast(({ at }) => isAboveCutoff(at, threshold));
    const { found, wrong } = last ?? { found: 0, wrong: 0 };
    return {
      threshold,
      model: (found - odds * wrong) / whole,
      all: (positives - odds * negatives) / whole,
    };
  });
}

/** @param {Ranked} ranked */
function cumulated({ expected, positive, negative }) {
  let [found, wrong] = [0, 0];
  return expected.map((at, k) => {
    found += positive[k];
    wrong += negative[k];
    return { at, found, wrong };
  });
}
