/** The form in which a change is chosen, looked at and made. */

import { effectText } from "./change_effects.js";
import { button, capital, field, fill, html, newId } from "./elements.js";
import { projectionFigure } from "./projection.js";
import { textOf, voteText } from "./sentences.js";
import { presentShown, sizeOf } from "./state.js";
import { applyChange, currentDraft, moveThreshold } from "../core/edits.js";
import { formatPlain } from "../core/numbers.js";

/** @typedef {import("../types.d.ts").Change} Change */
/** @typedef {import("./state.js").PageStore} PageStore */
/** @typedef {import("./state.js").ShownRule} ShownRule */
/** @typedef {"drop" | "forbid" | "pin" | `move-${number}`} Kind */

/** @param {PageStore} store */
export function changeForm(store) {
  const { data, state } = store;
  const author = html("input", { type: "text", autocomplete: "name" }),
    reason = html("input", { type: "text" });
  const menu = html("select", {
    onchange: () => {
      chosen = Number(menu.value);
      show();
    },
  });
  const body = html("div"),
    preview = html("p", { class: "preview", role: "status" });
  const make = button("Make this change", () => commit(), { class: "main-action" });
  let chosen = 0,
    vote = 0,
    cut = 0,
    waiting = 0;
  /** @type {Kind} */
  let kind = "drop";

  /** @returns {Change} */
  const change = () => {
    const signature = {
      reason: reason.value.trim(),
      author: author.value.trim(),
      time: new Date().toISOString(),
    };
    if (kind.startsWith("move"))
      return moveThreshold(state.edits, chosen, Number(kind.slice(5)), cut, signature);
    if (kind === "pin") return { change: "pin", rule: chosen, vote, ...signature };
    return { change: kind === "drop" ? "drop" : "forbid", rule: chosen, ...signature };
  };
  const commit = () => {
    try {
      const edits = applyChange(state.edits, change());
      reason.value = "";
      store.change({ edits });
      clearTimeout(waiting);
      preview.textContent = `Done. ${effectText(store, edits.drafts[edits.drafts.length - 2], currentDraft(edits))}`;
    } catch (error) {
      preview.textContent = capital(error instanceof Error ? error.message : String(error));
    }
  };
  const look = () => {
    clearTimeout(waiting);
    waiting = setTimeout(lookNow, 30);
  };
  const lookNow = () => {
    if (
      kind.startsWith("move") &&
      cut === currentDraft(state.edits).rules[chosen]?.cuts[Number(kind.slice(5))]
    ) {
      preview.textContent = "Choose another threshold.";
      make.disabled = true;
      return;
    }
    try {
      preview.textContent = `If so: ${effectText(store, currentDraft(state.edits), currentDraft(applyChange(state.edits, change())))}`;
      make.disabled = false;
    } catch (error) {
      preview.textContent = capital(error instanceof Error ? error.message : String(error));
      make.disabled = true;
    }
  };
  /** @param {ShownRule} rule */
  const pinPart = (rule) => {
    const number = html("input", {
      type: "number",
      step: "any",
      value: vote,
      oninput: () => {
        vote = number.value === "" ? NaN : Number(number.value);
        look();
      },
    });
    const rounded = [
      ...new Set([0, 1].map((digits) => Number((rule.vote ?? 0).toFixed(digits)))),
    ].filter((value) => value !== rule.vote);
    return html(
      "div",
      { class: "actions" },
      field("Vote", number),
      rounded.map((value) =>
        button(`Round to ${voteText(value)}`, () => {
          vote = value;
          number.value = String(value);
          look();
        }),
      ),
    );
  };
  /** @param {ShownRule} rule @param {number} place */
  const movePart = (rule, place) => {
    const { view, cut: own } = rule.propositions[place];
    const texts = view.cut_texts ?? [],
      picture = html("div", { class: "charts" });
    const said = html("b", {});
    const draw = () => {
      slider.setAttribute("aria-valuetext", texts[cut]);
      said.textContent = `${texts[cut]}${cut === view.own ? " (as it was learnt)" : cut === own ? " (as it is now)" : ""}`;
      fill(picture, projectionFigure(data, view, sizeOf(store).cells.shift, rule.output, cut));
    };
    const slider = html("input", {
      type: "range",
      min: 0,
      max: texts.length - 1,
      step: 1,
      value: cut,
      oninput: () => {
        cut = Number(slider.value);
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
  };
  const show = () => {
    const rules = presentShown(store);
    const rule = rules.find((known) => known.place === chosen) ?? rules[0];
    fill(
      menu,
      rules.map((known) =>
        html(
          "option",
          { value: known.place },
          `${known.place + 1}. ${known.propositions.map((part) => (part.cut === part.view.own ? textOf(part.view.tokens) : part.view.cut_texts?.[part.cut ?? 0])).join(" and ")} (${voteText(known.vote ?? 0)})`,
        ),
      ),
    );
    if (!rule) {
      fill(body);
      preview.textContent = "No rules are left.";
      make.disabled = true;
      return;
    }
    chosen = rule.place;
    menu.value = String(chosen);
    vote = Number(formatPlain(rule.vote ?? 0));
    /** @type {[Kind, string][]} */
    const kinds = [
      ["drop", "Drop the rule"],
      ["forbid", "Forbid it, so that no change brings its condition back"],
      ["pin", "Pin or round its vote"],
      ...rule.propositions.flatMap(({ view }, place) =>
        view.cuts && view.cuts.length > 1
          ? [
              /** @type {[Kind, string]} */ ([
                `move-${place}`,
                `Move the threshold${rule.propositions.length > 1 ? ` of condition ${place + 1}` : ""}`,
              ]),
            ]
          : [],
      ),
    ];
    if (!kinds.some(([known]) => known === kind)) kind = "drop";
    const name = newId("kind");
    const part = html("div", { class: "part" });
    const choose = () => {
      const place = Number(kind.slice(5));
      if (kind.startsWith("move")) cut = rule.propositions[place].cut ?? 0;
      fill(
        part,
        kind === "pin" ? pinPart(rule) : kind.startsWith("move") ? movePart(rule, place) : null,
      );
      look();
    };
    fill(
      body,
      html(
        "fieldset",
        {},
        html("legend", {}, "Change"),
        kinds.map(([known, text]) =>
          html(
            "label",
            { class: "choice" },
            html("input", {
              type: "radio",
              name,
              id: `kind-${known}`,
              checked: known === kind,
              onchange: () => {
                kind = known;
                choose();
              },
            }),
            text,
          ),
        ),
      ),
      part,
    );
    choose();
  };
  store.follow(["size", "edits"], show, body);
  return html(
    "div",
    { class: "form screen" },
    field("Rule", menu),
    body,
    preview,
    html("div", { class: "signature" }, field("Your name", author), field("Reason", reason)),
    html("div", { class: "actions" }, make),
  );
}
