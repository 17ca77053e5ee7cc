/** Changes of the model, refitted in the page, compared with what it was, signed and kept in a log. */

import { button, capital, download, field, fill, html, newId, section } from "./elements.js";
import { calibrationFigure, decisionFigure, measureTable, subgroupPart } from "./performance.js";
import { projectionFigure } from "./projection.js";
import { textToCopy } from "./record_section.js";
import { textOf, voteText } from "./sentences.js";
import { isEdited, presentShown, sizeOf } from "./state.js";
import { crossValidate, judgeDraft } from "../core/drafts.js";
import { applyChange, currentDraft, editLog, moveThreshold, redoChange, replayLog, startEditing, undoChange } from "../core/edits.js";
import { movedVotes, whoMoves } from "../core/effects.js";
import { riskOf } from "../core/measures.js";
import { formatNumber, formatPlain } from "../core/numbers.js";

/** @typedef {import("../types.d.ts").Change} Change */
/** @typedef {import("../core/edits.js").EditState} EditState */
/** @typedef {import("../core/drafts.js").Draft} Draft */
/** @typedef {import("./state.js").PageStore} PageStore */
/** @typedef {import("./state.js").ShownRule} ShownRule */
/** @typedef {"drop" | "forbid" | "pin" | `move-${number}`} Kind */

/** @type {WeakMap<Draft, string>} */
const knownEffects = new WeakMap();

/** What the last change did. @param {PageStore} store @param {Draft} before @param {Draft} after */
function effectText(store, before, after) {
  const known = knownEffects.get(after) ?? describeEffect(store, before, after);
  knownEffects.set(after, known);
  return known;
}

/** @param {PageStore} store @param {Draft} before @param {Draft} after */
function describeEffect(store, before, after) {
  const { data } = store, size = sizeOf(store), { outcome } = data;
  const moves = whoMoves(size, before, after, size.cells.training, outcome.cutoff);
  const test = whoMoves(size, before, after, size.cells.test, outcome.cutoff);
  const risk = (/** @type {Draft} */ draft) => formatNumber(riskOf(judgeDraft(size, draft, size.cells.test ?? size.cells.training)) * outcome.measure_factor, 4);
  const change = (/** @type {number} */ value) => (outcome.class_names ? `${formatNumber(100 * value, 2)} percentage points` : formatNumber(value, 3));
  const who = !moves ? "" : moves.reclassified === null ? `Predictions change by ${change(moves.mean)} on average, at most ${change(moves.largest)}.`
    : `${movesText(store, moves)} of ${formatNumber(moves.n)} training rows${test ? ` and ${formatNumber(test.reclassified ?? 0)} of ${formatNumber(test.n)} test rows` : ""} are decided otherwise; probabilities change by at most ${change(moves.largest)}.`;
  const votes = movedVotes(before, after).filter(([, was, is]) => voteText(was) !== voteText(is))
    .map(([place, was, is]) => `rule ${place + 1} ${voteText(was)} → ${voteText(is)}`);
  return `${who} ${capital(outcome.measure)} on ${size.cells.test ? "test" : "training"} rows: ${risk(before)} → ${risk(after)}.${votes.length > 0 ? ` Votes: ${votes.slice(0, 6).join(", ")}${votes.length > 6 ? " …" : ""}.` : ""}`;
}

/** "12 (9 to ill, 3 to well)". @param {PageStore} store @param {import("../core/effects.js").Moves} moves */
function movesText(store, moves) {
  const names = store.data.outcome.class_names ?? [];
  const arrived = names.map((name, to) => [name, (moves.table ?? []).reduce((sum, line, from) => sum + (from === to ? 0 : line[to]), 0)])
    .filter(([, n]) => Number(n) > 0).map(([name, n]) => `${n} to ${name}`);
  return `${moves.reclassified}${arrived.length > 0 ? ` (${arrived.join(", ")})` : ""}`;
}

/** "Rule 2 dropped". @param {PageStore} store @param {Change} change */
function changeTitle(store, change) {
  const what = { drop: "dropped", forbid: "forbidden", pin: `pinned at ${change.change === "pin" ? voteText(change.vote) : ""}`, condition: "given another threshold" };
  return `Rule ${change.rule + 1} ${what[change.change]}: ${textOf(sizeOf(store).rules[change.rule].tokens)}`;
}

/** @param {PageStore} store */
function changeForm(store) {
  const { data, state } = store;
  const author = html("input", { type: "text", autocomplete: "name" }), reason = html("input", { type: "text" });
  const menu = html("select", { onchange: () => {
    chosen = Number(menu.value);
    show();
  } });
  const body = html("div"), preview = html("p", { class: "preview", role: "status" });
  const make = button("Make this change", () => commit(), { class: "main-action" });
  let chosen = 0, vote = 0, cut = 0, waiting = 0;
  /** @type {Kind} */
  let kind = "drop";

  /** @returns {Change} */
  const change = () => {
    const signature = { reason: reason.value.trim(), author: author.value.trim(), time: new Date().toISOString() };
    if (kind.startsWith("move")) return moveThreshold(state.edits, chosen, Number(kind.slice(5)), cut, signature);
    if (kind === "pin") return { change: "pin", rule: chosen, vote, ...signature };
    return { change: kind === "drop" ? "drop" : "forbid", rule: chosen, ...signature };
  };
  const commit = () => {
    try {
      const edits = applyChange(state.edits, change());
      reason.value = "";
      store.change({ edits });
      clearTimeout(waiting);
      preview.textContent = `Done. ${effectText(store, edits.drafts[edits.drafts.length - 2], currentDraft(edits))}`;
    } catch (error) {
      preview.textContent = capital(error instanceof Error ? error.message : String(error));
    }
  };
  const look = () => {
    clearTimeout(waiting);
    waiting = setTimeout(lookNow, 30);
  };
  const lookNow = () => {
    if (kind.startsWith("move") && cut === currentDraft(state.edits).rules[chosen]?.cuts[Number(kind.slice(5))]) {
      preview.textContent = "Choose another threshold.";
      make.disabled = true;
      return;
    }
    try {
      preview.textContent = `If so: ${effectText(store, currentDraft(state.edits), currentDraft(applyChange(state.edits, change())))}`;
      make.disabled = false;
    } catch (error) {
      preview.textContent = capital(error instanceof Error ? error.message : String(error));
      make.disabled = true;
    }
  };
  /** @param {ShownRule} rule */
  const pinPart = (rule) => {
    const number = html("input", { type: "number", step: "any", value: vote, oninput: () => {
      vote = number.value === "" ? NaN : Number(number.value);
      look();
    } });
    const rounded = [...new Set([0, 1].map((digits) => Number((rule.vote ?? 0).toFixed(digits))))].filter((value) => value !== rule.vote);
    return html("div", { class: "actions" }, field("Vote", number), rounded.map((value) => button(`Round to ${voteText(value)}`, () => {
      vote = value;
      number.value = String(value);
      look();
    })));
  };
  /** @param {ShownRule} rule @param {number} place */
  const movePart = (rule, place) => {
    const { view, cut: own } = rule.propositions[place];
    const texts = view.cut_texts ?? [], picture = html("div", { class: "charts" });
    const said = html("b", {});
    const draw = () => {
      slider.setAttribute("aria-valuetext", texts[cut]);
      said.textContent = `${texts[cut]}${cut === view.own ? " (as it was learnt)" : cut === own ? " (as it is now)" : ""}`;
      fill(picture, projectionFigure(data, view, sizeOf(store).cells.shift, rule.output, cut));
    };
    const slider = html("input", { type: "range", min: 0, max: texts.length - 1, step: 1, value: cut, oninput: () => {
      cut = Number(slider.value);
      draw();
      look();
    } });
    draw();
    return html("div", {}, field("Threshold: fewer rows pass to the right", slider), html("p", {}, said), picture);
  };
  const show = () => {
    const rules = presentShown(store);
    const rule = rules.find((known) => known.place === chosen) ?? rules[0];
    fill(menu, rules.map((known) => html("option", { value: known.place },
      `${known.place + 1}. ${known.propositions.map((part) => part.cut === part.view.own ? textOf(part.view.tokens) : part.view.cut_texts?.[part.cut ?? 0]).join(" and ")} (${voteText(known.vote ?? 0)})`)));
    if (!rule) {
      fill(body);
      preview.textContent = "No rules are left.";
      make.disabled = true;
      return;
    }
    chosen = rule.place;
    menu.value = String(chosen);
    vote = Number(formatPlain(rule.vote ?? 0));
    /** @type {[Kind, string][]} */
    const kinds = [["drop", "Drop the rule"], ["forbid", "Forbid it, so that no change brings its condition back"], ["pin", "Pin or round its vote"],
      ...rule.propositions.flatMap(({ view }, place) => (view.cuts && view.cuts.length > 1
        ? [/** @type {[Kind, string]} */ ([`move-${place}`, `Move the threshold${rule.propositions.length > 1 ? ` of condition ${place + 1}` : ""}`])] : []))];
    if (!kinds.some(([known]) => known === kind)) kind = "drop";
    const name = newId("kind");
    const part = html("div", { class: "part" });
    const choose = () => {
      const place = Number(kind.slice(5));
      if (kind.startsWith("move")) cut = rule.propositions[place].cut ?? 0;
      fill(part, kind === "pin" ? pinPart(rule) : kind.startsWith("move") ? movePart(rule, place) : null);
      look();
    };
    fill(body, html("fieldset", {}, html("legend", {}, "Change"), kinds.map(([known, text]) => html("label", { class: "choice" },
      html("input", { type: "radio", name, id: `kind-${known}`, checked: known === kind, onchange: () => {
        kind = known;
        choose();
      } }), text))), part);
    choose();
  };
  store.follow(["size", "edits"], show, body);
  return html("div", { class: "form screen" }, field("Rule", menu), body, preview,
    html("div", { class: "signature" }, field("Your name", author), field("Reason", reason)), html("div", { class: "actions" }, make));
}

/** @param {PageStore} store */
function changeLog(store) {
  const { data, state } = store;
  const list = html("div"), said = html("span", { class: "muted", role: "status" });
  const text = () => JSON.stringify(editLog(state.edits, data.rows, data.columns), null, 1);
  const model = () => JSON.stringify(store.model(), null, 1);
  const file = html("input", { type: "file", accept: ".json,application/json", id: newId("log"), onchange: async () => {
    try {
      store.change({ edits: replayLog(sizeOf(store), JSON.parse(await file.files?.[0].text() ?? "")) });
      said.textContent = "The changes of the log were made again.";
    } catch (error) {
      said.textContent = capital(error instanceof Error ? error.message : String(error));
    }
  } });
  store.follow(["size", "edits"], () => {
    const { changes, drafts, undone } = state.edits;
    fill(list,
      changes.length === 0 ? html("p", { class: "muted" }, "Nothing is changed yet.") : html("ol", { class: "log" }, changes.map((change, k) => html("li", {},
        html("p", {}, html("b", {}, changeTitle(store, change))),
        html("p", {}, change.reason ? `“${change.reason}”` : "No reason given", ` – ${change.author || "no name"}, ${change.time.slice(0, 16).replace("T", " ")} UTC`),
        html("p", { class: "muted" }, effectText(store, drafts[k], drafts[k + 1]))))),
      html("div", { class: "actions screen" },
        button("Undo", () => store.change({ edits: undoChange(state.edits) }), { id: "undo", disabled: changes.length === 0 }),
        button("Redo", () => store.change({ edits: redoChange(state.edits) }), { id: "redo", disabled: undone.length === 0 }),
        button("Start again", () => store.change({ edits: startEditing(sizeOf(store)) }), { id: "restart", disabled: changes.length === 0 }),
        button("Save the log", () => download("changes.json", text()), { id: "save-log", disabled: changes.length === 0 }),
        button("Save the edited model", () => download("edited-model.json", model()), { id: "save-model", disabled: changes.length === 0 })),
      changes.length > 0 && html("div", { class: "screen" }, textToCopy("The log as JSON", "changes.json", text), textToCopy("The edited model as JSON", "edited-model.json", model)));
  }, list);
  return html("div", {}, html("h3", {}, "Log of changes"), list,
    html("div", { class: "actions screen" }, html("label", { for: file.id }, "Make the changes of a saved log"), file, said));
}

/** @param {PageStore} store */
export function changeSection(store) {
  const { data, state } = store;
  const compared = html("div");
  const part = section("change", "Change it", `Drop, forbid, round or move what you would not sign. All other votes are fitted again to the ${formatNumber(data.n_rows.training)} training rows, here in the page.`,
    html("div", { class: "change" }, changeForm(store), changeLog(store)), compared);
  store.follow(["size", "edits"], () => {
    const size = sizeOf(store), [before] = state.edits.drafts, after = currentDraft(state.edits);
    part.classList.toggle("unchanged", !isEdited(store));
    if (!isEdited(store)) return fill(compared, html("p", { class: "muted" }, "Once something is changed, the model before and after stand here side by side."));
    const rows = size.cells.test ?? size.cells.training, which = size.cells.test ? "test" : "training";
    const series = [{ name: "before", judged: judgeDraft(size, before, rows), look: "dashed" }, { name: "after", judged: judgeDraft(size, after, rows), look: "main" }];
    const folds = [before, after].map((draft) => crossValidate(size, draft));
    const risk = (/** @type {{ risk: number } | null} */ found) => (found ? formatNumber(found.risk * data.outcome.measure_factor, 4) : "");
    fill(compared, html("div", { class: "charts" }, measureTable(`Before and after, ${which} rows`, data, series),
        calibrationFigure(data, series), data.outcome.class_names && decisionFigure(data, series)),
      folds[0] && html("p", { class: "note" }, `${capital(data.outcome.measure)} of training rows with votes fitted to the other folds: ${risk(folds[0])} before, ${risk(folds[1])} after.`),
      subgroupPart(data, size, [{ name: ", before", draft: before }, { name: ", after", draft: after }]));
  }, compared);
  return part;
}
