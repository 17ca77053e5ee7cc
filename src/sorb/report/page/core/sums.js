// From cells to patterns: rows that the same rules cover are alike to the votes, so their sums are
// all that a refit and every measure need.

import { remembered } from "./remember.js";

/** @typedef {import("../types.d.ts").Cells} Cells */
/** @typedef {import("../types.d.ts").Sums} Sums */
/** @typedef {import("../types.d.ts").Size} Size */

/**
 * Which part of a rule stands where: places in the size's propositions, and the cut of each.
 * @typedef {object} CutRule
 * @property {number[]} propositions
 * @property {number[]} cuts
 */

/**
 * @typedef {object} Patterns
 * @property {number} count
 * @property {Int32Array} ofCell the pattern of each cell
 * @property {Int32Array} start for each pattern, where its part of `rules` starts; at last the end
 * @property {number[]} rules the places of the rules that cover each pattern, one after the other
 */

/**
 * Sums by group of rows (patterns, or cells), one for each group; `wy` has K for each group one
 * after the other: Σwy, or of more than two classes the weight of each class.
 * @typedef {object} GroupSums
 * @property {number} count
 * @property {number} K
 * @property {Float64Array} n
 * @property {Float64Array} w
 * @property {Float64Array} wy
 * @property {number} total Σw
 * @property {number} constant Σ w·c(y) of all folds, the part of the losses that no score changes
 */

const LEVELS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const UNKNOWN = 255;
const LEVEL_OF_CODE = new Uint8Array(128).fill(UNKNOWN);
[...LEVELS].forEach((letter, level) => {
  LEVEL_OF_CODE[letter.charCodeAt(0)] = level;
});

// The level of each cell for a proposition; 255 where the value is unknown.
const levelsOf = remembered((/** @type {Cells} */ cells, /** @type {number} */ proposition) => {
  const text = cells.levels[proposition];
  return Uint8Array.from({ length: text.length }, (_, cell) => LEVEL_OF_CODE[text.charCodeAt(cell)]);
});

/**
 * In which cells a rule is true.
 * @param {Size} size
 * @param {CutRule} rule
 * @returns {Uint8Array}
 */
export function coveredCells(size, rule) {
  const covered = new Uint8Array(size.cells.n_cells).fill(1);
  rule.propositions.forEach((proposition, place) => {
    const level = levelsOf(size.cells, proposition);
    const cut = rule.cuts[place];
    const missing = size.propositions[proposition].document.missing ? 1 : 0;
    for (let cell = 0; cell < covered.length; cell++)
      covered[cell] &= level[cell] === UNKNOWN ? missing : Number(level[cell] > cut);
  });
  return covered;
}

/**
 * Put cells together that the same rules cover.
 * @param {number} nCells
 * @param {Uint8Array[]} covered for each rule, the cells that it covers
 * @returns {Patterns}
 */
export function patternsOf(nCells, covered) {
  const ofCell = new Int32Array(nCells);
  let count = nCells > 0 ? 1 : 0;
  for (const cells of covered) {
    // Each pattern falls into the cells that the rule covers and those that it does not.
    const numbers = new Int32Array(2 * count).fill(-1);
    count = 0;
    for (let cell = 0; cell < nCells; cell++) {
      const part = 2 * ofCell[cell] + cells[cell];
      if (numbers[part] < 0) numbers[part] = count++;
      ofCell[cell] = numbers[part];
    }
  }
  const start = new Int32Array(count + 1);
  /** @type {number[]} */
  const rules = [];
  // Patterns are counted in the order of their first cells.
  for (let cell = 0, next = 0; next < count; cell++) {
    if (ofCell[cell] !== next) continue;
    covered.forEach((cells, rule) => {
      if (cells[cell]) rules.push(rule);
    });
    start[++next] = rules.length;
  }
  return { count, ofCell, start, rules };
}

/**
 * Each cell by itself.
 * @param {number} nCells
 * @returns {Int32Array}
 */
export function eachCell(nCells) {
  return Int32Array.from({ length: nCells }, (_, cell) => cell);
}

/**
 * Add sums up by group; `fold` leaves out all other folds, and `withoutFold` this one.
 * @param {Sums} sums
 * @param {Int32Array} groupOfCell
 * @param {number} count how many groups there are
 * @param {{ fold?: number, withoutFold?: number }} [which]
 * @returns {GroupSums}
 */
export function pool(sums, groupOfCell, count, which = {}) {
  const columns = sums.by_class ?? [sums.wy ?? []];
  const K = columns.length;
  const weights = sums.w ?? sums.n;
  const n = new Float64Array(count);
  const w = new Float64Array(count);
  const wy = new Float64Array(count * K);
  let total = 0;
  for (let entry = 0; entry < sums.cell.length; entry++) {
    const fold = sums.fold?.[entry];
    if (which.fold !== undefined && fold !== which.fold) continue;
    if (which.withoutFold !== undefined && fold === which.withoutFold) continue;
    const group = groupOfCell[sums.cell[entry]];
    n[group] += sums.n[entry];
    w[group] += weights[entry];
    total += weights[entry];
    for (let k = 0; k < K; k++) wy[group * K + k] += columns[k][entry];
  }
  return { count, K, n, w, wy, total, constant: sums.constant ?? 0 };
}

/** @param {ArrayLike<number>} values */
export function totalOf(values) {
  let total = 0;
  for (let k = 0; k < values.length; k++) total += values[k];
  return total;
}
