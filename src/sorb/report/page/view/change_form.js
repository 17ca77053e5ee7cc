/** The form in which a change is chosen, looked at and made. */

import {
  changeOf,
  kindsOf,
  movedPlace,
  movePart,
  movesNothing,
  pinPart,
} from "./change_choices.js";
import { effectText } from "./change_effects.js";
import { button, capital, field, fill, html, newId } from "./elements.js";
import { textOf, voteText } from "./sentences.js";
import { presentShown } from "./state.js";
import { presentRules } from "../core/drafts.js";
import { applyChange, currentDraft } from "../core/edits.js";
import { formatPlain } from "../core/numbers.js";

/** @typedef {import("./change_choices.js").Choice} Choice */
/** @typedef {import("./state.js").PageStore} PageStore */
/** @typedef {import("./state.js").ShownRule} ShownRule */

const REST = 30;

/** A rule as an option of a menu, whose text cannot be set apart. @param {ShownRule} rule */
function optionOf(rule) {
  const parts = rule.propositions.map(({ view, cut }) =>
    cut === view.own ? textOf(view.tokens) : view.cut_texts?.[cut ?? 0],
  );
  return html(
    "option",
    { value: rule.place },
    `${rule.place + 1}. ${parts.join(" and ")} (${voteText(rule.vote ?? 0)})`,
  );
}

/** What happens if a change is made, and then: what has happened. @param {PageStore} store @param {Choice} choice */
function changeMaker(store, choice) {
  const { state } = store;
  const author = html("input", { type: "text", autocomplete: "name" });
  const reason = html("input", { type: "text" });
  const preview = html("p", { class: "preview", role: "status" });
  let waiting = 0,
    done = "";
  const changed = () => {
    const signature = {
      reason: reason.value.trim(),
      author: author.value.trim(),
      time: new Date().toISOString(),
    };
    return applyChange(state.edits, changeOf(store, choice, signature));
  };
  /** @param {string} text @param {boolean} possible */
  const say = (text, possible) => {
    preview.textContent = capital(text);
    make.disabled = !possible;
  };
  /** @param {() => string} act */
  const attempt = (act) => {
    try {
      say(act(), true);
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), false);
    }
  };
  const lookNow = () => {
    const isEmpty = presentRules(currentDraft(state.edits)).length === 0;
    if (done) say(done, !isEmpty);
    else if (isEmpty) say("No rules are left.", false);
    else if (movesNothing(store, choice)) say("Choose another threshold.", false);
    else
      attempt(
        () => `If so: ${effectText(store, currentDraft(state.edits), currentDraft(changed()))}`,
      );
    done = "";
  };
  const make = button(
    "Make this change",
    () =>
      attempt(() => {
        const before = currentDraft(state.edits),
          edits = changed();
        done = `Done. ${effectText(store, before, currentDraft(edits))}`;
        reason.value = "";
        store.change({ edits });
        return done;
      }),
    { class: "main-action" },
  );
  // The refit waits until the hand rests.
  const look = () => {
    clearTimeout(waiting);
    waiting = setTimeout(lookNow, REST);
  };
  return {
    look,
    nodes: [
      preview,
      html("div", { class: "signature" }, field("Your name", author), field("Reason", reason)),
      html("div", { class: "actions" }, make),
    ],
  };
}

/** @param {PageStore} store */
export function changeForm(store) {
  /** @type {Choice} */
  const choice = { kind: "drop", rule: 0, vote: 0, cut: 0 };
  const menu = html("select", {
    onchange: () => {
      choice.rule = Number(menu.value);
      show();
    },
  });
  const body = html("div"),
    part = html("div", { class: "part" });
  const { look, nodes } = changeMaker(store, choice);
  /** @param {ShownRule} rule */
  const showPart = (rule) => {
    const place = movedPlace(choice.kind);
    if (place !== null) choice.cut = rule.propositions[place].cut ?? 0;
    fill(
      part,
      choice.kind === "pin" && pinPart(choice, rule, look),
      place !== null && movePart(store, choice, rule, place, look),
    );
    look();
  };
  const show = () => {
    const rules = presentShown(store),
      name = newId("kind");
    const rule = rules.find(({ place }) => place === choice.rule) ?? rules[0];
    fill(menu, rules.map(optionOf));
    if (!rule) {
      fill(body);
      look();
      return;
    }
    const kinds = kindsOf(rule);
    choice.rule = rule.place;
    choice.vote = Number(formatPlain(rule.vote ?? 0));
    if (!kinds.some(([kind]) => kind === choice.kind)) choice.kind = "drop";
    menu.value = String(rule.place);
    fill(
      body,
      html(
        "fieldset",
        {},
        html("legend", {}, "Change"),
        kinds.map(([kind, text]) =>
          html(
            "label",
            { class: "choice" },
            html("input", {
              type: "radio",
              name,
              id: `kind-${kind}`,
              checked: kind === choice.kind,
              onchange: () => {
                choice.kind = kind;
                showPart(rule);
              },
            }),
            text,
          ),
        ),
      ),
      part,
    );
    showPart(rule);
  };
  store.follow(["size", "edits"], show, body);
  return html("div", { class: "form screen" }, field("Rule", menu), body, nodes);
}
