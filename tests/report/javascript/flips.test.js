import assert from "node:assert/strict";
import test from "node:test";

import { smallestFlips, stepOf } from "../../../src/sorb/report/page/core/flips.js";
import { decide, scoreRow } from "../../../src/sorb/report/page/core/model.js";
import { formatPlain } from "../../../src/sorb/report/page/core/numbers.js";
import { column, logistic, randomModel, randomRow, seeded } from "./models.js";

const COLUMNS = [
  column("a", [-3, 3], 0.1), column("b", [-1, 8], 0.25), column("c", [0, 5], 1),
  {
    ...column("d"), kind: "category",
    categories: [{ label: "x", share: 0.6 }, { label: "y", share: 0.3 }, { label: "z", share: 0.1 }],
  },
];

// Every value of a control, the nearest first.
function everyValue({ range, step, categories, typical }, from) {
  if (categories) return categories.map(({ label }) => label).filter((label) => label !== from);
  const start = from ?? typical;
  const values = [];
  for (let k = Math.ceil(range[0] / step); k * step <= range[1] + 1e-9; k++)
    values.push(Number((k * step).toPrecision(12)));
  return values.filter((v) => v !== from).sort((p, q) => Math.abs(p - start) - Math.abs(q - start) || p - q);
}

function firstFlip(model, row, control, cutoff, flips) {
  const before = scoreRow(model, row);
  return everyValue(control, row.get(control.name) ?? null).find((to) => {
    const after = scoreRow(model, new Map(row).set(control.name, to));
    return flips(before, after, cutoff);
  });
}

test("the smallest flips are those of all values that a control can have", () => {
  let [rules, decisions] = [0, 0];
  for (let seed = 0; seed < 300; seed++) {
    const random = seeded(seed);
    const model = randomModel(random);
    const row = randomRow(random);
    const cutoff = seed % 2 ? 0.3 : null;
    const flipsRule = (before, after) => before.rules.some((covers, k) => covers !== after.rules[k]);
    const flipsDecision = (before, after) =>
      decide(model, before.scores, cutoff) !== decide(model, after.scores, cutoff);
    for (const [k, found] of smallestFlips(model, row, COLUMNS, cutoff).entries()) {
      const rule = firstFlip(model, row, COLUMNS[k], cutoff, flipsRule);
      const decision = firstFlip(model, row, COLUMNS[k], cutoff, flipsDecision);
      assert.equal(found.rule?.to, rule, `seed ${seed}, column ${found.column}`);
      assert.equal(found.decision?.to, decision, `seed ${seed}, column ${found.column}`);
      rules += Number(rule !== undefined);
      decisions += Number(decision !== undefined);
    }
  }
  assert.ok(rules > 300 && decisions > 100);
});

test("what is shown flips it when it is typed", () => {
  for (let seed = 0; seed < 100; seed++) {
    const random = seeded(seed);
    const model = randomModel(random);
    const row = randomRow(random);
    const before = scoreRow(model, row);
    for (const { column: name, rule } of smallestFlips(model, row, COLUMNS, null)) {
      if (rule === null || typeof rule.to !== "number") continue;
      const typed = Number(formatPlain(rule.to, null));
      const after = scoreRow(model, new Map(row).set(name, typed));
      assert.notDeepEqual(after.rules, before.rules);
      assert.ok(formatPlain(rule.to, null).length <= 6);
    }
  }
});

test("a threshold between two values of a control is crossed, not reached", () => {
  const model = logistic([{ kind: "linear", columns: ["a"], weights: [-1], threshold: -1.234 }]);
  const [up] = smallestFlips(model, new Map([["a", 0.5]]), [COLUMNS[0]], null);
  assert.equal(up.rule.to, 1.3);
  const [down] = smallestFlips(model, new Map([["a", 2.5]]), [COLUMNS[0]], null);
  assert.equal(down.rule.to, 1.2);
});

test("nothing flips what no rule asks for, nor beyond what training saw", () => {
  const model = logistic([{ kind: "linear", columns: ["a"], weights: [1], threshold: 99 }]);
  const found = smallestFlips(model, new Map([["a", 0.5], ["b", 1]]), COLUMNS, null);
  assert.ok(found.every(({ rule, decision }) => rule === null && decision === null));
});

test("a control without a step has one that suits its range", () => {
  assert.equal(stepOf({ ...column("a", [0, 250]), step: undefined }), 0.1);
  assert.equal(stepOf({ ...column("a", [0, 250]), step: undefined, whole: true }), 1);
});
