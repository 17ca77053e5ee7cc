// The times of what a page computes after a change, for report_page.py.

import { readFileSync } from "node:fs";

import {
  decisionCurve, precisionRecallCurve, rankGroups, rocCurve, calibrationBins,
} from "../src/sorb/report/page/core/curves.js";
import { crossValidate, judgeDraft } from "../src/sorb/report/page/core/drafts.js";
import { applyChange, currentDraft, startEditing } from "../src/sorb/report/page/core/edits.js";
import { whoMoves } from "../src/sorb/report/page/core/effects.js";
import { smallestFlips } from "../src/sorb/report/page/core/flips.js";
import { measure } from "../src/sorb/report/page/core/measures.js";

const { size, row, turns } = JSON.parse(readFileSync(0, "utf8"));
const cutoff = size.model.loss === "logistic" ? 0.5 : null;
const thresholds = Array.from({ length: 99 }, (_, k) => (k + 1) / 100);
const columns = size.model.columns.map((name) => ({
  name, kind: "number", range: [-4, 4], step: 0.1, typical: 0,
}));

// Milliseconds of the processor.
function timed(work) {
  const start = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(start);
  return [(user + system) / 1000, result];
}

function median(times) {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];
}

function allMeasures(draft) {
  for (const sums of [size.cells.training, size.cells.test]) {
    const judged = judgeDraft(size, draft, sums);
    measure(judged, cutoff);
    calibrationBins(judged);
    const ranked = rankGroups(judged);
    rocCurve(ranked);
    precisionRecallCurve(ranked);
    decisionCurve(ranked, thresholds);
  }
}

const begun = startEditing(size);
const times = { change: [], measures: [], total: [], validation: [], moves: [], flips: [] };
allMeasures(currentDraft(begun)); // as the page draws them when it is opened
let first = 0;
for (let turn = 0; turn < turns; turn++) {
  const [change, state] = timed(() => applyChange(begun, { change: "drop", rule: turn, reason: "", author: "", time: "" }));
  const draft = currentDraft(state);
  const [measures] = timed(() => allMeasures(draft));
  times.change.push(change);
  times.measures.push(measures);
  times.total.push(change + measures);
  times.validation.push(timed(() => crossValidate(size, draft))[0]);
  times.moves.push(timed(() => whoMoves(size, currentDraft(begun), draft, size.cells.test, cutoff))[0]);
  times.flips.push(timed(() => smallestFlips(size.model, new Map(Object.entries(row)), columns, cutoff))[0]);
  if (turn === 0) first = change + measures;
}
const medians = Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]));
process.stdout.write(JSON.stringify({ first, ...medians }));
