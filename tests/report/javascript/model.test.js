import assert from "node:assert/strict";
import test from "node:test";

import { decide, isSameLabel, predictOutcome, scoreRow } from "../../../src/sorb/report/page/core/model.js";
import { logistic } from "./models.js";

const TWO = logistic([]);
const THREE = { ...TWO, loss: "softmax", classes: ["x", "y", "z"], offset: [0, 0, 0] };

test("among equally probable classes the first is predicted", () => {
  assert.equal(predictOutcome(TWO, [0]).index, 0);
  assert.equal(predictOutcome(TWO, [1e-300]).index, 1);
  assert.equal(predictOutcome(THREE, [1, 2, 2]).index, 1);
});

test("a single class is certain, and numbers have no class", () => {
  assert.deepEqual(predictOutcome({ ...TWO, classes: ["only"] }, [3]), { expected: [1], index: 0 });
  assert.deepEqual(predictOutcome({ ...TWO, loss: "squared", classes: null }, [3]), { expected: [3], index: null });
});

test("a probability that equals the cut-off is not above it", () => {
  const { expected } = predictOutcome(TWO, [-1]);
  assert.equal(decide(TWO, [-1], expected[1]), 0);
  assert.equal(decide(TWO, [-1], expected[1] * 0.999), 1);
  assert.equal(decide(TWO, [-1], null), 0);
  assert.equal(decide(THREE, [1, 0, 0], 0.9), 0);
});

test("labels compare as in Python", () => {
  assert.ok(isSameLabel(true, 1) && isSameLabel(false, 0) && isSameLabel("a", "a"));
  assert.ok(!isSameLabel("1", 1) && !isSameLabel(true, "true"));
});

test("what a row does not have is missing", () => {
  const known = { kind: "membership", column: "a", categories: [], negated: true, missing: false };
  const model = logistic([known, { ...known, negated: false, missing: true }]);
  assert.deepEqual(scoreRow(model, new Map()).rules, [false, true]);
  for (const value of [null, Number.NaN, undefined])
    assert.deepEqual(scoreRow(model, new Map([["a", value]])).rules, [false, true]);
  assert.deepEqual(scoreRow(model, new Map([["a", 0]])).rules, [true, false]);
});
