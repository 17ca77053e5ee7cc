/** The rules as sentences, each with its vote as a bar, and what is behind it. */

import { button, fill, html, lineBar, section } from "./elements.js";
import { projectionFigure } from "./projection.js";
import { listed, meaningOf, outcomeOf, predictionText, voteText } from "./sentences.js";
import { shownRules, sizeOf } from "./state.js";
import { formatCount, formatNumber, formatPercent } from "../core/numbers.js";
import { offsetsOf, predictOutcome } from "../core/model.js";

/** @typedef {import("../types.d.ts").PageData} PageData */
/** @typedef {import("../types.d.ts").PropositionDocument} PropositionDocument */
/** @typedef {import("../types.d.ts").Size} Size */
/** @typedef {import("../types.d.ts").RuleView} RuleView */
/** @typedef {import("./state.js").PageStore} PageStore */
/** @typedef {import("./state.js").ShownRule} ShownRule */

// Longer lists of rules are cut, except on paper.
const MANY = 15,
  FEW = 10;

/** @type {Record<string, (rule: ShownRule) => number>} */
const ORDERS = {
  "Largest vote": (rule) => -Math.abs(rule.vote ?? 0),
  "Highest vote": (rule) => -(rule.vote ?? 0),
  Coverage: (rule) => -rule.view.coverage,
  Purity: (rule) => -(rule.view.purity ?? 0),
  "Found again": (rule) => -(rule.view.found_again ?? 0),
  "As found": (rule) => rule.place,
};

/** Ends of the votes' bars, zero among them. @param {number[]} votes @returns {[number, number]} */
const voteEnds = (votes) => [Math.min(0, ...votes), Math.max(0, ...votes)];

/** A condition with all its digits. @param {PropositionDocument} proposition */
function formulaOf(proposition) {
  if (proposition.kind === "membership")
    return `${proposition.column} ${proposition.negated ? "not in" : "in"} {${proposition.categories.map(String).join(", ")}}`;
  const threshold = formatNumber(proposition.threshold, null);
  if (proposition.kind === "product")
    return `${proposition.columns.map((name, k) => name + (proposition.powers[k] === 1 ? "" : `^${proposition.powers[k]}`)).join(" · ")} ${proposition.at_most ? "≤" : "≥"} ${threshold}`;
  const terms = proposition.columns.map((name, k) => {
    const weight = proposition.weights[k];
    return `${weight < 0 ? (k > 0 ? " − " : "−") : k > 0 ? " + " : ""}${formatNumber(Math.abs(weight), null)} · ${name}`;
  });
  return `${terms.join("")} ≥ ${threshold}`;
}

/** @param {PageData} data @param {Size} size @param {ShownRule} rule */
function detailsOf(data, size, rule) {
  const { output } = rule;
  const stability = size === data.sizes[data.chosen] ? data.stability?.rules[rule.place] : null;
  return html(
    "div",
    { class: "details" },
    html("p", {}, `In words: ${rule.view.words}.`),
    rule.propositions.map(({ document, view }) => [
      html("p", { class: "formula", tabindex: 0 }, formulaOf(document)),
      html(
        "p",
        { class: "muted" },
        `True for ${formatPercent(view.share)} of the training rows`,
        view.unknown > 0 &&
          `; unknown for ${formatPercent(view.unknown)}, which ${document.missing ? "pass" : "do not pass"}`,
        ".",
      ),
    ]),
    stability?.vote &&
      html(
        "p",
        { class: "muted" },
        `Found in ${formatPercent(stability.found, 0)} of ${data.stability?.resamples} resamples; its vote there is mostly between ${voteText(stability.vote[0])} and ${voteText(stability.vote[2])}.`,
        stability.thresholds.map(
          (range, k) =>
            range &&
            range[0] < range[1] &&
            ` Threshold of comparison ${k + 1}: ${formatNumber(range[0], 4)} to ${formatNumber(range[1], 4)}.`,
        ),
      ),
    html(
      "div",
      { class: "charts" },
      rule.propositions.map(({ view, cut }) =>
        projectionFigure(data, view, size.cells.shift, output, cut),
      ),
    ),
  );
}

/** @param {PageData} data @param {Size} size @param {ShownRule} rule @param {[number, number]} range */
function ruleLine(data, size, rule, range) {
  const { output } = rule;
  const facts = [
    html("b", {}, outcomeOf(data, rule.view, output)),
    ` of the ${formatCount(rule.view.n, "row")} (${formatPercent(rule.view.coverage, 0)}) that it covers`,
  ];
  if (rule.view.purity !== null && (data.outcome.class_names?.length ?? 0) > 2)
    facts.push(` · purity ${formatPercent(rule.view.purity, 0)}`);
  if (rule.view.found_again !== null)
    facts.push(` · found again in ${formatPercent(rule.view.found_again, 0)} of resamples`);
  const body = html("div");
  const more = html(
    "details",
    {
      ontoggle: () => {
        if (more.open && !body.firstChild) fill(body, detailsOf(data, size, rule));
      },
    },
    html(
      "summary",
      {},
      "Formula and picture",
      html("span", { class: "hidden" }, ` of rule ${rule.place + 1}`),
    ),
    body,
  );
  return html(
    "li",
    {},
    html(
      "div",
      { class: "rule" },
      html(
        "div",
        {},
        html(
          "p",
          {},
          html("span", { class: "number" }, `${rule.place + 1}. `),
          html("span", { class: "word" }, "If "),
          rule.sentence,
        ),
        html("p", { class: "muted" }, facts),
      ),
      html(
        "div",
        { class: "vote" },
        rule.vote !== null && [lineBar(0, rule.vote, ...range), html("b", {}, voteText(rule.vote))],
        html(
          "small",
          {},
          [
            rule.vote !== null && meaningOf(data, size.model, rule.vote, output),
            rule.vote !== null &&
              voteText(rule.vote) !== voteText(rule.was) &&
              `was ${voteText(rule.was)}`,
            rule.change,
          ].map((text) => text && [html("span", {}, text), " "]),
        ),
      ),
    ),
    more,
  );
}

/** @param {PageStore} store */
export function modelSection(store) {
  const { data, state } = store;
  const start = html("p", { class: "lead" });
  const list = html("ol", { class: "rules" });
  const sorts = html("div");
  const again = data.stability;
  const body = html("div");
  let all = false;
  const draw = () => {
    const size = sizeOf(store),
      rules = shownRules(store);
    const model = store.model();
    const offsets = offsetsOf(model);
    const { expected, index } = predictOutcome(model, offsets);
    const base =
      data.outcome.class_names && expected.length > 2
        ? listed(expected.map((p, k) => `${formatPercent(p, 0)} ${data.outcome.class_names?.[k]}`))
        : predictionText(data, expected, index);
    fill(
      start,
      `If no rule applies, the ${data.outcome.predicted} is `,
      html("b", {}, base),
      rules.length === 0
        ? ". This model has no rules."
        : `. ${rules.length === 1 ? "If the rule applies, it" : "Each rule that applies"} adds its vote to the ${data.outcome.vote}: a bar to the right raises it, a bar to the left lowers it.`,
    );
    const orders = Object.keys(ORDERS).filter(
      (name) =>
        (name !== "Found again" || rules.some((rule) => rule.view.found_again !== null)) &&
        (name !== "Purity" || rules.some((rule) => rule.view.purity !== null)),
    );
    fill(
      sorts,
      rules.length > 2 &&
        html(
          "div",
          { class: "actions" },
          html("label", { for: "order" }, "Order"),
          html(
            "select",
            {
              id: "order",
              onchange: (/** @type {any} */ event) => store.change({ order: event.target.value }),
            },
            orders.map((name) => html("option", { selected: state.order === name }, name)),
          ),
        ),
    );
    const range = voteEnds(rules.map((rule) => rule.vote ?? 0));
    const order = ORDERS[state.order];
    const lines = [...rules]
      .sort((a, b) => order(a) - order(b) || a.place - b.place)
      .map((rule) => ruleLine(data, size, rule, range));
    fill(list, lines);
    if (lines.length > MANY && !all)
      lines.slice(FEW).forEach((line) => line.classList.add("beyond"));
    fill(
      body,
      lines.length > MANY &&
        button(
          all ? `Show ${FEW} rules` : `Show all ${lines.length} rules`,
          () => {
            all = !all;
            draw();
          },
          { id: "all-rules" },
        ),
      size === data.sizes[data.chosen] &&
        again &&
        html(
          "p",
          { class: "note" },
          `The model was learned again from ${again.resamples} resamples of the rows. ${again.words}`,
        ),
    );
  };
  store.follow(["size", "edits", "order"], draw, list);
  return section("model", "The model", "", start, sorts, list, body);
}
