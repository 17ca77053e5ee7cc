// The losses: loss(y, f) = a(f) − b(f)·y + c(y). Sums over rows with the same score f need only
// their Σw and Σwy, whatever a and b are; c(y) never changes.

/** @typedef {import("../types.d.ts").ModelDocument} ModelDocument */
/** @typedef {"identity" | "exponential" | "sigmoid" | "softmax"} Readout */

/**
 * A loss of one score; `a` sets `out` to [a, a′, a″] at a score, and `b` to [b, b′, b″].
 * @typedef {object} Loss
 * @property {string} name
 * @property {Readout} readout
 * @property {boolean} hasClasses
 * @property {(f: number, out: Float64Array) => void} a
 * @property {(f: number, out: Float64Array) => void} b
 */

/** @type {(f: number, out: Float64Array) => void} */
const theScore = (f, out) => {
  out[0] = f;
  out[1] = 1;
  out[2] = 0;
};

/** @type {Record<string, (power: number) => Loss>} */
const LOSSES = {
  squared: () => ({
    name: "squared", readout: "identity", hasClasses: false, b: theScore,
    a(f, out) {
      out[0] = 0.5 * f * f;
      out[1] = f;
      out[2] = 1;
    },
  }),
  logistic: () => ({
    name: "logistic", readout: "sigmoid", hasClasses: true, b: theScore,
    a(f, out) {
      const p = sigmoid(f);
      out[0] = Math.max(f, 0) + Math.log1p(Math.exp(-Math.abs(f)));
      out[1] = p;
      out[2] = p * (1 - p);
    },
  }),
  poisson: () => ({
    name: "poisson", readout: "exponential", hasClasses: false, b: theScore,
    a(f, out) {
      out.fill(Math.exp(f));
    },
  }),
  gamma: () => ({
    name: "gamma", readout: "exponential", hasClasses: false, a: theScore,
    b(f, out) {
      out[1] = Math.exp(-f);
      out[0] = out[2] = -out[1];
    },
  }),
  tweedie: (power) => ({
    name: "tweedie", readout: "exponential", hasClasses: false,
    a: powerOf(2 - power),
    b: powerOf(1 - power),
  }),
  // a and b of several scores are in `logSumExp`: b of each is the score itself.
  softmax: () => ({
    name: "softmax", readout: "softmax", hasClasses: true, a: noSingleScore, b: noSingleScore,
  }),
};

/**
 * e^(k·f)/k and its derivatives.
 * @param {number} k
 * @returns {(f: number, out: Float64Array) => void}
 */
function powerOf(k) {
  return (f, out) => {
    out[1] = Math.exp(k * f);
    out[0] = out[1] / k;
    out[2] = k * out[1];
  };
}

/** @returns {never} */
function noSingleScore() {
  throw new Error("softmax has a score for each class");
}

/**
 * The loss of a model.
 * @param {Pick<ModelDocument, "loss" | "power">} model
 * @returns {Loss}
 */
export function lossOf(model) {
  return LOSSES[model.loss](model.power ?? Number.NaN);
}

/** @param {number} f */
export function sigmoid(f) {
  const e = Math.exp(-Math.abs(f));
  return f >= 0 ? 1 / (1 + e) : e / (1 + e);
}

/**
 * log Σ e^f of K scores from `at` on, whose shares it writes to `shares`.
 * @param {ArrayLike<number>} scores
 * @param {number} at
 * @param {number} K
 * @param {Float64Array | number[]} shares
 */
export function logSumExp(scores, at, K, shares) {
  let top = scores[at];
  for (let k = 1; k < K; k++) top = Math.max(top, scores[at + k]);
  let total = 0;
  for (let k = 0; k < K; k++) total += shares[k] = Math.exp(scores[at + k] - top);
  for (let k = 0; k < K; k++) shares[k] /= total;
  return top + Math.log(total);
}

/**
 * What is expected at the scores of a row: [the expected number], [the probability of the second
 * class], or the probability of each of more classes.
 * @param {Loss} loss
 * @param {ArrayLike<number>} scores
 * @returns {number[]}
 */
export function expectedAt(loss, scores) {
  switch (loss.readout) {
    case "identity":
      return [scores[0]];
    case "exponential":
      return [Math.exp(scores[0])];
    case "sigmoid":
      return [sigmoid(scores[0])];
    case "softmax": {
      const shares = new Array(scores.length).fill(0);
      logSumExp(scores, 0, scores.length, shares);
      return shares;
    }
  }
}
