/** What the reader has chosen, and the model that follows from it. */

import { createStore } from "./store.js";
import { sentenceOf } from "./sentences.js";
import { currentDraft, editedModel, startEditing } from "../core/edits.js";
import { propositionAt, whomRuleCovers } from "../core/drafts.js";

/** @typedef {import("../types.d.ts").PageData} PageData */
/** @typedef {import("../types.d.ts").ModelDocument} ModelDocument */
/** @typedef {import("../types.d.ts").PropositionDocument} PropositionDocument */
/** @typedef {import("../types.d.ts").PropositionView} PropositionView */
/** @typedef {import("../types.d.ts").RuleView} RuleView */
/** @typedef {import("../types.d.ts").Size} Size */
/** @typedef {import("../types.d.ts").Value} Value */
/** @typedef {import("../core/edits.js").EditState} EditState */
/** @typedef {import("../core/drafts.js").DraftRule} DraftRule */
/** @typedef {import("./elements.js").Child} Child */

/**
 * @typedef {{ size: number, edits: EditState, order: string, row: Map<string, Value>, loaded: number | null,
 *   shownClass: number }} PageState
 * @typedef {ReturnType<typeof createPageStore>} PageStore
 * @typedef {{ document: PropositionDocument, view: PropositionView, cut: number | null, sentence: Child }} ShownProposition
 * @typedef {{ place: number, view: RuleView, output: number, vote: number | null, was: number, sentence: Child,
 *   change: string, propositions: ShownProposition[] }} ShownRule
 */

/** @param {PageData} data */
export function createPageStore(data) {
  const row = new Map(data.columns.map((column) => [column.name, column.typical]));
  const edits = data.sizes.map(startEditing);
  const store = createStore(
    /** @type {PageState} */ ({
      size: data.chosen,
      edits: edits[data.chosen],
      order: "Largest vote",
      row,
      loaded: null,
      shownClass: 0,
    }),
  );
  const { state } = store;
  /** @type {EditState | null} */
  let known = null;
  /** @type {ModelDocument} */
  let model;
  return {
    ...store,
    data,
    /** The model as it is now, with the changes that were made. */
    model() {
      if (known !== state.edits) [known, model] = [state.edits, editedModel(state.edits)];
      return model;
    },
    /** Each size keeps its own changes. @param {number} size */
    choose(size) {
      edits[state.size] = state.edits;
      store.change({ size, edits: edits[size] });
    },
  };
}

/** @param {PageStore} store */
export const sizeOf = (store) => store.data.sizes[store.state.size];

/** All rules of the size with what changes did to them. @param {PageStore} store @returns {ShownRule[]} */
export function shownRules(store) {
  const size = sizeOf(store),
    draft = currentDraft(store.state.edits);
  return size.rules.map((view, place) => {
    const { weight: was, output } = size.model.rules[place],
      rule = draft.rules[place];
    const moved =
      rule !== null &&
      rule.cuts.some((cut, k) => cut !== (size.propositions[rule.propositions[k]].own ?? 0));
    const propositions = view.propositions.map((p, k) => {
      const proposition = size.propositions[p],
        cut = proposition.cuts && (rule?.cuts[k] ?? proposition.own);
      return {
        document: propositionAt(size, p, cut ?? 0),
        view: proposition,
        cut,
        sentence:
          cut === proposition.own
            ? sentenceOf(proposition.tokens)
            : proposition.cut_texts?.[cut ?? 0],
      };
    });
    const forbidden = store.state.edits.changes.some(
      (change) => change.rule === place && change.change === "forbid",
    );
    return {
      place,
      output,
      was,
      propositions,
      vote: rule?.vote ?? null,
      view: rule && moved ? movedView(size, rule, view) : view,
      sentence: moved
        ? propositions.map((part, k) => [k > 0 && " and ", part.sentence])
        : sentenceOf(view.tokens),
      change: [
        !rule && (forbidden ? "forbidden" : "dropped"),
        rule?.pinned && "pinned",
        moved && "threshold moved",
      ]
        .filter(Boolean)
        .join(", "),
    };
  });
}

/** The rules that are left, in the order of the edited model. @param {PageStore} store */
export const presentShown = (store) => shownRules(store).filter((rule) => rule.vote !== null);

/** Whether the model was changed. @param {PageStore} store */
export const isEdited = (store) => store.state.edits.changes.length > 0;

/** Whether the page is about the model that was chosen, unchanged. @param {PageStore} store */
export const isChosenModel = (store) => store.state.size === store.data.chosen && !isEdited(store);

/** What a rule is about once a threshold has moved. @param {Size} size @param {DraftRule} rule @param {RuleView} view @returns {RuleView} */
function movedView(size, rule, view) {
  const words = rule.propositions.map(
    (p, k) => size.propositions[p].cut_texts?.[rule.cuts[k]] ?? size.propositions[p].words,
  );
  return {
    ...view,
    ...whomRuleCovers(size, rule),
    found_again: null,
    words: words.join(", and "),
  };
}

/** Views of the rules that are left, as the explanations in words take them. @param {PageStore} store */
export const presentViews = (store) => presentShown(store).map((rule) => rule.view);
