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
import { formatColumn, formatCount, formatDecimals, formatNumber, formatPercent } from "../core/numbers.js";
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

/** The numbers of a line, and how they are written together.
 * @typedef {{ name: string, of: (m: Measured) => number | null, write?: (values: (number | null)[]) => string[] }} MeasureLine */

const shares = (/** @type {(number | null)[]} */ values) =>
  values.map((value) => (value === null ? "–" : formatPercent(value, 1)));
const areas = (/** @type {(number | null)[]} */ values) =>
  values.map((value) => (value === null ? "–" : formatDecimals(value, 3)));

/** @param {PageData} data @returns {MeasureLine[]} */
function measuresOf({ outcome }) {
  const hasManyClasses = (outcome.class_names?.length ?? 0) > 2;
  return [
    { name: outcome.measure, of: (m) => m.risk * outcome.measure_factor },
    { name: hasManyClasses ? "AUC, mean of the classes" : "AUC", of: (m) => m.auc, write: areas },
    { name: "accuracy", of: (m) => (m.error === null ? null : 1 - m.error), write: shares },
    { name: "sensitivity", of: (m) => m.sensitivity, write: shares },
    { name: "specificity", of: (m) => m.specificity, write: shares },
    { name: "predictive value +", of: (m) => m.ppv, write: shares },
    { name: "predictive value −", of: (m) => m.npv, write: shares },
    { name: "R²", of: (m) => m.r2 },
    { name: "root mean squared error", of: (m) => m.rmse },
    { name: "Brier score", of: (m) => m.brier },
    { name: "calibration error", of: (m) => m.calibrationError, write: outcome.class_names ? shares : formatColumn },
    {
      name: "predicted less observed, on average",
      of: ({ calibrationGap: gap }) => (gap !== null && Math.abs(gap) < 1e-9 ? 0 : gap),
    },
  ];
}

/** One column of measures for each of these. @param {string} caption @param {PageData} data @param {Series[]} series */
export function measureTable(caption, data, series) {
  const found = series.map(({ judged }) => measure(judged, data.outcome.cutoff));
  const lines = measuresOf(data)
    .map(({ name, of, write }) => ({ name, write, values: found.map((m) => m && of(m)) }))
    .filter(({ values }) => values.some((value) => value !== null))
    .map(({ name, write, values }) => [name, ...(write ?? formatColumn)(values)]);
  lines.unshift(["rows", ...found.map((m) => (m ? formatNumber(m.n) : "0"))]);
  return dataTable(caption, ["", ...series.map(({ name }) => name)], lines, "figures");
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
 * How the model does in parts of the table, those with the highest risk first.
 * @param {PageData} data @param {Size} size @param {{ name: string, draft: Draft }[]} drafts
 * @param {boolean} edited whether the last one is not the model of this size, of which groups are known to be worse
 * @returns {Generator<void, HTMLElement | null>}
 */
export function* subgroupPart(data, size, drafts, edited) {
  const { outcome } = data,
    groups = size.cells.subgroups;
  if (groups.length === 0) return null;
  const classes = outcome.class_names;
  /** @type {{ group: import("../types.d.ts").Subgroup, found: (Measured | null)[] }[]} */
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
  // Columns of one measure are written alike, whichever model they are of.
  const written = (/** @type {(m: Measured) => number | null} */ of, write = formatColumn) => {
    const texts = write(shown.flatMap(({ found }) => found.map((m) => m && of(m))));
    return shown.map((_, g) => texts.slice(g * drafts.length, (g + 1) * drafts.length));
  };
  const risks = written((m) => m.risk * outcome.measure_factor);
  const seconds = classes
    ? written((m) => m.auc, areas)
    : written((m) => m.rmse ?? m.calibrationGap ?? 0);
  const worse = shown.flatMap(({ group }, g) => (group.worse ? [{ group, risk: risks[g][last] }] : []));
  const lines = shown.map(({ group, found }, g) => [
    `${group.column}: ${group.part}`,
    found[0] ? formatNumber(found[0].n) : "–",
    ...risks[g],
    ...seconds[g],
  ]);
  const hidden = groups.length - shown.length;
  if (shown.length === 0)
    return html("p", { class: "note" }, "All subgroups have too few rows to be shown.");
  const rmse = shown.some(({ found }) => found[0]?.rmse);
  const head = [
    "subgroup",
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
    !edited &&
      html(
        "p",
        {},
        `Of ${formatCount(shown.length, "subgroup")}, ${worse.length || "none"} ${worse.length > 1 ? "have" : "has"} a ${outcome.measure} above that of the other rows by more than chance explains`,
        worse.length > 3 ? "; the highest: " : worse.length > 0 && ": ",
        worse
          .slice(0, 3)
          .map(({ group, risk }, k) => [
            k > 0 && ", ",
            html("b", {}, `${group.column} ${group.part}`),
            ` (${risk})`,
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
        html("summary", {}, `${lines.length - few} more subgroups`),
        dataTable("The other subgroups", head, lines.slice(few), "figures"),
      ),
    hidden > 0 &&
      html(
        "p",
        { class: "note" },
        `${formatCount(hidden, "subgroup")} with too few rows ${hidden === 1 ? "is" : "are"} not shown.`,
      ),
  );
}
