/** The log of changes: undone, saved, and made again. */

import { changeTitle, effectText } from "./change_effects.js";
import { button, capital, download, fill, html, newId } from "./elements.js";
import { textToCopy } from "./record_section.js";
import { sizeOf } from "./state.js";
import { editLog, redoChange, replayLog, startEditing, undoChange } from "../core/edits.js";

/** @typedef {import("./state.js").PageStore} PageStore */

/** What is no JSON is no log either. @param {string} text */
function parsed(text) {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/** When a change was made, behind who made it. A log by hand may not say, or write it in another way. @param {string} time */
function timeText(time) {
  const when = Date.parse(time);
  if (Number.isNaN(when)) return time && `, ${time}`;
  return `, ${new Date(when).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** @param {PageStore} store */
export function changeLog(store) {
  const { data, state } = store;
  const list = html("div"),
    said = html("span", { class: "muted", role: "status" });
  const text = () => JSON.stringify(editLog(state.edits, data.rows, data.columns), null, 1);
  const model = () => JSON.stringify(store.model(), null, 1);
  const file = html("input", {
    type: "file",
    accept: ".json,application/json",
    id: newId("log"),
    onchange: async () => {
      const [chosen] = file.files ?? [];
      if (!chosen) return;
      try {
        store.change({ edits: replayLog(sizeOf(store), parsed(await chosen.text())) });
        said.textContent = `The changes in ${chosen.name} were made again.`;
      } catch (error) {
        said.textContent = capital(error instanceof Error ? error.message : String(error));
      }
      // Else browsers would not tell when the same file is chosen again.
      file.value = "";
    },
  });
  store.follow(
    ["size", "edits"],
    () => {
      const { changes, drafts, undone } = state.edits;
      fill(
        list,
        changes.length === 0
          ? html("p", { class: "muted" }, "No changes yet.")
          : html(
              "ol",
              { class: "log" },
              changes.map((change, k) =>
                html(
                  "li",
                  {},
                  html("p", {}, html("b", {}, changeTitle(store, change))),
                  html(
                    "p",
                    {},
                    change.reason ? `“${change.reason}”` : "No reason given",
                    ` – ${change.author || "no name"}${timeText(change.time)}`,
                  ),
                  html("p", { class: "muted" }, effectText(store, drafts[k], drafts[k + 1])),
                ),
              ),
            ),
        html(
          "div",
          { class: "actions screen" },
          button("Undo", () => store.change({ edits: undoChange(state.edits) }), {
            id: "undo",
            disabled: changes.length === 0,
          }),
          button("Redo", () => store.change({ edits: redoChange(state.edits) }), {
            id: "redo",
            disabled: undone.length === 0,
          }),
          button("Start again", () => store.change({ edits: startEditing(sizeOf(store)) }), {
            id: "restart",
            disabled: changes.length === 0,
          }),
          button("Save the log", () => download("changes.json", text()), {
            id: "save-log",
            disabled: changes.length === 0,
          }),
          button("Save the edited model", () => download("edited-model.json", model()), {
            id: "save-model",
            disabled: changes.length === 0,
          }),
        ),
        changes.length > 0 &&
          html(
            "div",
            { class: "screen" },
            textToCopy("The log as JSON", "changes.json", text),
            textToCopy("The edited model as JSON", "edited-model.json", model),
          ),
      );
    },
    list,
  );
  return html(
    "div",
    {},
    html("h3", {}, "Log of changes"),
    list,
    html(
      "div",
      { class: "actions screen" },
      html("label", { for: file.id }, "Make the changes of a saved log"),
      file,
      said,
    ),
  );
}
