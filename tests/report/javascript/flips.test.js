import assert from "node:assert/strict";
import test from "node:test";

import { smallestFlips } from "../../../src/sorb/report/page/core/flips.js";
import { decide, scoreRow } from "../../../src/sorb/report/page/core/model.js";
import { formatPlain } from "../../../src/sorb/report/page/core/numbers.js";
import { column, logistic, randomModel, randomRow, seeded } from "./models.js";

const COLUMNS = [
  column("a", [-3, 3], 0.1), column("b", [-1, 8], 0.25), { ...column("c", [0, 5], 1), whole: true },
  {
    ...column("d"), kind: "category",
    categories: [{ label: "x", share: 0.6 }, { label: "y", share: 0.3 }, { label: "z", share: 0.1 }],
  },
];

const CLOSE = 0.004;

// Values much closer to each other than those of a control, the nearest first.
function everyValue({ range, categories, typical, whole }, from) {
  if (categories) return categories.map(({ label }) => label).filter((label) => label !== from);
  const start = from ?? typical;
  const step = whole ? 1 : CLOSE;
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

function isAsNear(found, best, { categories, typical, whole }, from) {
  if (categories || whole || best === undefined) return found === best;
  const start = from ?? typical;
  const [ours, nearest] = [Math.abs(found - start), Math.abs(best - start)];
  // Values of three digits are a hundredth of themselves apart, but those next to 0 a whole step.
  const apart = Math.abs(best) < 2 * CLOSE ? 0.25 : 0.01 * Math.abs(best) + CLOSE;
  return ours >= nearest - CLOSE && ours <= nearest + apart;
}

test("the smallest flips are about those of all values", () => {
  let [rules, decisions] = [0, 0];
  for (let seed = 0; seed < 150; seed++) {
    const random = seeded(seed);
    const model = randomModel(random);
    const row = randomRow(random);
    const cutoff = seed % 2 ? 0.3 : null;
    const flipsRule = (before, after) => before.rules.some((covers, k) => covers !== after.rules[k]);
    const flipsDecision = (before, after) =>
      decide(model, before.scores, cutoff) !== decide(model, after.scores, cutoff);
    for (const [k, found] of smallestFlips(model, row, COLUMNS, cutoff).entries()) {
      const from = row.get(found.column) ?? null;
      const rule = firstFlip(model, row, COLUMNS[k], cutoff, flipsRule);
      const decision = firstFlip(model, row, COLUMNS[k], cutoff, flipsDecision);
      const where = `seed ${seed}, column ${found.column}`;
      assert.ok(isAsNear(found.rule?.to, rule, COLUMNS[k], from), `${where}: ${found.rule?.to}, ${rule}`);
      assert.ok(isAsNear(found.decision?.to, decision, COLUMNS[k], from), `${where}: ${found.decision?.to}, ${decision}`);
      rules += Number(rule !== undefined);
      decisions += Number(decision !== undefined);
    }
  }
  assert.ok(rules > 150 && decisions > 50);
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
  assert.equal(up.rule.to, 1.24);
  const [down] = smallestFlips(model, new Map([["a", 2.5]]), [COLUMNS[0]], null);
  assert.equal(down.rule.to, 1.23);
});

test("a threshold that is small beside the range is crossed closely", () => {
  const above = (threshold) => logistic([{ kind: "linear", columns: ["a"], weights: [1], threshold }]);
  const flip = (threshold, from, control) =>
    smallestFlips(above(threshold), new Map([["a", from]]), [control], null)[0].decision?.to;
  const wide = column("a", [0.01, 10_000], 100);
  assert.equal(flip(3.7182, 0.5, wide), 3.72);
  assert.equal(flip(3.7182, 12, wide), 3.71);
  assert.equal(flip(0.0302, 12, wide), 0.0301);
  const whole = { ...column("a", [0, 99_999], 1000), whole: true };
  assert.equal(flip(1537, 20, whole), 1537);
  assert.equal(flip(1537, 2000, whole), 1536);
  // Nothing that training saw is left out at the ends, nor far from zero.
  assert.equal(flip(9_999.7, 12, { ...wide, range: [0.01, 9_999.9] }), 9_999.9);
  assert.equal(flip(1_000_000.374, 1_000_000.1, column("a", [999_997, 1_000_003], 0.05)), 1_000_000.4);
});

test("nothing flips what no rule asks for, nor beyond what training saw", () => {
  const model = logistic([{ kind: "linear", columns: ["a"], weights: [1], threshold: 99 }]);
  const found = smallestFlips(model, new Map([["a", 0.5], ["b", 1]]), COLUMNS, null);
  assert.ok(found.every(({ rule, decision }) => rule === null && decision === null));
});
