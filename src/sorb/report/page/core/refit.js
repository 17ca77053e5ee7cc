// The votes that fit best: they minimise Σ w·loss + λ·Σ vote², by Newton's method on the sums of the
// patterns. Offsets are not penalised, and votes that are pinned stay.

import { logSumExp } from "./losses.js";
import { remembered } from "./remember.js";
import { totalOf } from "./sums.js";

/** @typedef {import("./losses.js").Loss} Loss */
/** @typedef {import("./sums.js").Patterns} Patterns */
/** @typedef {import("./sums.js").GroupSums} GroupSums */

/**
 * Offsets (one for each output) and votes (one for each rule).
 * @typedef {object} Votes
 * @property {number[]} offset
 * @property {number[]} votes
 */

/**
 * @typedef {object} RefitProblem
 * @property {Loss} loss
 * @property {Patterns} patterns
 * @property {number[]} outputs the output that each rule votes for
 * @property {boolean[]} pinned which rules keep their votes
 * @property {number} penalty λ
 * @property {number} shift what was subtracted from the outcomes of the sums
 */

// A Hessian never gets flatter than this share of what is expected, where outcomes are far below
// what is expected of them.
const FLATTEST = 1e-9;
const MOST_STEPS = 100;
const MOST_HALVINGS = 60;
// The part of an objective that rounding hides.
const HIDDEN_BY_ROUNDING = 1e-15;
// So close to the best votes, in the objective and in the votes, each step of Newton's doubles the
// number of digits: one more is enough, and the objective could hardly tell any more.
const CLOSE = 1e-12;
const SMALL_STEP = 1e-5;

/**
 * Fit the offsets and all votes that are not pinned, from `start`.
 * @param {RefitProblem} problem
 * @param {GroupSums} sums by pattern
 * @param {Votes} start
 * @returns {Votes}
 */
export function refitVotes(problem, sums, start) {
  const objective = makeObjective(problem, sums);
  let theta = objective.read(start);
  let value = objective.value(theta);
  for (let step = 0; step < MOST_STEPS; step++) {
    const { gradient, hessian } = objective.derivatives(theta);
    const direction = solveSystem(hessian, gradient);
    const decrement = innerProduct(gradient, direction);
    if (decrement <= CLOSE * Math.abs(value) && isSmallStep(direction, theta)) {
      theta = stepFrom(theta, direction, 1);
      break;
    }
    if (!(decrement > HIDDEN_BY_ROUNDING * Math.abs(value))) break;
    const next = searchLine(objective, theta, value, direction, decrement);
    if (next === null) break;
    ({ theta, value } = next);
  }
  return objective.write(theta, start);
}

/**
 * The sum of the losses at some votes, without what no vote changes.
 * @param {RefitProblem} problem
 * @param {GroupSums} sums by pattern
 * @param {Votes} votes
 */
export function sumOfLosses(problem, sums, votes) {
  const { patterns, outputs, shift } = problem;
  const scores = patternScores(patterns, outputs, votes);
  if (shift !== 0) for (let p = 0; p < scores.length; p++) scores[p] -= shift;
  return lossesAt(problem.loss, sums, scores);
}

/**
 * The scores of each pattern, K of them one after the other.
 * @param {Patterns} patterns
 * @param {number[]} outputs
 * @param {Votes} votes
 */
export function patternScores(patterns, outputs, { offset, votes }) {
  const K = offset.length;
  const { start, rules } = patterns;
  const scores = new Float64Array(patterns.count * K);
  for (let p = 0; p < patterns.count; p++) {
    for (let k = 0; k < K; k++) scores[p * K + k] = offset[k];
    for (let i = start[p]; i < start[p + 1]; i++) scores[p * K + outputs[rules[i]]] += votes[rules[i]];
  }
  return scores;
}

/**
 * Σ w·a(f) − b(f)·wy over groups with these scores.
 * @param {Loss} loss
 * @param {GroupSums} sums
 * @param {Float64Array} scores counted like the outcomes of the sums
 */
export function lossesAt(loss, sums, scores) {
  const { K, w, wy } = sums;
  const a = new Float64Array(3);
  const b = new Float64Array(3);
  const shares = new Float64Array(K);
  let total = 0;
  for (let p = 0; p < w.length; p++) {
    if (w[p] === 0) continue;
    if (loss.readout === "softmax") {
      total += w[p] * logSumExp(scores, p * K, K, shares);
      for (let k = 0; k < K; k++) total -= wy[p * K + k] * scores[p * K + k];
      continue;
    }
    loss.a(scores[p], a);
    total += w[p] * a[0];
    // Without an outcome b does not count, and may be infinite.
    if (wy[p] === 0) continue;
    loss.b(scores[p], b);
    total -= wy[p] * b[0];
  }
  return total;
}

/**
 * The objective as a function of the numbers that are free: offsets first, then free votes.
 * @param {RefitProblem} problem
 * @param {GroupSums} sums
 */
function makeObjective(problem, sums) {
  const { loss, patterns, outputs, pinned, penalty, shift } = problem;
  const { K } = sums;
  const { free, outputOf, start: first, touched } = layoutOf(problem, K);
  const size = K + free.length;
  const fixed = pinned.map(() => 0);
  // Softmax does not feel a shift of all offsets together; this holds their sum at zero.
  const stiffness = K > 1 ? sums.total / K : 0;

  /** @param {Votes} start */
  function read(start) {
    start.votes.forEach((vote, rule) => (fixed[rule] = vote));
    return Float64Array.from([...start.offset, ...free.map((rule) => start.votes[rule])], (x, k) =>
      k === 0 ? x - shift : x,
    );
  }

  /**
   * @param {Float64Array} theta
   * @param {Votes} start
   * @returns {Votes}
   */
  function write(theta, start) {
    const offset = [...theta.subarray(0, K)];
    offset[0] += shift;
    const votes = [...start.votes];
    free.forEach((rule, place) => (votes[rule] = theta[K + place]));
    return { offset, votes };
  }

  // A step that is taken has just been tried.
  /** @type {Float64Array} */
  let tried;
  /** @type {Float64Array} */
  let scores;

  /** @param {Float64Array} theta */
  function scoresAt(theta) {
    if (theta === tried) return scores;
    const votes = [...fixed];
    free.forEach((rule, place) => (votes[rule] = theta[K + place]));
    tried = theta;
    scores = patternScores(patterns, outputs, { offset: [...theta.subarray(0, K)], votes });
    return scores;
  }

  /** @param {Float64Array} theta */
  function value(theta) {
    let total = lossesAt(loss, sums, scoresAt(theta));
    for (let c = K; c < size; c++) total += penalty * theta[c] * theta[c];
    const offsets = stiffness === 0 ? 0 : totalOf(theta.subarray(0, K));
    return total + 0.5 * stiffness * offsets * offsets;
  }

  /** @param {Float64Array} theta */
  function derivatives(theta) {
    const gradient = new Float64Array(size);
    const hessian = new Float64Array(size * size);
    scoresAt(theta);
    const slope = new Float64Array(K);
    const curvature = new Float64Array(K * K);
    for (let p = 0; p < patterns.count; p++) {
      if (sums.w[p] === 0) continue;
      setSlopes(loss, sums, scores, p, slope, curvature);
      for (let i = first[p]; i < first[p + 1]; i++) {
        const c = touched[i];
        const output = outputOf[c];
        gradient[c] += slope[output];
        const line = c * size;
        // With one output, as nearly always, there is one curvature.
        if (K === 1) for (let j = first[p]; j <= i; j++) hessian[line + touched[j]] += curvature[0];
        else
          for (let j = first[p]; j <= i; j++)
            hessian[line + touched[j]] += curvature[output * K + outputOf[touched[j]]];
      }
    }
    const offsets = totalOf(theta.subarray(0, K));
    for (let k = 0; k < K; k++) {
      gradient[k] += stiffness * offsets;
      for (let l = 0; l <= k; l++) hessian[k * size + l] += stiffness;
    }
    for (let c = K; c < size; c++) {
      gradient[c] += 2 * penalty * theta[c];
      hessian[c * size + c] += 2 * penalty;
    }
    return { gradient, hessian };
  }

  return { read, write, value, derivatives };
}

/**
 * Which numbers are free: the offsets, then the votes of rules that are not pinned; and which of them
 * the scores of each pattern contain, from `start[p]` to `start[p + 1]` in `touched`.
 */
const layoutOf = remembered((/** @type {RefitProblem} */ problem, /** @type {number} */ K) => {
  const { patterns, outputs, pinned } = problem;
  const free = outputs.flatMap((_, rule) => (pinned[rule] ? [] : [rule]));
  const place = new Int32Array(outputs.length).fill(-1);
  free.forEach((rule, k) => (place[rule] = K + k));
  const start = new Int32Array(patterns.count + 1);
  /** @type {number[]} */
  const touched = [];
  for (let p = 0; p < patterns.count; p++) {
    for (let k = 0; k < K; k++) touched.push(k);
    for (let i = patterns.start[p]; i < patterns.start[p + 1]; i++)
      if (place[patterns.rules[i]] >= 0) touched.push(place[patterns.rules[i]]);
    start[p + 1] = touched.length;
  }
  const offsets = Array.from({ length: K }, (_, k) => k);
  const outputOf = Int32Array.from([...offsets, ...free.map((rule) => outputs[rule])]);
  return { free, outputOf, start, touched: Int32Array.from(touched) };
});

const slopesOfA = new Float64Array(3);
const slopesOfB = new Float64Array(3);

/**
 * The derivatives of a pattern's losses in its scores.
 * @param {Loss} loss
 * @param {GroupSums} sums
 * @param {Float64Array} scores
 * @param {number} p
 * @param {Float64Array} slope
 * @param {Float64Array} curvature
 */
function setSlopes(loss, { K, w, wy }, scores, p, slope, curvature) {
  if (loss.readout === "softmax") {
    logSumExp(scores, p * K, K, slope);
    for (let k = 0; k < K; k++)
      for (let l = 0; l < K; l++)
        curvature[k * K + l] = w[p] * (k === l ? slope[k] * (1 - slope[k]) : -slope[k] * slope[l]);
    for (let k = 0; k < K; k++) slope[k] = w[p] * slope[k] - wy[p * K + k];
    return;
  }
  loss.a(scores[p], slopesOfA);
  if (wy[p] === 0) slopesOfB.fill(0);
  else loss.b(scores[p], slopesOfB);
  slope[0] = w[p] * slopesOfA[1] - wy[p] * slopesOfB[1];
  curvature[0] = Math.max(
    w[p] * slopesOfA[2] - wy[p] * slopesOfB[2],
    loss.readout === "exponential" ? FLATTEST * w[p] * slopesOfA[1] : 0,
  );
}

/**
 * Halve a step until the objective falls as it should; null if there is nothing to gain.
 * @param {ReturnType<typeof makeObjective>} objective
 * @param {Float64Array} theta
 * @param {number} value
 * @param {Float64Array} direction
 * @param {number} decrement
 */
function searchLine(objective, theta, value, direction, decrement) {
  let length = 1;
  // A step may lead far beyond the range of the exponential: the way back to it is not counted.
  for (let halvings = 0; halvings < MOST_HALVINGS && length > 0; length /= 2) {
    const trial = stepFrom(theta, direction, length);
    const next = objective.value(trial);
    if (next <= value - 1e-4 * length * decrement) return { theta: trial, value: next };
    if (Number.isFinite(next)) halvings++;
  }
  return null;
}

/**
 * Solve a positive definite system, of which the lower triangle is given, by Cholesky's method. A
 * number that depends on others does not move.
 * @param {Float64Array} matrix
 * @param {Float64Array} right
 */
function solveSystem(matrix, right) {
  const m = right.length;
  const L = matrix;
  for (let j = 0; j < m; j++) {
    const diagonal = matrix[j * m + j];
    let pivot = diagonal;
    for (let k = 0; k < j; k++) pivot -= L[j * m + k] * L[j * m + k];
    const root = pivot > 1e-13 * diagonal && pivot > 0 ? Math.sqrt(pivot) : 1e150;
    L[j * m + j] = root;
    for (let i = j + 1; i < m; i++) {
      let rest = matrix[i * m + j];
      for (let k = 0; k < j; k++) rest -= L[i * m + k] * L[j * m + k];
      L[i * m + j] = rest / root;
    }
  }
  const x = Float64Array.from(right);
  for (let i = 0; i < m; i++) {
    for (let k = 0; k < i; k++) x[i] -= L[i * m + k] * x[k];
    x[i] /= L[i * m + i];
  }
  for (let i = m - 1; i >= 0; i--) {
    for (let k = i + 1; k < m; k++) x[i] -= L[k * m + i] * x[k];
    x[i] /= L[i * m + i];
  }
  return x;
}

/**
 * @param {Float64Array} theta
 * @param {Float64Array} direction
 * @param {number} length
 */
function stepFrom(theta, direction, length) {
  return theta.map((x, c) => x - length * direction[c]);
}

/**
 * @param {Float64Array} direction
 * @param {Float64Array} theta
 */
function isSmallStep(direction, theta) {
  return direction.every((step, c) => Math.abs(step) <= SMALL_STEP * (1 + Math.abs(theta[c])));
}

/**
 * @param {Float64Array} a
 * @param {Float64Array} b
 */
function innerProduct(a, b) {
  return a.reduce((total, x, k) => total + x * b[k], 0);
}
