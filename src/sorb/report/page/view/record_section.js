/** What was done with what, the model to copy, and the lines to sign. */

import { button, dataTable, download, html, section } from "./elements.js";
import { isChosenModel } from "./state.js";

/** @typedef {import("../types.d.ts").Card} Card */
/** @typedef {import("./state.js").PageStore} PageStore */

/** A text to copy or to save. @param {string} label @param {string} name @param {() => string} text */
export function textToCopy(label, name, text) {
  const area = html("textarea", { readonly: true, spellcheck: "false", "aria-label": label });
  const said = html("span", { class: "muted", role: "status" });
  const copy = async () => {
    area.select();
    // A page from a disk may not be allowed to use the clipboard; the text is selected then.
    const done = await navigator.clipboard?.writeText(area.value).then(
      () => true,
      () => false,
    );
    said.textContent = done ? "Copied." : "Selected: copy it with the keyboard.";
  };
  return html(
    "details",
    {
      ontoggle: () => {
        area.value = text();
      },
    },
    html("summary", {}, label),
    area,
    html(
      "div",
      { class: "actions" },
      button("Copy", copy),
      button("Save as a file", () => download(name, text())),
      said,
    ),
  );
}

/** @param {[string, string][]} lines */
const facts = (lines) =>
  html(
    "dl",
    {},
    lines.map(([term, meaning]) => html("div", {}, html("dt", {}, term), html("dd", {}, meaning))),
  );

/** @param {Card} card */
function scorecardPart(card) {
  return [
    html("h3", {}, card.title),
    html(
      "div",
      { class: "pair" },
      dataTable("Add the points of each line that applies", card.head, card.rules),
      dataTable(
        "What the total means",
        card.totals[0]?.length === 2 ? ["total", "prediction"] : [],
        card.totals,
        "totals",
      ),
    ),
    card.notes.map((note) => html("p", { class: "note" }, note)),
  ];
}

/** @param {PageStore} store */
export function recordSection(store) {
  const { data } = store;
  const chosen = html("p", { class: "note" });
  store.follow(["size", "edits"], () => {
    chosen.textContent = isChosenModel(store)
      ? ""
      : "These facts and points are those of the chosen model, without changes.";
  });
  return section(
    "record",
    "Record",
    "What was done, with which data, and by which program.",
    chosen,
    html(
      "div",
      { class: "record" },
      data.record.map((group) => html("div", {}, html("h3", {}, group.title), facts(group.lines))),
    ),
    html(
      "div",
      { class: "screen" },
      textToCopy("The model as JSON", "model.json", () => JSON.stringify(store.model(), null, 1)),
    ),
    data.scorecard && html("div", { class: "scorecard" }, scorecardPart(data.scorecard)),
    data.glossary.length > 0 &&
      html("div", { class: "glossary" }, html("h3", {}, "Glossary"), facts(data.glossary)),
  );
}

/** Where the printed page is signed. */
export const signatureLines = () =>
  html(
    "footer",
    { class: "sign" },
    ["Name", "Role", "Date", "Signature"].map((what) => html("span", {}, what)),
  );
