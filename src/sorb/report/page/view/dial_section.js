/** Risk against complexity, and the control that chooses a size for the whole page. */

import { capital, fill, html, newId, section } from "./elements.js";
import { ends, figure } from "./plot.js";
import { formatCount, formatNumber } from "../core/numbers.js";

/** @typedef {import("../types.d.ts").CurvePoint} CurvePoint */
/** @typedef {import("./plot.js").Point} Point */
/** @typedef {import("./state.js").PageStore} PageStore */

/** A mean loss as users read it. @param {PageStore} store @param {number | null} risk */
const lossOn = ({ data }, risk) => (risk === null ? null : risk * data.outcome.measure_factor);

/** @param {PageStore} store @param {number | null} risk @param {number} [digits] */
const lossText = (store, risk, digits = 3) =>
  risk === null ? "–" : formatNumber(Number(lossOn(store, risk)), digits);

/** The loss that a point is chosen by. @param {CurvePoint} point */
const mainRisk = (point) => point.validation ?? point.test ?? point.training;

/** @param {PageStore} store @param {CurvePoint} point */
const labelOfStop = (store, point) =>
  `${formatCount(point.n_rules, "rule")}, complexity ${formatNumber(point.complexity)}, ${store.data.outcome.measure} ${lossText(store, mainRisk(point))}`;

/** What is known of the size that is shown. @param {PageStore} store @param {CurvePoint} point */
function sizeInWords(store, point) {
  const { outcome, chosen } = store.data;
  const { validation, validation_error: error } = point;
  return [
    html("b", { class: "large" }, formatCount(point.n_rules, "rule")),
    `Complexity ${formatNumber(point.complexity)}. ${capital(outcome.measure)}: `,
    validation !== null && [
      html("b", {}, lossText(store, validation)),
      ` in validation${error === null ? "" : ` (± ${lossText(store, error, 2)})`}, `,
    ],
    point.test !== null && [html("b", {}, lossText(store, point.test)), " on test rows, "],
    `${lossText(store, point.training)} on training rows.`,
    point.size === chosen ? " This is the size that was chosen." : " Another size was chosen.",
  ];
}

/**
 * Loss against complexity.
 * @param {PageStore} store @param {CurvePoint[]} points the smallest first @param {CurvePoint} shown
 * @param {(point: CurvePoint) => void} choose
 */
function curveFigure(store, points, shown, choose) {
  const { outcome, curve } = store.data;
  const stops = points.filter((point) => point.size !== null);
  const at = (/** @type {number | null} */ risk) => Number(lossOn(store, risk));
  /** @param {"training" | "validation" | "test"} split @returns {Point[]} */
  const line = (split) =>
    points
      .filter((point) => point[split] !== null)
      .map((point) => [point.complexity, at(point[split])]);
  const [training, validation, test] = [line("training"), line("validation"), line("test")];
  const band = points
    .filter((point) => point.validation !== null && point.validation_error !== null)
    .map((point) => {
      const middle = at(point.validation),
        spread = at(point.validation_error);
      return /** @type {[number, number, number]} */ ([
        point.complexity,
        middle - spread,
        middle + spread,
      ]);
    });
  const losses = [...training, ...validation, ...test].map(([, loss]) => loss);
  const dot = (/** @type {CurvePoint} */ point) =>
    /** @type {Point} */ ([point.complexity, at(mainRisk(point))]);
  return figure({
    title: `${capital(outcome.measure)} against complexity`,
    story: `Lower is better.${curve.validation ? ` Validation: ${curve.validation}; the band is one standard error.` : ""} Each dot is a model on this page.`,
    x: [points[0].complexity, Math.max(1, points[points.length - 1].complexity)],
    y: ends([...losses, ...band.flatMap(([, low, high]) => [low, high])]),
    xLabel: "complexity",
    yLabel: outcome.measure,
    tall: 320,
    room: 80,
    pick: (complexity) => {
      const distance = (/** @type {CurvePoint} */ stop) => Math.abs(stop.complexity - complexity);
      choose([...stops].sort((a, b) => distance(a) - distance(b))[0]);
    },
    marks: [
      { kind: "band", points: band },
      { kind: "line", points: training, look: "dotted", label: "training" },
      { kind: "line", points: test, look: "dashed", label: "test" },
      { kind: "line", points: validation, look: "main", label: "validation" },
      {
        kind: "dots",
        points: stops.map(dot),
        look: "main",
        size: 5,
        names: stops.map((stop) => labelOfStop(store, stop)),
      },
      { kind: "dots", points: [dot(shown)], look: "chosen", size: 7 },
    ],
    head: ["complexity", "rules", "training", "validation", "± error", "test"],
    lines: () =>
      points.map((point) => [
        formatNumber(point.complexity),
        point.n_rules,
        lossText(store, point.training),
        lossText(store, point.validation),
        lossText(store, point.validation_error),
        lossText(store, point.test),
      ]),
  });
}

/** @param {PageStore} store */
export function dialSection(store) {
  const { data, state } = store;
  const points = [...data.curve.points].sort((a, b) => a.complexity - b.complexity);
  const stops = points.filter((point) => point.size !== null);
  const choose = (/** @type {CurvePoint} */ point) =>
    point.size !== null && point.size !== state.size && store.choose(point.size);
  const words = html("p", { class: "dial-words" });
  const picture = html("div");
  const id = newId("dial");
  const slider = html("input", {
    type: "range",
    id,
    min: 0,
    max: stops.length - 1,
    step: 1,
    oninput: () => choose(stops[Number(slider.value)]),
  });
  store.follow(
    ["size"],
    () => {
      const index = stops.findIndex((point) => point.size === state.size),
        shown = stops[index];
      slider.value = String(index);
      slider.setAttribute("aria-valuetext", labelOfStop(store, shown));
      fill(words, sizeInWords(store, shown));
      fill(picture, curveFigure(store, points, shown, choose));
    },
    picture,
  );
  return section(
    "size",
    "Size",
    "Fewer rules are easier to read and to check; more rules may predict better. Move the slider, and everything on this page follows.",
    html(
      "div",
      { class: "dial" },
      html(
        "div",
        {},
        words,
        stops.length > 1 && [
          html("label", { for: id }, "Size of the model"),
          slider,
          html(
            "div",
            { class: "between muted" },
            html("span", {}, "smaller"),
            html("span", {}, "larger"),
          ),
        ],
      ),
      picture,
    ),
  );
}
