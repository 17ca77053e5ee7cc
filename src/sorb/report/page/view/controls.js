/** A control for each variable of the model: its distribution, a slider, a number; a menu for categories. */

import { button, field, html, newId, svg } from "./elements.js";
import { digitsOf, valueText, withUnit } from "./sentences.js";
import { stepOf } from "../core/flips.js";
import { formatPercent, formatPlain } from "../core/numbers.js";
import { isSameLabel } from "../core/model.js";

/** @typedef {import("../types.d.ts").Column} Column */
/** @typedef {import("../types.d.ts").Value} Value */
/** @typedef {{ node: HTMLElement, show: (value: Value) => void }} Control */

/** @param {Column} column @param {(value: Value) => void} set @returns {Control} */
export function controlOf(column, set) {
  const { node, show } = column.kind === "category" ? menuOf(column, set) : sliderOf(column, set);
  return {
    node: html("li", { class: "control", "data-name": column.name.toLowerCase() }, node),
    show,
  };
}

/** @param {Column} column @param {(value: Value) => void} set */
function menuOf(column, set) {
  const categories = column.categories ?? [];
  /** @type {Value} */
  let shown = null;
  const menu = html(
    "select",
    {
      onchange: () => set(menu.value === "" ? null : (categories[Number(menu.value)]?.label ?? shown)),
    },
    categories.map(({ label, share }, k) =>
      html("option", { value: k }, `${label} (${formatPercent(share, 0)})`),
    ),
    column.missing &&
      html("option", { value: "" }, `missing (${formatPercent(column.missing_share, 0)})`),
  );
  // What the menu does not offer, but a row may have.
  const other = html("option", { value: "other" });
  return {
    node: field(column.name, menu),
    show: (/** @type {Value} */ value) => {
      shown = value;
      const place = categories.findIndex(({ label }) => isSameLabel(label, value));
      const offered = value === null ? column.missing : place >= 0;
      other.remove();
      if (!offered) {
        other.textContent = `${valueText(value, column)} (${column.all_listed || value === null ? "never" : "rarely or never"} in training)`;
        menu.append(other);
      }
      menu.value = !offered ? "other" : value === null ? "" : String(place);
    },
  };
}

/** @param {Column} column @param {(value: Value) => void} set */
function sliderOf(column, set) {
  const [low, high] = column.range ?? [0, 1],
    step = stepOf(column);
  const tidy = (/** @type {number} */ value) => Number(value.toPrecision(15));
  const id = newId("value"),
    label = `${column.name}${withUnit(column.unit)}`;
  const number = html("input", {
    type: "number",
    id,
    step: "any",
    inputmode: "decimal",
    oninput: () =>
      number.value !== "" && Number.isFinite(Number(number.value)) && set(Number(number.value)),
  });
  const slider = html("input", {
    type: "range",
    "aria-label": label,
    step,
    min: tidy(Math.floor(low / step) * step),
    max: tidy(Math.ceil(high / step) * step),
    oninput: () => set(Number(slider.value)),
  });
  const check = column.missing
    ? html("input", {
        type: "checkbox",
        id: newId("missing"),
        onchange: () => set(check?.checked ? null : Number(slider.value)),
      })
    : null;
  const distribution = distributionOf(column);
  const warning = html("span", { class: "muted" });
  const node = html(
    "div",
    { class: "field" },
    html(
      "div",
      { class: "between" },
      html(
        "label",
        { for: id },
        column.name,
        html("span", { class: "muted" }, withUnit(column.unit)),
      ),
      html(
        "span",
        { class: "value" },
        check && [
          check,
          html(
            "label",
            { for: check.id, class: "small" },
            "missing",
            html("span", { class: "hidden" }, ` ${column.name}`),
          ),
        ],
        number,
      ),
    ),
    distribution.node,
    slider,
    warning,
  );
  return {
    node,
    show: (/** @type {Value} */ value) => {
      const missing = value === null,
        given = Number(value);
      if (check) check.checked = missing;
      slider.disabled = number.disabled = missing && check !== null;
      if (missing) number.value = "";
      else {
        slider.value = String(given);
        if (document.activeElement !== number) number.value = formatPlain(given, digitsOf(given, column));
      }
      warning.textContent =
        missing && !column.missing
          ? "It was never missing in training."
          : !missing && (given < low || given > high)
            ? "Outside what training saw."
            : "";
      distribution.mark(missing ? null : given);
    },
  };
}

/** The share of the training rows in each part of the range, of which the one with the value is marked. @param {Column} column */
function distributionOf({ range: [low, high] = [0, 1], histogram = [] }) {
  const most = Math.max(...histogram, 1e-9);
  const bars = histogram.map((share, k) =>
    svg("rect", { x: k, width: 0.9, y: 10 - (10 * share) / most, height: (10 * share) / most }),
  );
  const node = svg(
    "svg",
    {
      class: "distribution",
      viewBox: `0 0 ${histogram.length || 1} 10`,
      preserveAspectRatio: "none",
      "aria-hidden": "true",
    },
    bars,
  );
  return {
    node,
    mark: (/** @type {number | null} */ value) => {
      const part = Math.floor((((value ?? NaN) - low) / (high - low || 1)) * histogram.length);
      // The last part has its upper end.
      const marked = value === high ? Math.min(part, histogram.length - 1) : part;
      bars.forEach((bar, k) => bar.setAttribute("class", k === marked ? "bar main" : "bar pale"));
    },
  };
}

/** Which variables are shown: the first few, all on demand, or those whose name is looked for. @param {Control[]} controls */
export function controlList(controls) {
  const few = 10;
  const list = html(
    "ol",
    { class: "controls" },
    controls.map(({ node }) => node),
  );
  if (controls.length <= few) return [list];
  let all = false;
  const filter = () => {
    const wanted = search.value.trim().toLowerCase();
    controls.forEach(({ node }, k) => {
      node.hidden = wanted === "" ? !all && k >= few : !node.dataset.name?.includes(wanted);
    });
    more.hidden = all || wanted !== "";
  };
  const search = html("input", { type: "search", oninput: filter });
  const more = button(`Show all ${controls.length} variables`, () => {
    all = true;
    filter();
    search.focus();
  });
  filter();
  return [field("Find a variable", search), list, more];
}
