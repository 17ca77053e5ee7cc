/** How good the model is, and for whom. */

import { dataTable, field, fill, html, section } from "./elements.js";
import { figure } from "./plot.js";
import {
  calibrationFigure,
  decisionFigure,
  measureTable,
  precisionFigure,
  rocFigure,
  subgroupPart,
} from "./performance.js";
import { isChosenModel, isEdited, sizeOf } from "./state.js";
import { judgeDraft } from "../core/drafts.js";
import { currentDraft } from "../core/edits.js";
import { formatNumber } from "../core/numbers.js";

/** @typedef {import("../types.d.ts").PageData} PageData */
/** @typedef {import("./performance.js").Series} Series */
/** @typedef {import("./state.js").PageStore} PageStore */

/** @param {PageData} data */
function residualFigures(data) {
  return data.evidence.residuals.map(({ split, from, to, counts }) => {
    const width = (to - from) / counts.length,
      most = Math.max(1, ...counts);
    const left = (/** @type {number} */ k) => from + k * width;
    return figure({
      title: `Residuals, ${split} rows`,
      story: "Observed less predicted; the closer to zero, the better.",
      x: [from, to],
      y: [0, most * 1.1],
      xLabel: `observed less predicted${data.outcome.unit ? `, ${data.outcome.unit}` : ""}`,
      yLabel: "rows",
      tall: 300,
      marks: [
        { kind: "bars", look: "main", bars: counts.map((n, k) => [left(k), left(k + 1), 0, n]) },
        { kind: "upright", x: 0, label: "0" },
      ],
      head: ["from", "to", "rows"],
      lines: () => counts.map((n, k) => [formatNumber(left(k)), formatNumber(left(k + 1)), n]),
    });
  });
}

/** @param {PageStore} store */
export function evidenceSection(store) {
  const { data, state } = store,
    { evidence, outcome } = data,
    names = outcome.class_names;
  const charts = html("div"),
    about = html("p", { class: "note" });
  const menu = html(
    "select",
    {
      onchange: () => store.change({ shownClass: Number(menu.value) }),
    },
    names?.map((name, place) => html("option", { value: place }, name)),
  );
  const draw = function* () {
    const k = state.shownClass,
      size = sizeOf(store),
      draft = currentDraft(state.edits),
      { training, test } = size.cells;
    /** @type {Series[]} */
    const series = [
      {
        name: "training",
        judged: judgeDraft(size, draft, training),
        look: test ? "dashed" : "main",
      },
    ];
    if (test) series.unshift({ name: "test", judged: judgeDraft(size, draft, test), look: "main" });
    const same = isChosenModel(store);
    about.textContent =
      same || evidence.tables.length === 0
        ? ""
        : "The tables above are about the model that was chosen, without changes; what follows is about the size and the changes on this page.";
    const groups = yield* subgroupPart(data, size, [{ name: "", draft }], isEdited(store));
    fill(
      charts,
      html(
        "div",
        { class: "charts" },
        (!same || evidence.tables.length === 0) &&
          measureTable("The model on this page", data, series),
        calibrationFigure(data, series, k),
        names && [
          rocFigure(series, k),
          precisionFigure(series, k),
          decisionFigure(data, series, k),
        ],
        !names && same && residualFigures(data),
        groups,
      ),
    );
  };
  store.follow(["size", "edits", "shownClass"], draw, charts);
  return section(
    "evidence",
    "Evidence",
    "How well it predicts rows that it was not fitted to, and for whom it does worse.",
    evidence.verdict && html("p", { class: "warning" }, evidence.verdict),
    html(
      "div",
      { class: "tables" },
      evidence.tables.map((table) =>
        html(
          "div",
          {},
          dataTable(table.caption, table.head, table.lines, "figures"),
          table.notes.map((note) => html("p", { class: "note" }, note)),
        ),
      ),
    ),
    about,
    names &&
      names.length > 2 &&
      html("div", { class: "actions" }, field("Curves of the class", menu)),
    charts,
  );
}
