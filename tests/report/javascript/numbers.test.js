import assert from "node:assert/strict";
import test from "node:test";

import {
  decimalsThatAddUp,
  formatColumn,
  formatCount,
  formatDecimals,
  formatNumber,
  formatPercent,
} from "../../../src/sorb/report/page/core/numbers.js";

test("shares that are neither nothing nor all do not look so", () => {
  const shares = [0, 1, 0.5, 0.1234, 0.0004, 0.9996, -0.25, -0.00001];
  assert.deepEqual(shares.map((share) => formatPercent(share)), [
    "0 %", "100 %", "50 %", "12.3 %", "< 0.1 %", "> 99.9 %", "−25 %", "0 %",
  ]);
  assert.deepEqual([0.004, 0.996, 0.126].map((share) => formatPercent(share, 0)), ["< 1 %", "> 99 %", "13 %"]);
});

test("what is no finite number", () => {
  assert.deepEqual([NaN, Infinity, -Infinity].map((x) => formatNumber(x)), ["unknown", "∞", "−∞"]);
});

test("counts", () => {
  assert.deepEqual([0, 1, 2].map((n) => formatCount(n, "rule")), ["0 rules", "1 rule", "2 rules"]);
});

test("numbers of a column have the same number of decimals", () => {
  assert.deepEqual(formatColumn([0.77, 0.70812, null, -0.00001]), ["0.7700", "0.7081", "–", "0.0000"]);
  assert.deepEqual(formatColumn([1234.5, 0.25]), ["1235", "0"]);
  assert.deepEqual(formatColumn([12, 3, 0]), ["12", "3", "0"]);
  assert.deepEqual(formatColumn([1.5, 0.25, -3]), ["1.50", "0.25", "−3.00"]);
  assert.deepEqual(formatColumn([2e-7, 1e-9]), ["2e−7", "1e−9"]);
  assert.deepEqual(formatColumn([Infinity, 0.5]), ["∞", "0.5"]);
  assert.deepEqual(formatColumn([]), []);
});

test("parts add up as they are written, or are said not to", () => {
  const parts = [3.994, -5.416];
  const { decimals, addUp } = decimalsThatAddUp(parts, -1.422, 3);
  assert.deepEqual([decimals, addUp], [3, true]);
  assert.deepEqual(parts.map((part) => formatDecimals(part, decimals)), ["3.994", "−5.416"]);
  assert.deepEqual(decimalsThatAddUp([1.5, -2], -0.5, 3), { decimals: 1, addUp: true });
  const thirds = [4 / 9, 4 / 9, 4 / 9];
  assert.deepEqual(decimalsThatAddUp(thirds, 12 / 9, 3), { decimals: 2, addUp: false });
  assert.deepEqual(decimalsThatAddUp([1e300, 1], 1e300, 3), { decimals: null, addUp: false });
});
