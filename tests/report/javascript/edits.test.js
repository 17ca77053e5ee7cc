import assert from "node:assert/strict";
import test from "node:test";

import { crossValidate } from "../../../src/sorb/report/page/core/drafts.js";
import {
  applyChange, currentDraft, editLog, editedModel, moveThreshold, redoChange, replayLog,
  startEditing, undoChange,
} from "../../../src/sorb/report/page/core/edits.js";
import { smallSize } from "./models.js";

const SIGNED = { reason: "because", author: "C. Ode", time: "2026-01-02T03:04:05Z" };
const drop = (rule) => ({ change: "drop", rule, ...SIGNED });
const forbid = (rule) => ({ change: "forbid", rule, ...SIGNED });
const pin = (rule, vote) => ({ change: "pin", rule, vote, ...SIGNED });

function isNear(found, wanted) {
  assert.equal(found.length, wanted.length);
  found.forEach((value, k) => assert.ok(Math.abs(value - wanted[k]) < 1e-12, `${found} ${wanted}`));
}

function numbersOf(state) {
  const model = editedModel(state);
  return [model.offset, ...model.rules.map((rule) => rule.weight)];
}

test("the votes that are left are the best ones", () => {
  const start = startEditing(smallSize());
  // Means of 1, 2 below 40 and of 4, 9 above.
  isNear(numbersOf(applyChange(start, drop(1))), [1.5, 5]);
  isNear(numbersOf(applyChange(start, drop(0))), [7 / 3, 9 - 7 / 3]);
  // With a vote of 2 at 40, the others are the means of what is left: 1, 2, 2 and 7.
  isNear(numbersOf(applyChange(start, pin(0, 2))), [5 / 3, 2, 7 - 5 / 3]);
  assert.equal(editedModel(applyChange(start, pin(0, 2))).rules[0].weight, 2);
});

test("a moved threshold changes who is covered", () => {
  const start = applyChange(startEditing(smallSize()), drop(1));
  const moved = applyChange(start, moveThreshold(start, 0, 0, 0, SIGNED));
  isNear(numbersOf(moved), [1, 4]);
  assert.equal(editedModel(moved).rules[0].condition[0].threshold, 20);
  const { effect } = editLog(moved, null, []).changes[1];
  assert.deepEqual(effect.first_rows, []);
  assert.ok(Math.abs(effect.largest_change - 3.5) < 1e-12);
  assert.equal(effect.n_rows, 4);
});

test("changes do not touch the state that they start from", () => {
  const start = startEditing(smallSize());
  const before = JSON.stringify(start);
  const changed = applyChange(applyChange(start, pin(1, 3)), drop(0));
  undoChange(changed);
  assert.equal(JSON.stringify(start), before);
});

test("votes that were looked at are not fitted again when the change is made", () => {
  const state = startEditing(smallSize());
  const looked = applyChange(state, drop(1));
  const made = applyChange(state, { ...drop(1), reason: "too small", author: "C. Ode" });
  assert.equal(currentDraft(made), currentDraft(looked));
  assert.equal(made.changes[0].reason, "too small");
  assert.notEqual(currentDraft(applyChange(state, drop(0))), currentDraft(looked));
});

test("undo and redo", () => {
  const start = startEditing(smallSize());
  const changed = applyChange(applyChange(start, pin(1, 3)), drop(0));
  const back = undoChange(undoChange(changed));
  assert.deepEqual(editedModel(back), editedModel(start));
  assert.deepEqual(undoChange(back), back);
  assert.deepEqual(redoChange(redoChange(back)), changed);
  assert.deepEqual(redoChange(changed), changed);
  assert.equal(applyChange(undoChange(changed), drop(0)).undone.length, 0);
});

test("a forbidden condition does not come back", () => {
  const state = applyChange(startEditing(smallSize()), forbid(0));
  assert.throws(() => applyChange(state, moveThreshold(state, 1, 0, 1, SIGNED)), /rule 2 .* forbidden/);
  assert.equal(numbersOf(applyChange(state, moveThreshold(state, 1, 0, 0, SIGNED))).length, 2);
  const dropped = applyChange(startEditing(smallSize()), drop(0));
  assert.equal(numbersOf(applyChange(dropped, moveThreshold(dropped, 1, 0, 1, SIGNED))).length, 2);
});

test("what cannot be changed is refused in words", () => {
  const state = applyChange(startEditing(smallSize()), drop(0));
  assert.throws(() => applyChange(state, drop(0)), /cannot drop rule 1: .* only 2/);
  assert.throws(() => applyChange(state, pin(7, 1)), /cannot pin rule 8/);
  assert.throws(() => applyChange(state, pin(1, Number.NaN)), /must be a number/);
  const elsewhere = moveThreshold(state, 1, 0, 0, SIGNED);
  elsewhere.condition[0] = { ...elsewhere.condition[0], threshold: 33 };
  assert.throws(() => applyChange(state, elsewhere), /does not offer/);
  const size = smallSize();
  size.cells.training.n[3] = 0;
  const empty = startEditing(size);
  assert.throws(() => applyChange(empty, moveThreshold(empty, 0, 0, 2, SIGNED)), /cover no row/);
});

test("a log is replayed on its own model alone", () => {
  const size = smallSize();
  const state = applyChange(applyChange(startEditing(size), pin(1, 3)), forbid(0));
  const log = JSON.parse(JSON.stringify(editLog(state, null, [])));
  assert.deepEqual(currentDraft(replayLog(size, log)), currentDraft(state));
  assert.deepEqual(log.changes.map(({ author, time, reason }) => ({ author, time, reason })), [SIGNED, SIGNED]);
  assert.throws(() => replayLog(size, { ...log, model: "other" }), /another model/);
  assert.throws(() => replayLog(size, { ...log, format: "csv" }), /not a log/);
  const fitted = editLog(applyChange(startEditing(size), pin(1, 3)), null, []);
  assert.throws(() => replayLog(size, { ...fitted, reg_lambda: 1 }), /not those that the rows/);
  for (const reg_lambda of [-1, "1"])
    assert.throws(() => replayLog(size, { ...log, reg_lambda }), /penalty .* not a number/);
  assert.throws(() => replayLog(size, { ...log, votes: [3.1] }), /not those that the rows/);
  assert.throws(() => replayLog(size, { ...log, votes: [] }), /not those that the rows/);
  const added = { change: "add", rule: { weight: 0, output: 0, condition: [] }, ...SIGNED };
  assert.throws(() => replayLog(size, { ...log, changes: [added] }), /no other changes/);
});

test("a log is replayed with its own penalty, and saved with it again", () => {
  const size = smallSize();
  const state = applyChange(startEditing({ ...size, reg_lambda: 1 }), pin(1, 3));
  const log = JSON.parse(JSON.stringify(editLog(state, null, [])));
  const replayed = replayLog(size, log);
  assert.deepEqual(editedModel(replayed), editedModel(state));
  assert.equal(editLog(replayed, null, []).reg_lambda, log.reg_lambda);
});

test("a log by hand needs no more than its changes, and no signatures", () => {
  const size = smallSize();
  const state = applyChange(startEditing(size), { change: "pin", rule: 1, vote: 3, reason: "", author: "", time: "" });
  const byHand = { changes: [{ change: "pin", rule: 1, vote: 3 }] };
  assert.deepEqual(replayLog(size, byHand), state);
  assert.deepEqual(replayLog(size, { ...byHand, reg_lambda: null }), state);
  assert.throws(() => replayLog(size, { ...byHand, votes: [3] }), /or neither/);
  assert.throws(() => replayLog(size, { ...byHand, offset: 3 }), /or neither/);
  assert.throws(() => replayLog(size, { changes: [null] }), /no other changes/);
  for (const rule of [undefined, "x", -1, 0.5])
    assert.throws(() => replayLog(size, { changes: [{ change: "drop", rule }] }), /name its rule/);
  const without = { changes: [{ change: "condition", rule: 0 }] };
  assert.throws(() => replayLog(size, without), /come with its condition/);
});

test("the votes of a log are taken over to the last digit", () => {
  const size = smallSize();
  const log = editLog(applyChange(startEditing(size), pin(1, 3)), null, []);
  const offset = log.offset + 1e-12;
  assert.equal(editedModel(replayLog(size, { ...log, offset })).offset, offset);
});

test("the rows that move are named, if the page has rows", () => {
  const rows = {
    number: [11, 12, 13, 14], split: ["training", "training", "test", "training"],
    values: [[10, 30, 50, 70]], outcome: [1, 2, 4, 9], cell: [0, 1, 2, 3],
  };
  const columns = [{ name: "age" }];
  const start = applyChange(startEditing(smallSize()), drop(1));
  const moved = applyChange(start, moveThreshold(start, 0, 0, 0, SIGNED));
  assert.deepEqual(editLog(moved, rows, columns).changes[1].effect.first_rows, [12]);
});

test("votes are validated on the folds that they were not fitted to", () => {
  const size = smallSize();
  const draft = currentDraft(applyChange(applyChange(startEditing(size), drop(1)), pin(0, 1)));
  // The offset without fold 0 is the mean of 2 and 9 − 1, and without fold 1 that of 1 and 4 − 1.
  const wanted = ((1 - 5) ** 2 + (4 - 6) ** 2 + (2 - 2) ** 2 + (9 - 3) ** 2) / 8;
  assert.ok(Math.abs(crossValidate(size, draft).risk - wanted) < 1e-12);
  assert.equal(crossValidate({ ...size, cells: { ...size.cells, n_folds: 1 } }, draft), null);
});
