/** Loads a row of the table into the controls. */

import { button, html, newId } from "./elements.js";
import { valueText, withUnit } from "./sentences.js";
import { rowAt } from "../core/effects.js";
import { formatCount } from "../core/numbers.js";

/** @typedef {import("./state.js").PageStore} PageStore */

/** Loads a row of the table. @param {PageStore} store */
export function rowLoader(store) {
  const { rows, columns, outcome } = store.data;
  if (!rows || rows.number.length === 0) return null;
  const count = rows.number.length;
  const said = html("p", { class: "muted", role: "status" });
  const load = (/** @type {number} */ place) => {
    const wrapped = (place + count) % count;
    number.value = String(rows.number[wrapped]);
    menu.value = rows.split[wrapped];
    store.change({ row: rowAt(rows, columns, wrapped), loaded: wrapped });
  };
  const number = html("input", {
    type: "number",
    id: newId("row"),
    min: 0,
    step: 1,
    onchange: () => {
      const place = rows.number.findIndex(
        (known, k) => known === Number(number.value) && rows.split[k] === menu.value,
      );
      if (place >= 0) load(place);
      else
        said.textContent = `The ${menu.value} row ${number.value} is not on this page, which holds ${formatCount(count, "row")}.`;
    },
  });
  // Two tables may both count their rows from zero.
  const splits = [...new Set(rows.split)];
  const menu = html(
    "select",
    { "aria-label": "Kind of row" },
    splits.map((split) => html("option", { value: split }, `${split} row`)),
  );
  const at = () => store.state.loaded ?? -1;
  store.follow(["row"], () => {
    const place = store.state.loaded;
    said.textContent =
      place === null
        ? "The values below are typical ones, until you change them."
        : `Row ${rows.number[place]}, one of the ${rows.split[place]} rows. What happened: ${outcome.class_names ? "" : `${outcome.name} `}${valueText(rows.outcome[place], undefined)}${withUnit(outcome.unit)}.`;
  });
  return html(
    "div",
    {},
    html(
      "div",
      { class: "actions" },
      splits.length > 1 && menu,
      html("label", { for: number.id }, "Row"),
      number,
      button("Previous", () => load(at() - 1)),
      button("Next", () => load(at() + 1)),
      button("Random", () => load(Math.floor(Math.random() * count))),
    ),
    said,
  );
}
