/** What changes do, in words. */

import { capital } from "./elements.js";
import { textOf, voteText } from "./sentences.js";
import { sizeOf } from "./state.js";
import { judgeDraft } from "../core/drafts.js";
import { movedVotes, whoMoves } from "../core/effects.js";
import { riskOf } from "../core/measures.js";
import { formatNumber } from "../core/numbers.js";

/** @typedef {import("../types.d.ts").Change} Change */
/** @typedef {import("../core/drafts.js").Draft} Draft */
/** @typedef {import("./state.js").PageStore} PageStore */

/** @type {WeakMap<Draft, string>} */
const knownEffects = new WeakMap();

/** What the last change did. @param {PageStore} store @param {Draft} before @param {Draft} after */
export function effectText(store, before, after) {
  const known = knownEffects.get(after) ?? describeEffect(store, before, after);
  knownEffects.set(after, known);
  return known;
}

/** @param {PageStore} store @param {Draft} before @param {Draft} after */
function describeEffect(store, before, after) {
  const { data } = store,
    size = sizeOf(store),
    { outcome } = data;
  const moves = whoMoves(size, before, after, size.cells.training, outcome.cutoff);
  const test = whoMoves(size, before, after, size.cells.test, outcome.cutoff);
  const risk = (/** @type {Draft} */ draft) =>
    formatNumber(
      riskOf(judgeDraft(size, draft, size.cells.test ?? size.cells.training)) *
        outcome.measure_factor,
      4,
    );
  const change = (/** @type {number} */ value) =>
    outcome.class_names
      ? `${formatNumber(100 * value, 2)} percentage points`
      : formatNumber(value, 3);
  const who = !moves
    ? ""
    : moves.reclassified === null
      ? `Predictions change by ${change(moves.mean)} on average, at most ${change(moves.largest)}.`
      : `The decision changes for ${movesText(store, moves)}${test ? ` and ${formatNumber(test.reclassified ?? 0)} of ${formatNumber(test.n)} test rows` : ""}; probabilities change by at most ${change(moves.largest)}.`;
  const votes = movedVotes(before, after)
    .filter(([, was, is]) => voteText(was) !== voteText(is))
    .map(([place, was, is]) => `rule ${place + 1} ${voteText(was)} → ${voteText(is)}`);
  return `${who} ${capital(outcome.measure)} on ${size.cells.test ? "test" : "training"} rows: ${risk(before)} → ${risk(after)}.${votes.length > 0 ? ` Votes: ${votes.slice(0, 6).join(", ")}${votes.length > 6 ? " …" : "."}` : ""}`;
}

/** "12 of 90 training rows (9 to ill, 3 to well)". @param {PageStore} store @param {import("../core/effects.js").Moves} moves */
function movesText(store, moves) {
  const names = store.data.outcome.class_names ?? [];
  const arrived = names
    .map((name, to) => [
      name,
      (moves.table ?? []).reduce((sum, line, from) => sum + (from === to ? 0 : line[to]), 0),
    ])
    .filter(([, n]) => Number(n) > 0)
    .map(([name, n]) => `${n} to ${name}`);
  return `${moves.reclassified} of ${formatNumber(moves.n)} training rows${arrived.length > 0 ? ` (${arrived.join(", ")})` : ""}`;
}

/** "Rule 2 dropped: age ≥ 40". @param {PageStore} store @param {Change} change */
export function changeTitle(store, change) {
  const size = sizeOf(store);
  const { tokens, propositions } = size.rules[change.rule];
  const rule = `Rule ${change.rule + 1}`;
  if (change.change === "condition") {
    const moved = change.condition.map((document, k) => {
      const view = size.propositions[propositions[k]];
      const cut =
        document.kind === "membership" ? -1 : (view.cuts?.indexOf(document.threshold) ?? -1);
      return cut < 0 || cut === view.own ? textOf(view.tokens) : view.cut_texts?.[cut];
    });
    return `${rule}: ${textOf(tokens)} becomes ${moved.join(" and ")}`;
  }
  if (change.change === "pin")
    return `${rule} pinned at ${voteText(change.vote)}: ${textOf(tokens)}`;
  return `${rule} ${change.change === "drop" ? "dropped" : "forbidden"}: ${textOf(tokens)}`;
}
