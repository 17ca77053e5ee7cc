// Changes of a model, one after the other, each with all votes refitted that are not pinned; undone
// and redone, and written as a log that Python replays.

import {
  conditionOf, draftModel, draftOf, presentRules, propositionAt, refitDraft, whomRuleCovers, withVotes,
} from "./drafts.js";
import { effectOf } from "./effects.js";

/** @typedef {import("../types.d.ts").Change} Change */
/** @typedef {import("../types.d.ts").EditLog} EditLog */
/** @typedef {import("../types.d.ts").MoveChange} MoveChange */
/** @typedef {import("../types.d.ts").PropositionDocument} PropositionDocument */
/** @typedef {import("../types.d.ts").Rows} Rows */
/** @typedef {import("../types.d.ts").Column} Column */
/** @typedef {import("../types.d.ts").Size} Size */
/** @typedef {import("./drafts.js").Draft} Draft */
/** @typedef {import("./drafts.js").DraftRule} DraftRule */

/**
 * @typedef {object} EditState
 * @property {Size} size the model that is edited
 * @property {Change[]} changes
 * @property {Draft[]} drafts before the first change, and after each
 * @property {Change[]} undone the last one undone comes last
 */

/** @typedef {{ reason: string, author: string, time: string }} Signature */

const FORMAT = "sorb.edit-log";
const VERSION = 1;
/** @type {Signature} */
const UNSIGNED = { reason: "", author: "", time: "" };
// Fits of the same votes differ by less, as a share of the largest vote.
const MOST_GAP = 1e-4;

/**
 * Nothing is changed yet.
 * @param {Size} size
 * @returns {EditState}
 */
export function startEditing(size) {
  return { size, changes: [], drafts: [draftOf(size)], undone: [] };
}

/**
 * The model as it is now.
 * @param {EditState} state
 */
export function currentDraft(state) {
  return state.drafts[state.drafts.length - 1];
}

/**
 * Make a change; throws an error in plain words if it cannot be made.
 * @param {EditState} state
 * @param {Change} change
 * @returns {EditState}
 */
export function applyChange(state, change) {
  const draft = fittedAfter(state.size, currentDraft(state), change);
  return {
    ...state,
    changes: [...state.changes, change],
    drafts: [...state.drafts, draft],
    undone: [],
  };
}

/** @type {WeakMap<Draft, { key: string, draft: Draft }>} */
const lastFits = new WeakMap();

/**
 * The model after a change with all votes fitted, which is kept: what is looked at is often made.
 * @param {Size} size
 * @param {Draft} before
 * @param {Change} change
 */
function fittedAfter(size, before, change) {
  const key = JSON.stringify({ ...change, ...UNSIGNED });
  const known = lastFits.get(before);
  if (known?.key === key) return known.draft;
  const draft = refitDraft(size, draftAfter(size, before, change));
  lastFits.set(before, { key, draft });
  return draft;
}

/**
 * @param {EditState} state
 * @returns {EditState} the same if there is nothing to undo
 */
export function undoChange(state) {
  const last = state.changes.at(-1);
  if (last === undefined) return state;
  return {
    ...state,
    changes: state.changes.slice(0, -1),
    drafts: state.drafts.slice(0, -1),
    undone: [...state.undone, last],
  };
}

/**
 * @param {EditState} state
 * @returns {EditState} the same if there is nothing to redo
 */
export function redoChange(state) {
  const next = state.undone.at(-1);
  if (next === undefined) return state;
  return { ...applyChange(state, next), undone: state.undone.slice(0, -1) };
}

/**
 * The change that moves a threshold of a rule to a cut.
 * @param {EditState} state
 * @param {number} rule its number in the original model
 * @param {number} place which of its propositions
 * @param {number} cut
 * @param {Signature} signature
 * @returns {MoveChange}
 */
export function moveThreshold(state, rule, place, cut, signature) {
  const old = requireRule(currentDraft(state), rule, "move a threshold of");
  const cuts = old.cuts.map((known, k) => (k === place ? cut : known));
  return { change: "condition", rule, condition: conditionOf(state.size, { ...old, cuts }), ...signature };
}

/**
 * The document of the edited model.
 * @param {EditState} state
 */
export function editedModel(state) {
  return draftModel(state.size, currentDraft(state));
}

/**
 * The log that is saved: what was changed, by whom and why, what it did to the training rows, and
 * the votes that came of it, which Python takes over once it has checked them.
 * @param {EditState} state
 * @param {Rows | null} rows those of the page, to name the first that moved
 * @param {Column[]} columns those of the page
 * @returns {EditLog}
 */
export function editLog(state, rows, columns) {
  const { size, drafts, changes } = state;
  const model = editedModel(state);
  return {
    format: FORMAT,
    version: VERSION,
    model: size.fingerprint,
    reg_lambda: size.reg_lambda,
    ...(size.class_weights && { class_weights: size.class_weights }),
    offset: model.offset,
    votes: model.rules.map((rule) => rule.weight),
    changes: changes.map((change, k) => ({
      ...change,
      effect: effectOf(size, drafts[k], drafts[k + 1], rows, columns),
    })),
  };
}

/**
 * Make the changes of a log again with its penalty, and take over its votes, which another browser
 * may have rounded otherwise; throws an error in plain words if it is of another model, or if the page cannot make
 * its changes. As in Python, only the changes are needed: someone may have written the log by hand.
 * @param {Size} size
 * @param {Partial<EditLog>} log
 * @returns {EditState}
 */
export function replayLog(size, log) {
  const { format = FORMAT, version = VERSION, model = size.fingerprint, changes } = log;
  if (format !== FORMAT || version !== VERSION || !Array.isArray(changes))
    throw new Error("this file is not a log of changes that this page can read");
  if (model !== size.fingerprint)
    throw new Error("this log is of another model: choose the size that it was made with");
  // Another page of the model may know its penalty to fewer digits.
  const penalty = log.reg_lambda ?? size.reg_lambda;
  if (!(Number.isFinite(penalty) && penalty >= 0))
    throw new Error("the penalty in this log is not a number from 0");
  let state = startEditing({ ...size, reg_lambda: penalty });
  for (const logged of changes) {
    const { effect: _, ...change } = { ...UNSIGNED, ...logged };
    state = applyChange(state, change);
  }
  const { offset, votes } = log;
  if (offset === undefined && votes === undefined) return state;
  if (offset === undefined || !Array.isArray(votes))
    throw new Error("a log has both the offset and the votes of the model, or neither");
  const adopted = adoptVotes(currentDraft(state), offset, votes);
  return { ...state, drafts: [...state.drafts.slice(0, -1), adopted] };
}

/**
 * @param {Draft} draft
 * @param {number | number[]} offset
 * @param {number[]} votes
 * @returns {Draft}
 */
function adoptVotes(draft, offset, votes) {
  const offsets = Array.isArray(offset) ? offset : [offset];
  const ours = [...draft.offset, ...presentRules(draft).map(({ rule }) => rule.vote)];
  const theirs = [...offsets, ...votes];
  const most = MOST_GAP * Math.max(...ours.map(Math.abs));
  const agree = ours.every((vote, k) => Math.abs(vote - theirs[k]) <= most);
  if (ours.length !== theirs.length || !agree)
    throw new Error("the votes in this log are not those that the rows of this page give");
  return withVotes(draft, { offset: offsets, votes });
}

/**
 * @param {Size} size
 * @param {Draft} draft
 * @param {Change} change
 * @returns {Draft}
 */
function draftAfter(size, draft, change) {
  if (!["drop", "forbid", "pin", "condition"].includes(change.change))
    throw new Error("this page can drop, forbid, pin and move rules, but make no other changes");
  if (!(Number.isInteger(change.rule) && change.rule >= 0))
    throw new Error("a change must name its rule by a whole number from 0");
  const rule = requireRule(draft, change.rule, change.change);
  switch (change.change) {
    case "drop":
      return withRule(draft, change.rule, null);
    case "forbid":
      return {
        ...withRule(draft, change.rule, null),
        forbidden: [...draft.forbidden, conditionKey(size, rule)],
      };
    case "pin":
      if (!Number.isFinite(change.vote)) throw new Error("a vote must be a number");
      return withRule(draft, change.rule, { ...rule, vote: change.vote, pinned: true });
    case "condition": {
      const moved = { ...rule, cuts: cutsOf(size, rule, change.condition) };
      if (draft.forbidden.includes(conditionKey(size, moved)))
        throw new Error(`rule ${change.rule + 1} would become one that was forbidden`);
      if (whomRuleCovers(size, moved).n === 0)
        throw new Error(`rule ${change.rule + 1} would cover no row: there would be no vote to fit`);
      return withRule(draft, change.rule, moved);
    }
  }
}

/**
 * @param {Draft} draft
 * @param {number} number
 * @param {DraftRule | null} rule
 * @returns {Draft}
 */
function withRule(draft, number, rule) {
  return { ...draft, rules: draft.rules.map((known, k) => (k === number ? rule : known)) };
}

/**
 * @param {Draft} draft
 * @param {number} number
 * @param {string} what
 */
function requireRule(draft, number, what) {
  const rule = draft.rules[number];
  if (rule) return rule;
  const left = presentRules(draft).map((present) => present.number + 1);
  throw new Error(`cannot ${what} rule ${number + 1}: there are only ${left.join(", ") || "none"}`);
}

// Rules that ask the same of the same columns are the same rule, in whatever order they ask.
/**
 * @param {Size} size
 * @param {DraftRule} rule
 */
function conditionKey(size, rule) {
  return `${rule.output}: ${conditionOf(size, rule).map(propositionKey).sort().join(" & ")}`;
}

// `missing` may be left out where it is false.
/** @param {PropositionDocument} proposition */
function propositionKey({ missing, ...rest }) {
  return JSON.stringify([missing ?? false, Object.entries(rest).sort()]);
}

/**
 * The cuts at which a rule has a condition.
 * @param {Size} size
 * @param {DraftRule} rule
 * @param {PropositionDocument[]} condition
 */
function cutsOf(size, rule, condition) {
  if (!Array.isArray(condition)) throw new Error("a moved threshold must come with its condition");
  if (condition.length !== rule.propositions.length)
    throw new Error("a change may move thresholds, but not add or remove parts of a condition");
  return rule.propositions.map((proposition, place) => {
    const wanted = propositionKey(condition[place]);
    const cuts = size.propositions[proposition].cuts ?? [0];
    const found = cuts.findIndex(
      (_, cut) => propositionKey(propositionAt(size, proposition, cut)) === wanted,
    );
    if (found < 0) throw new Error("this page does not offer that threshold");
    return found;
  });
}
