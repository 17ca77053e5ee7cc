// What a change did to whom: the rows of which another class is predicted, or another number.

import { cellScores, draftModel, judgeDraft, presentRules } from "./drafts.js";
import { lossOf } from "./losses.js";
import { decidedClasses, judge, riskOf } from "./measures.js";
import { predictOutcome, scoreRow } from "./model.js";
import { eachCell, pool, totalOf } from "./sums.js";

/** @typedef {import("../types.d.ts").Column} Column */
/** @typedef {import("../types.d.ts").Rows} Rows */
/** @typedef {import("../types.d.ts").Size} Size */
/** @typedef {import("../types.d.ts").Sums} Sums */
/** @typedef {import("./drafts.js").Draft} Draft */
/** @typedef {import("./measures.js").Judged} Judged */

/**
 * @typedef {object} Moves
 * @property {number} n the number of rows
 * @property {number | null} reclassified how many get another class; null for numbers
 * @property {number[][] | null} table rows by their class before and after; null for numbers
 * @property {number} largest how much the prediction of a row changes at most,
 * @property {number} mean and on average: of two classes the probability of the second
 */

/**
 * The same names as in Python's logs.
 * @typedef {object} Effect
 * @property {number} n_rows
 * @property {number | null} reclassified
 * @property {number[]} first_rows
 * @property {number} largest_change
 * @property {number} mean_change
 * @property {number} risk_before
 * @property {number} risk_after
 * @property {[number, number, number][]} votes number, vote before, vote after
 */

const MOST_ROWS_NAMED = 20;

/**
 * Who moves between two drafts; null if there are no rows. Of two classes, rows count as positive
 * above the cut-off, or where they are more probable if it is null.
 * @param {Size} size
 * @param {Draft} before
 * @param {Draft} after
 * @param {Sums | null} sums
 * @param {number | null} cutoff
 * @returns {Moves | null}
 */
export function whoMoves(size, before, after, sums, cutoff) {
  if (sums === null) return null;
  const cells = pool(sums, eachCell(size.cells.n_cells), size.cells.n_cells);
  const loss = lossOf(size.model);
  const [old, now] = [before, after].map((draft) =>
    judge(loss, cells, cellScores(size, draft), size.cells.shift),
  );
  const { largest, mean } = changesOf(old, now);
  const classes = size.model.classes?.length ?? 0;
  const table = loss.hasClasses && classes > 1 ? movesTable(old, now, cutoff, classes) : null;
  const stay = table === null ? 0 : totalOf(table.map((line, k) => line[k]));
  const n = totalOf(cells.n);
  return { n, reclassified: loss.hasClasses ? (table === null ? 0 : n - stay) : null, table, largest, mean };
}

/**
 * What the log says of a change.
 * @param {Size} size
 * @param {Draft} before
 * @param {Draft} after
 * @param {Rows | null} rows
 * @param {Column[]} columns
 * @returns {Effect}
 */
export function effectOf(size, before, after, rows, columns) {
  const { training } = size.cells;
  const moves = whoMoves(size, before, after, training, null);
  if (moves === null) throw new Error("a model has training rows");
  return {
    n_rows: moves.n,
    reclassified: moves.reclassified,
    first_rows: movedRows(size, before, after, rows, columns).slice(0, MOST_ROWS_NAMED),
    largest_change: moves.largest,
    mean_change: moves.mean,
    risk_before: riskOf(judgeDraft(size, before, training)),
    risk_after: riskOf(judgeDraft(size, after, training)),
    votes: movedVotes(before, after),
  };
}

/**
 * The rules whose votes are others now, with both.
 * @param {Draft} before
 * @param {Draft} after
 * @returns {[number, number, number][]}
 */
export function movedVotes(before, after) {
  return presentRules(after).flatMap(({ rule, number }) => {
    const was = before.rules[number]?.vote ?? 0;
    /** @type {[number, number, number][]} */
    const moved = was === rule.vote ? [] : [[number, was, rule.vote]];
    return moved;
  });
}

/**
 * The numbers of the training rows of the page that get another class; of numbers, the one that
 * changes most.
 * @param {Size} size
 * @param {Draft} before
 * @param {Draft} after
 * @param {Rows | null} rows
 * @param {Column[]} columns
 * @returns {number[]}
 */
function movedRows(size, before, after, rows, columns) {
  if (rows === null) return [];
  const models = [before, after].map((draft) => draftModel(size, draft));
  /** @type {number[]} */
  const moved = [];
  let largest = 0;
  rows.number.forEach((number, place) => {
    if (rows.split[place] !== "training") return;
    const row = rowAt(rows, columns, place);
    const [old, now] = models.map((model) => predictOutcome(model, scoreRow(model, row).scores));
    if (old.index !== now.index) moved.push(number);
    const change = Math.abs(old.expected[0] - now.expected[0]);
    if (old.index === null && change > largest) {
      largest = change;
      moved[0] = number;
    }
  });
  return moved;
}

/**
 * A row of the page by the names of its columns.
 * @param {Rows} rows
 * @param {Column[]} columns
 * @param {number} place
 */
export function rowAt(rows, columns, place) {
  return new Map(columns.map((column, k) => [column.name, rows.values[k][place]]));
}

/**
 * @param {Judged} old
 * @param {Judged} now
 */
function changesOf(old, now) {
  const { sums } = old;
  const { K } = sums;
  let largest = 0;
  let total = 0;
  for (let g = 0; g < sums.count; g++) {
    if (sums.w[g] === 0) continue;
    let change = 0;
    for (let k = g * K; k < g * K + K; k++)
      change = Math.max(change, Math.abs(now.expected[k] - old.expected[k]));
    largest = Math.max(largest, change);
    total += sums.w[g] * change;
  }
  return { largest, mean: total / sums.total };
}

/**
 * @param {Judged} old
 * @param {Judged} now
 * @param {number | null} cutoff
 * @param {number} classes
 */
function movesTable(old, now, cutoff, classes) {
  const [from, to] = [old, now].map((judged) => decidedClasses(judged, cutoff));
  const table = Array.from({ length: classes }, () => new Array(classes).fill(0));
  for (let g = 0; g < from.length; g++) table[from[g]][to[g]] += old.sums.n[g];
  return table;
}
