/** What simplicity costs beside other methods, and the models that are not clearly worse. */

import { capital, dataTable, html, section } from "./elements.js";
import { ends, figure } from "./plot.js";
import { listed, sentenceOf, voteText } from "./sentences.js";
import { formatCount, formatNumber, formatPercent } from "../core/numbers.js";
import { columnsOf, offsetsOf } from "../core/model.js";

/** @typedef {import("../types.d.ts").Method} Method */
/** @typedef {import("../types.d.ts").EqualModel} EqualModel */
/** @typedef {import("./plot.js").Mark} Mark */
/** @typedef {import("./plot.js").Point} Point */
/** @typedef {import("./state.js").PageStore} PageStore */

/** The loss of each method against its complexity. @param {PageStore} store @param {Method[]} methods */
function methodFigure({ data }, methods) {
  const { measure, measure_factor: factor } = data.outcome;
  const losses = methods.flatMap((method) => method.points.map(({ risk }) => risk * factor));
  if (losses.length === 0) return null;
  const sized = methods.filter((method) =>
    method.points.some((point) => point.complexity !== null),
  );
  const others = methods.filter((method) => !sized.includes(method) && method.points.length > 0);
  // Methods that grow far larger would press the others into a corner.
  const largest = Math.max(1, ...data.curve.points.map((point) => point.complexity));
  const most = Math.max(
    largest,
    ...sized
      .flatMap((method) => method.points.map((point) => point.complexity ?? 0))
      .filter((complexity) => complexity <= 1.5 * largest),
  );
  const lines = sized.map((method, k) => ({
    look: k === 0 ? "main" : "",
    label: method.name,
    points: method.points
      .filter((point) => point.complexity !== null && point.complexity <= most)
      .map((point) => /** @type {Point} */ ([point.complexity, point.risk * factor]))
      .sort((a, b) => a[0] - b[0]),
  }));
  /** @param {Method} method @returns {Mark} */
  const level = (method) => {
    const best = factor * Math.min(...method.points.map((point) => point.risk));
    const points = /** @type {Point[]} */ ([0, most].map((x) => [x, best]));
    return { kind: "line", look: "dashed", label: method.name, points };
  };
  return figure({
    title: `${capital(measure)} of other methods`,
    story:
      "On the test rows; lower is better. Dashed: the best of methods whose complexity cannot be compared. The table of numbers also lists larger models.",
    x: [0, most],
    y: ends(losses),
    xLabel: "complexity",
    yLabel: measure,
    marks: [
      ...others.map(level),
      ...lines.map((line) => /** @type {Mark} */ ({ kind: "line", ...line })),
      ...lines.map(({ look, points }) => /** @type {Mark} */ ({ kind: "dots", size: 3, look, points })),
    ],
    tall: 340,
    room: 14 + 6.6 * Math.max(...methods.map((method) => method.name.length)),
    head: ["method", "size", "complexity", measure],
    lines: () =>
      methods.flatMap((method) =>
        method.points.map((point) => [
          method.name,
          point.size,
          point.complexity === null ? "–" : formatNumber(point.complexity),
          formatNumber(point.risk * factor, 3),
        ]),
      ),
  });
}

/** @param {Method[]} methods @param {string[]} measureNames */
const methodTable = (methods, measureNames) =>
  dataTable(
    "Each method at its chosen size",
    ["method", ...measureNames, "what it is"],
    methods.map((method) => [
      method.name,
      ...measureNames.map((_, k) => method.measures[k] ?? "–"),
      method.what,
    ]),
    "figures last-text",
  );

/** Which variables another model takes or leaves. @param {string[]} own @param {EqualModel} other */
function differenceOf(own, other) {
  const without = own.filter((name) => !other.columns.includes(name));
  const more = other.columns.filter((name) => !own.includes(name));
  return (
    [without.length > 0 && `without ${listed(without)}`, more.length > 0 && `with ${listed(more)}`]
      .filter(Boolean)
      .join("; ") || "the same"
  );
}

/** This model and those that are not clearly worse, line by line. @param {PageStore} store @param {EqualModel[]} equal */
function equalTable({ data }, equal) {
  const { outcome } = data,
    { rules, model, complexity } = data.sizes[data.chosen];
  const point = data.curve.points.find(({ size }) => size === data.chosen);
  const text = (/** @type {number} */ risk, /** @type {number | null | undefined} */ error) =>
    formatNumber(risk * outcome.measure_factor) +
    (error ? ` ± ${formatNumber(error * outcome.measure_factor, 2)}` : "");
  const own = [...new Set(model.rules.flatMap(({ condition }) => condition.flatMap(columnsOf)))];
  return dataTable(
    "Side by side",
    [
      "model",
      "rules",
      "complexity",
      outcome.measure,
      "more on test rows",
      outcome.class_names ? "same decision" : "correlation",
      "variables",
    ],
    [
      [
        html("b", {}, "this model"),
        rules.length,
        formatNumber(complexity),
        text(point?.validation ?? point?.test ?? NaN, point?.validation_error),
        "–",
        "–",
        listed(own),
      ],
      ...equal.map((other) => [
        other.how,
        other.model.rules.length,
        formatNumber(other.complexity),
        text(other.risk, other.risk_error),
        text(other.worse, other.worse_error),
        outcome.class_names
          ? formatPercent(other.agreement, 0)
          : formatNumber(other.agreement),
        differenceOf(own, other),
      ]),
    ],
    "figures last-text",
  );
}

/** @param {PageStore} store @param {EqualModel} other */
const rulesOf = ({ data }, other) =>
  html(
    "details",
    {},
    html("summary", {}, `The rules: ${other.how}`),
    html(
      "p",
      { class: "muted" },
      `Start: ${offsetsOf(other.model)
        .map((offset) => formatNumber(offset))
        .join(", ")}`,
    ),
    html(
      "ol",
      { class: "plain-rules" },
      other.tokens.map((tokens, k) =>
        html(
          "li",
          {},
          html("b", {}, voteText(other.model.rules[k].weight)),
          other.model.loss === "softmax" &&
            ` ${data.outcome.class_names?.[other.model.rules[k].output]}`,
          " ",
          html("span", {}, sentenceOf(tokens)),
        ),
      ),
    ),
  );

/** @param {PageStore} store */
export function comparisonSection(store) {
  const { comparison, outcome } = store.data;
  if (!comparison) return null;
  const { equal } = comparison;
  return section(
    "comparison",
    "Comparison",
    "What simplicity costs, and which other models are not clearly worse.",
    methodFigure(store, comparison.methods),
    methodTable(comparison.methods, comparison.measure_names),
    equal.length > 0 && [
      html("h3", {}, `${formatCount(equal.length, "model")} not clearly worse than this one`),
      html(
        "p",
        {},
        "They were learned from the same rows with other random numbers, or without a variable. ",
        `Chance may explain how much higher their ${outcome.measure} is on the test rows: it is less than about twice its standard error (±). With few test rows, that says little. `,
        comparison.in_all.length > 0 && [
          "All of them, and this model, use ",
          html("b", {}, listed(comparison.in_all)),
          "; ",
          comparison.in_some.length > 0
            ? ["only some use ", html("b", {}, listed(comparison.in_some))]
            : "none uses any other variable",
          ". ",
        ],
        comparison.unanimous !== null &&
          (outcome.class_names
            ? `They and this model decide alike for ${formatPercent(comparison.unanimous, 0)} of the test rows; for the others, the data leave the decision open.`
            : `Their predictions of a test row differ by ${formatNumber(comparison.unanimous, 3)} on average (standard deviation).`),
      ),
      equalTable(store, equal),
      equal.map((other) => rulesOf(store, other)),
    ],
    comparison.notes.map((note) => html("p", { class: "note" }, note)),
  );
}
