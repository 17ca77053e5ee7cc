import assert from "node:assert/strict";
import test from "node:test";

import {
  areaUnderRoc, calibrationBins, precisionRecallCurve, rankGroups, rocCurve,
} from "../../../src/sorb/report/page/core/curves.js";
import { draftOf, judgeDraft } from "../../../src/sorb/report/page/core/drafts.js";
import { applyChange, currentDraft, startEditing } from "../../../src/sorb/report/page/core/edits.js";
import { whoMoves } from "../../../src/sorb/report/page/core/effects.js";
import { measure } from "../../../src/sorb/report/page/core/measures.js";
import { smallSize } from "./models.js";

const SIGNED = { reason: "", author: "", time: "" };
const NO_ROWS = { cell: [], n: [], wy: [] };

function twoClasses() {
  const size = smallSize();
  Object.assign(size.model, { loss: "logistic", classes: ["no", "yes"] });
  size.cells.training = { cell: [0, 1, 2, 3], fold: [0, 1, 0, 1], n: [10, 10, 10, 10], wy: [1, 3, 5, 8] };
  return size;
}

test("no rows have no measures", () => {
  const size = twoClasses();
  assert.equal(measure(judgeDraft(size, draftOf(size), NO_ROWS), 0.5), null);
  assert.equal(whoMoves(size, draftOf(size), draftOf(size), null, 0.5), null);
});

test("rows of one class have no curves", () => {
  const size = twoClasses();
  const judged = judgeDraft(size, draftOf(size), { cell: [0, 3], n: [4, 6], wy: [0, 0] });
  const ranked = rankGroups(judged);
  assert.equal(areaUnderRoc(ranked), null);
  assert.deepEqual(rocCurve(ranked), []);
  assert.deepEqual(precisionRecallCurve(ranked), []);
  const { auc, sensitivity, specificity } = measure(judged, 0.5);
  assert.deepEqual([auc, sensitivity, specificity], [null, null, 0]);
});

test("groups of which the same is expected are one", () => {
  const size = twoClasses();
  const dropped = applyChange(startEditing(size), { change: "drop", rule: 1, ...SIGNED });
  const ranked = rankGroups(judgeDraft(size, currentDraft(dropped), size.cells.training));
  assert.deepEqual(ranked.positive, [13, 4]);
  assert.deepEqual(ranked.negative, [7, 16]);
});

test("who moves depends on the cut-off", () => {
  const size = twoClasses();
  const before = draftOf(size);
  const after = currentDraft(applyChange(startEditing(size), { change: "drop", rule: 0, ...SIGNED }));
  const [low, high] = [0.05, 0.75].map((cutoff) =>
    whoMoves(size, before, after, size.cells.training, cutoff));
  assert.equal(low.reclassified, 0);
  assert.equal(high.n, 40);
  // Before, ages of 50 and 70 are above (0.88 and 0.95); then only 70 is (0.8, all others 0.3).
  assert.deepEqual(high.table, [[20, 0], [10, 10]]);
  assert.equal(high.reclassified, 10);
});

test("an expectation too large for a number is infinitely bad, but breaks nothing", () => {
  const size = smallSize();
  size.model.loss = "poisson";
  size.cells.training.constant = 0;
  const state = applyChange(startEditing(size), { change: "pin", rule: 0, vote: 900, ...SIGNED });
  const judged = judgeDraft(size, currentDraft(state), size.cells.training);
  assert.deepEqual(calibrationBins(judged), []);
  const { risk, calibrationError } = measure(judged, null);
  assert.deepEqual([risk, calibrationError], [Infinity, Infinity]);
});
