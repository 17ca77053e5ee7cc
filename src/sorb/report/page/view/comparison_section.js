/** What simplicity costs beside other methods, and the models that are as good. */

import { capital, dataTable, html, section } from "./elements.js";
import { ends, figure } from "./plot.js";
import { listed, sentenceOf, voteText } from "./sentences.js";
import { formatCount, formatNumber, formatPercent } from "../core/numbers.js";
import { offsetsOf } from "../core/model.js";

/** @typedef {import("../types.d.ts").Method} Method */
/** @typedef {import("../types.d.ts").EqualModel} EqualModel */
/** @typedef {import("./plot.js").Mark} Mark */
/** @typedef {import("./plot.js").Point} Point */
/** @typedef {import("./state.js").PageStore} PageStore */

/** @param {PageStore} store @param {Method[]} methods @param {string[]} measureNames */
function methodParts(store, methods, measureNames) {
  const { outcome } = store.data;
  const sized = methods.filter((method) =>
    method.points.some((point) => point.complexity !== null),
  );
  const others = methods.filter((method) => !sized.includes(method) && method.points.length > 0);
  const risk = (/** @type {number} */ value) => value * outcome.measure_factor;
  // Methods that grow far larger would press the others into a corner.
  const largest = Math.max(1, ...store.data.curve.points.map((point) => point.complexity));
  const most = Math.min(
    3 * largest,
    Math.max(
      largest,
      ...sized.flatMap((method) => method.points.map((point) => point.complexity ?? 0)),
    ),
  );
  const best = (/** @type {Method} */ method) =>
    risk(Math.min(...method.points.map((point) => point.risk)));
  const y = ends(methods.flatMap((method) => method.points.map((point) => risk(point.risk))));
  /** @type {Mark[]} */
  const marks = [
    ...others.map(
      (method) =>
        /** @type {Mark} */ ({
          kind: "line",
          look: "dashed",
          label: method.name,
          points: [
            [0, best(method)],
            [most, best(method)],
          ],
        }),
    ),
    ...sized.map(
      (method, k) =>
        /** @type {Mark} */ ({
          kind: "line",
          look: k === 0 ? "main" : "",
          label: method.name,
          points: pointsOf(method),
        }),
    ),
    ...sized.map(
      (method, k) =>
        /** @type {Mark} */ ({
          kind: "dots",
          look: k === 0 ? "main" : "",
          size: 3,
          points: pointsOf(method),
        }),
    ),
  ];
  /** @param {Method} method @returns {Point[]} */
  function pointsOf(method) {
    return method.points
      .filter((point) => point.complexity !== null && point.complexity <= most)
      .map((point) => /** @type {Point} */ ([point.complexity, risk(point.risk)]))
      .sort((a, b) => a[0] - b[0]);
  }
  return [
    methods.some((method) => method.points.length > 0) &&
      figure({
        title: `${capital(outcome.measure)} of other methods`,
        story:
          "On the same rows; lower is better. Dashed: methods whose complexity does not compare, at their best; larger models than shown are among the numbers.",
        x: [0, most],
        y,
        xLabel: "complexity",
        yLabel: outcome.measure,
        marks,
        tall: 340,
        room: 14 + 6.6 * Math.max(...methods.map((method) => method.name.length)),
        head: ["method", "size", "complexity", outcome.measure],
        lines: () =>
          methods.flatMap((method) =>
            method.points.map((point) => [
              method.name,
              point.size,
              point.complexity === null ? "–" : formatNumber(point.complexity),
              formatNumber(risk(point.risk), 3),
            ]),
          ),
      }),
    dataTable(
      "Each method at its chosen size",
      ["method", ...measureNames, "what it is"],
      methods.map((method) => [
        method.name,
        ...measureNames.map((_, k) => method.measures[k] ?? "–"),
        method.what,
      ]),
      "figures last-text",
    ),
  ];
}

/** @param {PageStore} store @param {EqualModel} other */
function equalModel(store, other) {
  const { outcome } = store.data;
  const columns = [
    ...new Set(
      store.data.sizes[store.data.chosen].propositions.flatMap(({ document }) =>
        document.kind === "membership" ? [document.column] : document.columns,
      ),
    ),
  ];
  const without = columns.filter((name) => !other.columns.includes(name));
  const more = other.columns.filter((name) => !columns.includes(name));
  const difference = [
    without.length > 0 && `does without ${listed(without)}`,
    more.length > 0 && `uses ${listed(more)} as well`,
  ]
    .filter(Boolean)
    .join("; ");
  const alike = outcome.class_names
    ? `decides alike for ${formatPercent(other.agreement, 0)} of the rows`
    : `its predictions correlate by ${formatNumber(other.agreement, 3)}`;
  const risk = `${outcome.measure} ${formatNumber(other.risk * outcome.measure_factor, 3)}${other.risk_error === null ? "" : ` ± ${formatNumber(other.risk_error * outcome.measure_factor, 2)}`}`;
  return html(
    "li",
    {},
    html(
      "p",
      {},
      html("b", {}, other.how),
      ` – ${formatCount(other.model.rules.length, "rule")}, complexity ${formatNumber(other.complexity)}, ${risk}`,
    ),
    html("p", { class: "muted" }, `${capital(alike)}; ${difference || "the same variables"}.`),
    html(
      "details",
      {},
      html("summary", {}, "Its rules", html("span", { class: "hidden" }, ` (${other.how})`)),
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
              ` ${outcome.class_names?.[other.model.rules[k].output]}`,
            " ",
            html("span", {}, sentenceOf(tokens)),
          ),
        ),
      ),
    ),
  );
}

/** @param {PageStore} store */
export function comparisonSection(store) {
  const { comparison, outcome } = store.data;
  if (!comparison) return null;
  const { equal } = comparison;
  return section(
    "comparison",
    "Comparison",
    "What the simplicity costs, and which other models are about as good.",
    methodParts(store, comparison.methods, comparison.measure_names),
    equal.length > 0 && [
      html("h3", {}, `${formatCount(equal.length, "model")} about as good as this one`),
      html(
        "p",
        {},
        comparison.in_all.length > 0 && [
          "All of them use ",
          html("b", {}, listed(comparison.in_all)),
          ". ",
        ],
        comparison.in_some.length > 0 && [
          "Some use ",
          html("b", {}, listed(comparison.in_some)),
          ". ",
        ],
        comparison.unanimous !== null &&
          (outcome.class_names
            ? `All decide alike for ${formatPercent(comparison.unanimous, 0)} of the rows.`
            : `Their predictions of a row differ by ${formatNumber(comparison.unanimous, 3)} on average.`),
      ),
      html(
        "ol",
        { class: "rules" },
        equal.map((other) => equalModel(store, other)),
      ),
    ],
    comparison.notes.map((note) => html("p", { class: "note" }, note)),
  );
}
