/** A condition as a picture: the rows by the value that it compares, by outcome, with the cut. */

import { ends, figure } from "./plot.js";
import { formatNumber } from "../core/numbers.js";

/** @typedef {import("../types.d.ts").PageData} PageData */
/** @typedef {import("../types.d.ts").PropositionView} PropositionView */
/** @typedef {import("./plot.js").Chart} Chart */
/** @typedef {import("./plot.js").Mark} Mark */

/**
 * @param {PageData} data @param {PropositionView} proposition @param {number} shift
 * @param {number} output @param {number | null} cut the place of the threshold that is drawn
 */
export function projectionFigure(data, proposition, shift, output, cut) {
  const seen = proposition.projection;
  if (!seen || !proposition.cuts || cut === null) return null;
  const threshold = proposition.cuts[cut] * seen.scale;
  const width = (seen.to - seen.from) / seen.w.length || 1;
  const left = seen.w.map((_, k) => seen.from + k * width);
  const names = data.outcome.class_names;
  const upright = /** @type {Mark} */ ({
    kind: "upright",
    x: threshold,
    label: formatNumber(threshold, 4),
  });
  const title = `Where ${proposition.cut_texts?.[cut] ?? proposition.words}`;
  /** @type {Pick<Chart, "title" | "x" | "xLabel">} */
  const shared = {
    title,
    x: [Math.min(seen.from, threshold), Math.max(seen.to, threshold)],
    xLabel: seen.label,
  };
  if (!names) {
    const means = seen.w.map((w, k) => (w > 0 ? shift + (seen.wy?.[k] ?? 0) / w : null));
    const dots = /** @type {[number, number][]} */ (
      left.map((x, k) => [x + width / 2, means[k]]).filter(([, y]) => y !== null)
    );
    const most = Math.max(...seen.w);
    return figure({
      ...shared,
      y: ends(dots.map(([, y]) => y)),
      yLabel: `mean ${data.outcome.name}`,
      story: "Each dot is a group of rows with similar values; larger dots have more rows. Dashed line: the threshold.",
      marks: [
        {
          kind: "dots",
          points: dots,
          look: "chosen",
          size: seen.w.filter((w) => w > 0).map((w) => 1.5 + 5 * Math.sqrt(w / most)),
        },
        upright,
      ],
      head: ["from", "to", "rows", "mean"],
      lines: () =>
        left.map((x, k) => [
          formatNumber(x),
          formatNumber(x + width),
          formatNumber(seen.w[k]),
          means[k] === null ? "–" : formatNumber(/** @type {number} */ (means[k])),
        ]),
    });
  }
  const shown = names.length === 2 ? 1 : output;
  const above = seen.by_class
    ? seen.by_class[shown]
    : (seen.wy ?? []).map((wy, k) => wy + shift * seen.w[k]);
  const below = seen.w.map((w, k) => Math.max(0, w - above[k]));
  const most = Math.max(1, ...above, ...below);
  const other = names.length === 2 ? names[0] : "other";
  return figure({
    ...shared,
    y: [-most * 1.15, most * 1.15],
    yLabel: "rows",
    yText: (y) => formatNumber(Math.abs(y)),
    story: `Bars up: rows that are ${names[shown]}. Bars down: ${other}. Dashed line: the threshold.`,
    marks: [
      { kind: "bars", look: "main", bars: left.map((x, k) => [x, x + width, 0, above[k]]) },
      { kind: "bars", look: "", bars: left.map((x, k) => [x, x + width, -below[k], 0]) },
      { kind: "text", x: shared.x[0], y: most * 0.95, text: names[shown], look: "main" },
      { kind: "text", x: shared.x[0], y: -most * 1.05, text: other, look: "quiet" },
      upright,
    ],
    head: ["from", "to", names[shown], other],
    lines: () =>
      left.map((x, k) => [
        formatNumber(x),
        formatNumber(x + width),
        formatNumber(above[k]),
        formatNumber(below[k]),
      ]),
  });
}
