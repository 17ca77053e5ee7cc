/** What the reader has chosen, and the model that follows from it. */

import { createStore } from "./store.js";
import { sentenceOf } from "./sentences.js";

/** @typedef {import("../types.d.ts").PageData} PageData */
/** @typedef {import("../types.d.ts").ModelDocument} ModelDocument */
/** @typedef {import("../types.d.ts").PropositionDocument} PropositionDocument */
/** @typedef {import("../types.d.ts").PropositionView} PropositionView */
/** @typedef {import("../types.d.ts").RuleView} RuleView */
/** @typedef {import("../types.d.ts").Value} Value */
/** @typedef {import("./elements.js").Child} Child */

/**
 * @typedef {{ size: number, edits: null, order: string, row: Map<string, Value>, loaded: number | null }} PageState
 * @typedef {ReturnType<typeof createPageStore>} PageStore
 * @typedef {{ document: PropositionDocument, view: PropositionView, cut: number | null }} ShownProposition
 * @typedef {{ place: number, view: RuleView, vote: number | null, sentence: Child, change: string,
 *   propositions: ShownProposition[] }} ShownRule
 */

/** @param {PageData} data */
export function createPageStore(data) {
  const row = new Map(data.columns.map((column) => [column.name, column.typical]));
  const store = createStore(/** @type {PageState} */ ({ size: data.chosen, edits: null, order: "Largest vote", row, loaded: null }));
  return { ...store, data, model: () => data.sizes[store.state.size].model };
}

/** @param {PageStore} store */
export const sizeOf = (store) => store.data.sizes[store.state.size];

/** The rules of the size with what changes did to them. @param {PageStore} store @returns {ShownRule[]} */
export function shownRules(store) {
  const size = sizeOf(store);
  return size.rules.map((view, place) => ({
    place, view, vote: size.model.rules[place].weight, sentence: sentenceOf(view.tokens), change: "",
    propositions: view.propositions.map((p) => ({
      document: size.propositions[p].document, view: size.propositions[p], cut: size.propositions[p].own })),
  }));
}
