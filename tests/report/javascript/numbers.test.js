import assert from "node:assert/strict";
import test from "node:test";

import { formatCount, formatNumber, formatPercent } from "../../../src/sorb/report/page/core/numbers.js";

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
