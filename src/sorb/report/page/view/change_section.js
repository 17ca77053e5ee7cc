/** Changes of the model, refitted in the page, and what it was beside what it is. */

import { changeForm } from "./change_form.js";
import { changeLog } from "./change_log.js";
import { capital, fill, html, section } from "./elements.js";
import { calibrationFigure, decisionFigure, measureTable, subgroupPart } from "./performance.js";
import { isEdited } from "./state.js";
import { crossValidate, judgeDraft, validateFold } from "../core/drafts.js";
import { currentDraft } from "../core/edits.js";
import { formatNumber } from "../core/numbers.js";

/** @typedef {import("../types.d.ts").Change} Change */
/** @typedef {import("./state.js").PageStore} PageStore */

/** @param {PageStore} store */
export function changeSection(store) {
  const { data, state } = store;
  const compared = html("div");
  const part = section(
    "change",
    "Changes",
    `Drop, forbid, round or move what you would not sign. All other votes are fitted again to the ${formatNumber(data.n_rows.training)} training rows, here in the page.`,
    html("div", { class: "change" }, changeForm(store), changeLog(store)),
    compared,
  );
  store.follow(
    ["size", "edits"],
    function* () {
      // Of a log that was replayed, with its penalty.
      const { size, drafts } = state.edits;
      const [before] = drafts,
        after = currentDraft(state.edits);
      part.classList.toggle("unchanged", !isEdited(store));
      if (!isEdited(store))
        return fill(
          compared,
          html(
            "p",
            { class: "muted" },
            "Once you make a change, the measures before and after it appear here side by side.",
          ),
        );
      const rows = size.cells.test ?? size.cells.training,
        which = size.cells.test ? "test" : "training";
      const series = [
        { name: "before", judged: judgeDraft(size, before, rows), look: "dashed" },
        { name: "after", judged: judgeDraft(size, after, rows), look: "main" },
      ];
      yield;
      const compare = [
        { name: ", before", draft: before },
        { name: ", after", draft: after },
      ];
      const groups = yield* subgroupPart(data, size, compare, true);
      for (const draft of [before, after])
        for (let fold = 0; size.cells.training.fold && fold < size.cells.n_folds; fold++) {
          validateFold(draft, fold, size);
          yield;
        }
      const folds = [before, after].map((draft) => crossValidate(size, draft));
      const risk = (/** @type {{ risk: number } | null} */ found) =>
        found ? formatNumber(found.risk * data.outcome.measure_factor, 4) : "";
      fill(
        compared,
        html(
          "div",
          { class: "charts" },
          measureTable(`Before and after, ${which} rows`, data, series),
          calibrationFigure(data, series),
          data.outcome.class_names && decisionFigure(data, series),
        ),
        folds[0] &&
          html(
            "p",
            { class: "note" },
            `${capital(data.outcome.measure)} of training rows with votes fitted to the other folds: ${risk(folds[0])} before, ${risk(folds[1])} after.`,
          ),
        groups,
      );
    },
    compared,
  );
  return part;
}
