/** What can be done with a rule, and the controls that it takes. */

import { button, field, fill, html } from "./elements.js";
import { projectionFigure } from "./projection.js";
import { voteText } from "./sentences.js";
import { sizeOf } from "./state.js";
import { currentDraft, moveThreshold } from "../core/edits.js";

/** @typedef {import("../types.d.ts").Change} Change */
/** @typedef {import("../core/edits.js").Signature} Signature */
/** @typedef {import("./state.js").PageStore} PageStore */
/** @typedef {import("./state.js").ShownRule} ShownRule */
/** @typedef {"drop" | "forbid" | "pin" | `move-${number}`} Kind */
/** @typedef {{ kind: Kind, rule: number, vote: number, cut: number }} Choice */

/** Which proposition of the rule is moved; null for other kinds. @param {Kind} kind */
export const movedPlace = (kind) => (kind.startsWith("move-") ? Number(kind.slice(5)) : null);

/** @param {ShownRule} rule @returns {[Kind, string][]} */
export function kindsOf(rule) {
  /** @type {[Kind, string][]} */
  const kinds = [
    ["drop", "Drop the rule"],
    ["forbid", "Forbid it, so that no change brings its condition back"],
    ["pin", "Pin or round its vote"],
  ];
  rule.propositions.forEach(({ view }, place) => {
    const which = rule.propositions.length > 1 ? ` of comparison ${place + 1}` : "";
    if (view.cuts && view.cuts.length > 1)
      kinds.push([`move-${place}`, `Move the threshold${which}`]);
  });
  return kinds;
}

/** The document of a choice. @param {PageStore} store @param {Choice} choice @param {Signature} signature @returns {Change} */
export function changeOf(store, { kind, rule, vote, cut }, signature) {
  const place = movedPlace(kind);
  if (place !== null) return moveThreshold(store.state.edits, rule, place, cut, signature);
  if (kind === "pin") return { change: "pin", rule, vote, ...signature };
  return { change: kind === "drop" ? "drop" : "forbid", rule, ...signature };
}

/** Whether the threshold stands where it stood. @param {PageStore} store @param {Choice} choice */
export function movesNothing(store, { kind, rule, cut }) {
  const place = movedPlace(kind);
  return place !== null && currentDraft(store.state.edits).rules[rule]?.cuts[place] === cut;
}

/** A vote to pin, by hand or rounded. @param {Choice} choice @param {ShownRule} rule @param {() => void} look */
export function pinPart(choice, rule, look) {
  const number = html("input", {
    type: "number",
    step: "any",
    value: choice.vote,
    oninput: () => {
      choice.vote = number.value === "" ? NaN : Number(number.value);
      look();
    },
  });
  const rounded = new Set([0, 1].map((digits) => Number((rule.vote ?? 0).toFixed(digits))));
  rounded.delete(rule.vote ?? 0);
  const round = (/** @type {number} */ value) => {
    choice.vote = value;
    number.value = String(value);
    look();
  };
  return html(
    "div",
    { class: "actions" },
    field("Vote", number),
    [...rounded].map((value) => button(`Round to ${voteText(value)}`, () => round(value))),
  );
}

/**
 * A threshold to move along the cuts on offer, with the rows on either side.
 * @param {PageStore} store @param {Choice} choice @param {ShownRule} rule @param {number} place @param {() => void} look
 */
export function movePart(store, choice, rule, place, look) {
  const { view, cut: own } = rule.propositions[place];
  const texts = view.cut_texts ?? [];
  const picture = html("div", { class: "charts" }),
    said = html("b");
  const draw = () => {
    const { cut } = choice;
    const known = cut === view.own ? " (as it was learned)" : cut === own ? " (as it is now)" : "";
    slider.setAttribute("aria-valuetext", texts[cut]);
    said.textContent = texts[cut] + known;
    const { shift } = sizeOf(store).cells;
    fill(picture, projectionFigure(store.data, view, shift, rule.output, cut));
  };
  const slider = html("input", {
    type: "range",
    min: 0,
    max: texts.length - 1,
    step: 1,
    value: choice.cut,
    oninput: () => {
      choice.cut = Number(slider.value);
      draw();
      look();
    },
  });
  draw();
  return html(
    "div",
    {},
    field("Threshold: fewer rows pass to the right", slider),
    html("p", {}, said),
    picture,
  );
}
