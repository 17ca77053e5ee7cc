/** How good a model is, from its sums: measures, curves and subgroups, of one model or of two side by side. */

import { capital, html, dataTable } from "./elements.js";
import { ends, figure } from "./plot.js";
import {
  calibrationBins,
  decisionCurve,
  precisionRecallCurve,
  rankGroups,
  rocCurve,
} from "../core/curves.js";
import { measureGroup } from "../core/drafts.js";
import { measure } from "../core/measures.js";
import { formatCount, formatNumber, formatPercent } from "../core/numbers.js";
import { totalOf } from "../core/sums.js";

/** @typedef {import("../types.d.ts").PageData} PageData */
/** @typedef {import("../types.d.ts").Size} Size */
/** @typedef {import("../core/drafts.js").Draft} Draft */
/** @typedef {import("../core/measures.js").Judged} Judged */
/** @typedef {import("../core/measures.js").Measured} Measured */
/** @typedef {import("./plot.js").Mark} Mark */
/** @typedef {import("./plot.js").Point} Point */
/** @typedef {{ name: string, judged: Judged, look: string }} Series */

const THRESHOLDS = Array.from({ length: 49 }, (_, k) => (k + 1) / 50);

/** @param {PageData} data @returns {[string, (m: Measured) => string | null][]} */
function measuresOf({ outcome }) {
  const hasManyClasses = (outcome.class_names?.length ?? 0) > 2;
  const share = (/** @type {number | null} */ value) =>
    value === null ? null : formatPercent(value, 1);
  const plain = (/** @type {number | null} */ value) =>
    value === null ? null : formatNumber(Math.abs(value) < 1e-9 ? 0 : value, 3);
  return [
    [outcome.measure, (m) => plain(m.risk * outcome.measure_factor)],
    [hasManyClasses ? "AUC, mean of the classes" : "AUC", (m) => plain(m.auc)],
    ["accuracy", (m) => share(m.error === null ? null : 1 - m.error)],
    ["sensitivity", (m) => share(m.sensitivity)],
    ["specificity", (m) => share(m.specificity)],
    ["predictive value +", (m) => share(m.ppv)],
    ["predictive value −", (m) => share(m.npv)],
    ["R²", (m) => plain(m.r2)],
    ["root mean squared error", (m) => plain(m.rmse)],
    ["Brier score", (m) => plain(m.brier)],
    ["calibration error", (m) => (outcome.class_names ? share : plain)(m.calibrationError)],
    ["predicted less observed, on average", (m) => plain(m.calibrationGap)],
  ];
}

/** One column of measures for each of these. @param {string} caption @param {PageData} data @param {Series[]} series */
export function measureTable(caption, data, series) {
  const found = series.map(({ judged }) => measure(judged, data.outcome.cutoff));
  const lines = measuresOf(data)
    .map(([name, text]) => [name, ...found.map((m) => m && text(m))])
    .filter((line) => line.slice(1).some((cell) => cell !== null));
  lines.unshift(["rows", ...found.map((m) => (m ? formatNumber(m.n) : "0"))]);
  return dataTable(
    caption,
    ["", ...series.map(({ name }) => name)],
    lines.map((line) => line.map((cell) => cell ?? "–")),
    "figures",
  );
}

/** @param {PageData} data @param {Series[]} series @param {number} k the class, if there are more than two */
export function calibrationFigure(data, series, k = 0) {
  const names = data.outcome.class_names;
  const bins = series.map(({ judged }) => calibrationBins(judged, k));
  const values = bins.flat().flatMap((bin) => [bin.expected, bin.occurred]);
  const range = /** @type {Point} */ (names ? [0, 1] : ends(values));
  const most = Math.max(...bins.flat().map((bin) => bin.n));
  const text = (/** @type {number} */ value) =>
    names ? formatPercent(value, 0) : formatNumber(value, 3);
  return figure({
    title: "Calibration",
    story: "What was predicted against what happened; on the diagonal they agree. Larger dots have more rows.",
    x: range,
    y: range,
    xLabel: "predicted",
    yLabel: "observed",
    xText: text,
    yText: text,
    tall: 300,
    marks: [
      {
        kind: "line",
        points: [
          [range[0], range[0]],
          [range[1], range[1]],
        ],
        look: "faint",
      },
      ...bins.flatMap((found, s) => {
        const points = found.map((bin) => /** @type {Point} */ ([bin.expected, bin.occurred]));
        return /** @type {Mark[]} */ ([
          {
            kind: "line",
            points,
            look: series[s].look,
            ...labelOf(series, s, (range[0] + range[1]) / 2),
          },
          {
            kind: "dots",
            points,
            look: series[s].look === "main" ? "chosen" : "",
            size: found.map((bin) => 2.5 + 4.5 * Math.sqrt(bin.n / most)),
          },
        ]);
      }),
    ],
    head: ["model or rows", "predicted", "observed", "rows"],
    lines: () =>
      bins.flatMap((found, s) =>
        found.map((bin) => [
          series[s].name,
          formatNumber(bin.expected, 3),
          formatNumber(bin.occurred, 3),
          formatNumber(bin.n),
        ]),
      ),
  });
}

/** The name of a line beside it, if there is another. @param {Series[]} series @param {number} s @param {number} near */
const labelOf = (series, s, near) => (series.length > 1 ? { label: series[s].name, near } : {});

/** @param {Series[]} series @param {string} title @param {string} story @param {[string, string]} labels
 * @param {(judged: Judged) => { x: number, y: number, at: number }[]} curve @param {number | null} level */
function shareFigure(series, title, story, labels, curve, level) {
  const found = series.map(({ judged }) => curve(judged));
  if (found.every((points) => points.length === 0)) return null;
  const text = (/** @type {number} */ value) => formatPercent(value, 0);
  return figure({
    title,
    story,
    x: [0, 1],
    y: [0, 1],
    xLabel: labels[0],
    yLabel: labels[1],
    xText: text,
    yText: text,
    tall: 300,
    marks: [
      {
        kind: "line",
        points:
          level === null
            ? [
                [0, 0],
                [1, 1],
              ]
            : [
                [0, level],
                [1, level],
              ],
        look: "faint",
      },
      ...found.map(
        (points, s) =>
          /** @type {Mark} */ ({
            kind: "line",
            points: points.map(({ x, y }) => [x, y]),
            look: series[s].look,
            ...labelOf(series, s, 0.4),
          }),
      ),
    ],
    head: ["rows", "from", ...labels],
    lines: () =>
      found.flatMap((points, s) =>
        points.map(({ x, y, at }) => [
          series[s].name,
          at > 1 ? "–" : formatNumber(at, 3),
          formatNumber(x, 3),
          formatNumber(y, 3),
        ]),
      ),
  });
}

/** @param {Series[]} series @param {number} k */
export function rocFigure(series, k = 0) {
  return shareFigure(
    series,
    "ROC curve",
    "The share of cases found against the share of false alarms, at every cut-off.",
    ["false alarms", "found"],
    (judged) => rocCurve(rankGroups(judged, k)),
    null,
  );
}

/** @param {Series[]} series @param {number} k */
export function precisionFigure(series, k = 0) {
  const { positive, negative } = rankGroups(series[0].judged, k);
  const found = totalOf(positive);
  return shareFigure(
    series,
    "Precision and recall",
    "How many of those picked out are right, against how many of the cases are found.",
    ["found (recall)", "right (precision)"],
    (judged) => precisionRecallCurve(rankGroups(judged, k)),
    found / (found + totalOf(negative)),
  );
}

/** @param {PageData} data @param {Series[]} series @param {number} k */
export function decisionFigure(data, series, k = 0) {
  const curves = series.map(({ judged }) => decisionCurve(rankGroups(judged, k), THRESHOLDS));
  const all = curves[0].map(
    ({ threshold, all: benefit }) => /** @type {Point} */ ([threshold, benefit]),
  );
  const top = Math.max(0.01, ...curves.flat().map(({ model }) => model), all[0][1]);
  const low = -0.25 * top;
  const kept = all.filter(([, benefit]) => benefit >= low);
  const { cutoff } = data.outcome;
  return figure({
    title: "Decision curve",
    story: "Net benefit of acting on those above a threshold; higher is better.",
    x: [0, 1],
    y: [low, top * 1.08],
    xLabel: "threshold",
    yLabel: "net benefit",
    xText: (x) => formatPercent(x, 0),
    tall: 300,
    marks: [
      {
        kind: "line",
        points: [
          [0, 0],
          [1, 0],
        ],
        look: "faint",
      },
      { kind: "line", points: kept, look: "dotted" },
      { kind: "text", x: 1, y: low * 0.55, text: "act on nobody: 0", look: "quiet", anchor: "end" },
      // Where few rows are of the class, acting on all is off the chart.
      ...kept
        .slice(-1)
        .map(
          ([x]) =>
            /** @type {Mark} */ ({
              kind: "text",
              x: x + 0.02,
              y: low * 0.95,
              text: "act on all",
              look: "quiet",
            }),
        ),
      ...(cutoff === null || k > 0
        ? []
        : [/** @type {Mark} */ ({ kind: "upright", x: cutoff, label: "cut-off" })]),
      ...curves.map(
        (curve, s) =>
          /** @type {Mark} */ ({
            kind: "line",
            look: series[s].look,
            ...labelOf(series, s, 0.22),
            points: curve
              .filter(({ model }) => model >= low)
              .map(({ threshold, model }) => [threshold, model]),
          }),
      ),
    ],
    head: ["threshold", ...series.map(({ name }) => name), "act on all"],
    lines: () =>
      THRESHOLDS.map((threshold, t) => [
        formatNumber(threshold),
        ...curves.map((curve) => formatNumber(curve[t].model, 3)),
        formatNumber(all[t][1], 3),
      ]),
  });
}

/**
 * How the model does in parts of the table; those with the highest risk are named first.
 * @param {PageData} data @param {Size} size @param {{ name: string, draft: Draft }[]} drafts the last one is judged in words
 * @returns {Generator<void, HTMLElement | null>}
 */
export function* subgroupPart(data, size, drafts) {
  const { outcome } = data,
    groups = size.cells.subgroups;
  if (groups.length === 0) return null;
  const classes = outcome.class_names;
  const risk = (/** @type {Measured | null | undefined} */ m) =>
    m ? formatNumber(m.risk * outcome.measure_factor, 3) : "–";
  const second = (/** @type {Measured | null | undefined} */ m) =>
    !m
      ? "–"
      : classes
        ? m.auc === null
          ? "–"
          : formatNumber(m.auc, 3)
        : formatNumber(m.rmse ?? m.calibrationGap ?? 0, 3);
  const shown = [];
  for (const group of groups) {
    const { sums } = group;
    if (group.suppressed || !sums) continue;
    const found = drafts.map(({ draft }) => measureGroup(draft, sums, size, outcome.cutoff));
    shown.push({ group, found });
    yield;
  }
  const last = drafts.length - 1,
    few = 8;
  shown.sort((a, b) => (b.found[last]?.risk ?? 0) - (a.found[last]?.risk ?? 0));
  const lines = shown.map(({ group, found }) => [
    `${group.column}: ${group.part}`,
    found[0] ? formatNumber(found[0].n) : "–",
    ...found.map(risk),
    ...found.map(second),
  ]);
  const hidden = groups.length - shown.length;
  if (shown.length === 0)
    return html("p", { class: "note" }, "All subgroups have too few rows to be shown.");
  const rmse = shown.some(({ found }) => found[0]?.rmse);
  const head = [
    "group",
    "rows",
    ...drafts.map(({ name }) => `${outcome.measure}${name}`),
    ...drafts.map(
      ({ name }) =>
        `${classes ? "AUC" : rmse ? "root mean squared error" : "predicted less observed"}${name}`,
    ),
  ];
  return html(
    "div",
    { class: "subgroups" },
    html("h3", {}, "Subgroups"),
    html(
      "p",
      {},
      `Highest ${outcome.measure}: `,
      shown
        .slice(0, 3)
        .map(({ group, found }, k) => [
          k > 0 && ", ",
          html("b", {}, `${group.column} ${group.part}`),
          ` (${risk(found[last])})`,
        ]),
      ".",
    ),
    dataTable(
      `${capital(outcome.measure)} by subgroup, ${size.cells.test ? "test" : "training"} rows, the highest first`,
      head,
      lines.slice(0, few),
      "figures",
    ),
    lines.length > few &&
      html(
        "details",
        {},
        html("summary", {}, `${lines.length - few} more groups`),
        dataTable("The other groups", head, lines.slice(few), "figures"),
      ),
    hidden > 0 &&
      html(
        "p",
        { class: "note" },
        `${formatCount(hidden, "group")} with too few rows ${hidden === 1 ? "is" : "are"} not shown.`,
      ),
  );
}
