// How good scores are, from the sums of groups of rows with the same scores.

import { areaUnderRoc, calibrationBins, rankGroups } from "./curves.js";
import { expectedAt, logSumExp } from "./losses.js";
import { isAboveCutoff, placeOfLargest } from "./model.js";
import { lossesAt } from "./refit.js";
import { totalOf } from "./sums.js";

/** @typedef {import("./losses.js").Loss} Loss */
/** @typedef {import("./sums.js").GroupSums} GroupSums */

/**
 * Groups of rows with what is expected of them: `expected` has K numbers for each group one after
 * the other: the number, the probability of the second class, or the probability of each class.
 * @typedef {object} Judged
 * @property {Loss} loss
 * @property {GroupSums} sums
 * @property {Float64Array} scores
 * @property {Float64Array} expected
 * @property {number} shift what was subtracted from the outcomes of the sums
 */

/**
 * Null is what does not apply, or cannot be told from these rows.
 * @typedef {object} Measured
 * @property {number} n
 * @property {number} weight
 * @property {number} risk the mean loss
 * @property {number | null} error the share of rows for which another class is predicted
 * @property {number | null} auc of more than two classes, the mean of each against the others
 * @property {number | null} brier
 * @property {number | null} sensitivity
 * @property {number | null} specificity
 * @property {number | null} ppv
 * @property {number | null} npv
 * @property {number | null} balancedAccuracy
 * @property {number | null} r2
 * @property {number | null} rmse
 * @property {number} calibrationError the mean distance between expected and occurring, over bins
 * @property {number | null} calibrationGap mean expected less mean occurring; null for more classes
 */

/**
 * What is expected of groups with these scores.
 * @param {Loss} loss
 * @param {GroupSums} sums
 * @param {Float64Array} scores
 * @param {number} shift
 * @returns {Judged}
 */
export function judge(loss, sums, scores, shift) {
  const { K } = sums;
  const expected = new Float64Array(scores.length);
  for (let g = 0; g < sums.count; g++) {
    if (K > 1) logSumExp(scores, g * K, K, expected.subarray(g * K, g * K + K));
    else expected[g] = expectedAt(loss, [scores[g]])[0];
  }
  return { loss, sums, scores, expected, shift };
}

/**
 * All measures; null if there are no rows.
 * @param {Judged} judged
 * @param {number | null} cutoff of two classes: the probability above which rows count as positive
 * @returns {Measured | null}
 */
export function measure(judged, cutoff) {
  const { loss, sums } = judged;
  if (!(sums.total > 0)) return null;
  const isTwoClass = loss.readout === "sigmoid";
  const isSquared = loss.readout === "identity";
  return {
    n: totalOf(sums.n),
    weight: sums.total,
    risk: riskOf(judged),
    ...(loss.hasClasses ? classErrors(judged) : { error: null, balancedAccuracy: null }),
    auc: loss.hasClasses ? meanAuc(judged) : null,
    brier: isTwoClass ? squaresOf(judged) / sums.total : null,
    ...decisionsAt(judged, isTwoClass ? cutoff : null),
    r2: isSquared ? rSquared(sums, squaresOf(judged)) : null,
    rmse: isSquared ? Math.sqrt(squaresOf(judged) / sums.total) : null,
    calibrationError: calibrationError(judged),
    calibrationGap: sums.K > 1 ? null : calibrationGap(judged),
  };
}

/**
 * The mean loss, with the part that no score changes.
 * @param {Judged} judged
 */
export function riskOf({ loss, sums, scores, shift }) {
  const counted = shift === 0 ? scores : scores.map((f) => f - shift);
  return (lossesAt(loss, sums, counted) + sums.constant) / sums.total;
}

/**
 * The place of the predicted class of each group: the most probable.
 * @param {Judged} judged
 */
function predictedClasses({ sums, scores }) {
  const { K, count } = sums;
  return Int32Array.from({ length: count }, (_, g) => {
    if (K === 1) return Number(scores[g] > 0);
    return placeOfLargest(scores.subarray(g * K, g * K + K));
  });
}

/**
 * The place of the class that each group counts as: by the cut-off, if two classes have one.
 * @param {Judged} judged
 * @param {number | null} cutoff
 */
export function decidedClasses(judged, cutoff) {
  if (judged.loss.readout !== "sigmoid" || cutoff === null) return predictedClasses(judged);
  return Int32Array.from(judged.expected, (p) => Number(isAboveCutoff(p, cutoff)));
}

/** @param {Judged} judged */
function classErrors(judged) {
  const { sums } = judged;
  const nClasses = Math.max(2, sums.K);
  const predicted = predictedClasses(judged);
  const total = new Float64Array(nClasses);
  const found = new Float64Array(nClasses);
  for (let g = 0; g < sums.count; g++)
    for (let k = 0; k < nClasses; k++) {
      const weight = weightOfClass(sums, g, k);
      total[k] += weight;
      if (predicted[g] === k) found[k] += weight;
    }
  const shares = [...total.keys()].filter((k) => total[k] > 0).map((k) => found[k] / total[k]);
  return {
    error: 1 - totalOf(found) / sums.total,
    balancedAccuracy: sums.K > 1 ? totalOf(shares) / shares.length : null,
  };
}

/**
 * The weight of the rows of a class in a group.
 * @param {GroupSums} sums
 * @param {number} group
 * @param {number} k
 */
function weightOfClass(sums, group, k) {
  if (sums.K > 1) return sums.wy[group * sums.K + k];
  return k === 1 ? sums.wy[group] : sums.w[group] - sums.wy[group];
}

/** @param {Judged} judged */
function meanAuc(judged) {
  const areas = (judged.sums.K > 1 ? [...Array(judged.sums.K).keys()] : [0]).map((k) =>
    areaUnderRoc(rankGroups(judged, k)),
  );
  return areas.every((area) => area !== null) ? totalOf(areas) / areas.length : null;
}

/**
 * How good decisions at a cut-off are.
 * @param {Judged} judged
 * @param {number | null} cutoff
 */
function decisionsAt({ sums, expected }, cutoff) {
  if (cutoff === null) return { sensitivity: null, specificity: null, ppv: null, npv: null };
  let [truePositive, falsePositive, positive] = [0, 0, 0];
  for (let g = 0; g < sums.count; g++) {
    positive += sums.wy[g];
    if (!isAboveCutoff(expected[g], cutoff)) continue;
    truePositive += sums.wy[g];
    falsePositive += sums.w[g] - sums.wy[g];
  }
  const negative = sums.total - positive;
  const trueNegative = negative - falsePositive;
  return {
    sensitivity: shareOf(truePositive, positive),
    specificity: shareOf(trueNegative, negative),
    ppv: shareOf(truePositive, truePositive + falsePositive),
    npv: shareOf(trueNegative, trueNegative + positive - truePositive),
  };
}

/**
 * @param {number} part
 * @param {number} whole
 */
function shareOf(part, whole) {
  return whole > 0 ? part / whole : null;
}

/**
 * Σ w·(y − expected)².
 * @param {Judged} judged
 */
function squaresOf({ loss, sums, expected, shift }) {
  // Of two classes y is 0 or 1, its own square; else the loss is half a square.
  let total = loss.hasClasses ? totalOf(sums.wy) : 2 * sums.constant;
  for (let g = 0; g < sums.count; g++) {
    const mean = expected[g] - shift;
    total += mean * mean * sums.w[g] - 2 * mean * sums.wy[g];
  }
  return Math.max(0, total);
}

/**
 * @param {GroupSums} sums
 * @param {number} squares
 */
function rSquared(sums, squares) {
  const mean = totalOf(sums.wy) / sums.total;
  const variance = 2 * sums.constant - mean * mean * sums.total;
  return variance > 0 ? 1 - squares / variance : null;
}

/** @param {Judged} judged */
function calibrationError(judged) {
  const gaps = [...Array(judged.sums.K).keys()].flatMap((k) =>
    calibrationBins(judged, k).map((bin) => bin.weight * Math.abs(bin.expected - bin.occurred)),
  );
  if (gaps.length === 0) return Infinity; // some expected number is
  return totalOf(gaps) / (judged.sums.total * judged.sums.K);
}

/** @param {Judged} judged */
function calibrationGap({ sums, expected, shift }) {
  let gap = 0;
  for (let g = 0; g < sums.count; g++) gap += sums.w[g] * (expected[g] - shift) - sums.wy[g];
  return gap / sums.total;
}
