/** Risk against complexity, and the control that chooses a size for the whole page. */

import { capital, fill, html, newId, section } from "./elements.js";
import { ends, figure } from "./plot.js";
import { formatCount, formatNumber } from "../core/numbers.js";

/** @typedef {import("../types.d.ts").CurvePoint} CurvePoint */
/** @typedef {import("./plot.js").Mark} Mark */
/** @typedef {import("./plot.js").Point} Point */
/** @typedef {import("./state.js").PageStore} PageStore */

/** @param {PageStore} store */
export function dialSection(store) {
  const { data, state } = store;
  const { outcome, curve } = data;
  const points = [...curve.points].sort((a, b) => a.complexity - b.complexity);
  const stops = points.filter((point) => point.size !== null);
  const at = (/** @type {number | null} */ risk) =>
    risk === null ? null : risk * outcome.measure_factor;
  const text = (/** @type {number | null} */ risk) =>
    risk === null ? "–" : formatNumber(/** @type {number} */ (at(risk)), 3);
  /** @param {keyof CurvePoint & ("training" | "validation" | "test")} split @returns {Point[]} */
  const line = (split) =>
    points
      .filter((point) => point[split] !== null)
      .map((point) => [point.complexity, /** @type {number} */ (at(point[split]))]);
  const band = points
    .filter((point) => point.validation !== null && point.validation_error !== null)
    .map((point) => {
      const middle = Number(at(point.validation)),
        spread = Number(at(point.validation_error));
      return /** @type {[number, number, number]} */ ([
        point.complexity,
        middle - spread,
        middle + spread,
      ]);
    });
  const validated = line("validation");
  const y = ends(
    [
      ...line("training"),
      ...line("validation"),
      ...line("test"),
      ...band.flatMap(
        ([x, low, high]) =>
          /** @type {Point[]} */ ([
            [x, low],
            [x, high],
          ]),
      ),
    ].map(([, risk]) => risk),
  );
  const x = /** @type {Point} */ ([
    Math.min(...points.map((p) => p.complexity)),
    Math.max(1, ...points.map((p) => p.complexity)),
  ]);
  const label = (/** @type {CurvePoint} */ point) =>
    `${formatCount(point.n_rules, "rule")}, complexity ${formatNumber(point.complexity)}, ${outcome.measure} ${text(point.validation ?? point.test ?? point.training)}`;
  const choose = (/** @type {CurvePoint | undefined} */ point) =>
    point && point.size !== null && point.size !== state.size && store.choose(point.size);

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
        point = stops[index];
      slider.value = String(index);
      slider.setAttribute("aria-valuetext", label(point));
      fill(
        words,
        html("b", { class: "large" }, formatCount(point.n_rules, "rule")),
        `Complexity ${formatNumber(point.complexity)}. ${capital(outcome.measure)}: `,
        point.validation !== null && [
          html("b", {}, text(point.validation)),
          ` in validation${point.validation_error === null ? "" : ` (± ${formatNumber(Number(at(point.validation_error)), 2)})`}, `,
        ],
        point.test !== null && [html("b", {}, text(point.test)), " on test rows, "],
        `${text(point.training)} on training rows.`,
        point.size === data.chosen
          ? " This is the size that was chosen."
          : " Another size was chosen.",
      );
      /** @type {Mark[]} */
      const marks = [
        { kind: "band", points: band },
        { kind: "line", points: line("training"), look: "dotted", label: "training" },
        { kind: "line", points: line("test"), look: "dashed", label: "test" },
        { kind: "line", points: validated, look: "main", label: "validation" },
      ];
      const on = (/** @type {CurvePoint} */ p) =>
        /** @type {Point} */ ([p.complexity, at(p.validation ?? p.test ?? p.training)]);
      fill(
        picture,
        figure({
          title: `${capital(outcome.measure)} against complexity`,
          story: `Lower is better.${curve.validation ? ` Validation: ${curve.validation}; the band is one standard error.` : ""} Each dot is a model on this page.`,
          x,
          y,
          xLabel: "complexity",
          yLabel: outcome.measure,
          tall: 320,
          room: 80,
          pick: (place) =>
            choose(
              [...stops].sort(
                (a, b) => Math.abs(a.complexity - place) - Math.abs(b.complexity - place),
              )[0],
            ),
          marks: [
            ...marks,
            { kind: "dots", points: stops.map(on), look: "main", size: 5, names: stops.map(label) },
            { kind: "dots", points: [on(point)], look: "chosen", size: 7 },
          ],
          head: ["complexity", "rules", "training", "validation", "± error", "test"],
          lines: () =>
            points.map((p) => [
              formatNumber(p.complexity),
              p.n_rules,
              text(p.training),
              text(p.validation),
              text(p.validation_error),
              text(p.test),
            ]),
        }),
      );
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
