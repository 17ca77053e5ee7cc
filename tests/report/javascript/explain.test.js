import assert from "node:assert/strict";
import test from "node:test";

import { predictionInWords, principalReasons, waterfall } from "../../../src/sorb/report/page/core/explain.js";
import { predictOutcome, scoreRow } from "../../../src/sorb/report/page/core/model.js";
import { logistic, randomModel, randomRow, seeded } from "./models.js";

const atLeast = (threshold) => ({ kind: "linear", columns: ["a"], weights: [1], threshold });
const OUTCOME = {
  name: "state", predicted: "probability of yes", vote: "log-odds of yes", unit: null,
  class_names: ["no", "yes"],
};
const view = (words, coverage) => ({ words, coverage });

test("a waterfall leads from the offset to what is predicted, step by step", () => {
  for (let seed = 0; seed < 100; seed++) {
    const random = seeded(seed);
    const model = randomModel(random);
    const scored = scoreRow(model, randomRow(random));
    const steps = waterfall(model, scored);
    assert.equal(steps.length, 1 + scored.rules.filter(Boolean).length);
    assert.equal(steps.at(-1).to, scored.scores[0]);
    assert.equal(steps.at(-1).expectedTo, predictOutcome(model, scored.scores).expected[1]);
    for (let k = 1; k < steps.length; k++) {
      assert.equal(steps[k].from, steps[k - 1].to);
      assert.equal(steps[k].expectedFrom, steps[k - 1].expectedTo);
      assert.ok(Math.abs(steps[k].to - steps[k].from - steps[k].vote) < 1e-9);
    }
  }
});

test("with more classes, votes for others lower the probability", () => {
  const model = {
    ...logistic([atLeast(0), atLeast(1)]), loss: "softmax", classes: ["x", "y", "z"], offset: [0, 0, 0],
  };
  model.rules[1].output = 2;
  const [start, own, other] = waterfall(model, scoreRow(model, new Map([["a", 2]])), 0);
  assert.ok(Math.abs(start.expectedTo - 1 / 3) < 1e-12);
  assert.ok(own.expectedTo > own.expectedFrom);
  assert.ok(other.expectedTo < other.expectedFrom && other.to === other.from);
});

test("reasons are what moves a row away from the average, at most four, merged by their words", () => {
  const model = logistic([0, 1, 2, 3, 4, 5].map(atLeast), [1, -2, 3, -1, 0.5, 1]);
  const rules = ["old", "calm", "old", "poor", "tall", "far"].map((words) => view(words, 0.5));
  const scored = scoreRow(model, new Map([["a", 2.5]])); // the first three rules cover it
  const higher = principalReasons(model, rules, scored);
  assert.deepEqual(higher.map(({ words, holds, push }) => [words, holds, push]), [
    ["old", true, 2], ["poor", false, 0.5],
  ]);
  assert.deepEqual(higher[0].rules, [0, 2]);
  const lower = principalReasons(model, rules, scored, { upwards: false });
  assert.deepEqual(lower.map((reason) => reason.words), ["calm", "far", "tall"]);
  const many = logistic([0, 0, 0, 0, 0, 0].map(atLeast));
  const views = [1, 2, 3, 4, 5, 6].map((k) => view(`part ${k}`, k / 10));
  const strongest = principalReasons(many, views, scoreRow(many, new Map([["a", 1]])));
  assert.deepEqual(strongest.map((reason) => reason.words), ["part 1", "part 2", "part 3", "part 4"]);
});

test("a prediction in words", () => {
  const model = logistic([atLeast(0), atLeast(1), atLeast(9)], [2, -3, 1]);
  const rules = ["old", "calm", "far"].map((words) => view(words, 0.5));
  assert.equal(
    predictionInWords(model, OUTCOME, rules, scoreRow(model, new Map([["a", 2]]))),
    "The probability of yes is 11.9 %. Two of the three rules cover this row. The largest vote comes from: calm.",
  );
  assert.equal(
    predictionInWords({ ...model, rules: [] }, OUTCOME, [], scoreRow({ ...model, rules: [] }, new Map())),
    "The probability of yes is 26.9 %. The model has no rules.",
  );
});
