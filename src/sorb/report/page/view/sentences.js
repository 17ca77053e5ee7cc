/** Rules, votes and predictions in plain words. */

import { html } from "./elements.js";
import { stepOf } from "../core/flips.js";
import { formatNumber, formatPercent, formatSigned } from "../core/numbers.js";

/** @typedef {import("../types.d.ts").PageData} PageData */
/** @typedef {import("../types.d.ts").Column} Column */
/** @typedef {import("../types.d.ts").Token} Token */
/** @typedef {import("../types.d.ts").Value} Value */
/** @typedef {import("../types.d.ts").RuleView} RuleView */
/** @typedef {import("../types.d.ts").ModelDocument} ModelDocument */

/** A printed condition, its parts set apart. @param {Token[]} tokens */
export function sentenceOf(tokens) {
  return tokens.map(([kind, text]) =>
    ["name", "relation", "operator", "word"].includes(kind)
      ? html("span", { class: kind }, text)
      : text,
  );
}

/** @param {Token[]} tokens */
export const textOf = (tokens) => tokens.map(([, text]) => text).join("");

/** What is behind a name with a bracketed unit or nothing. @param {string | null | undefined} unit */
export const withUnit = (unit) => (unit ? ` ${unit}` : "");

/** What a vote does to the prediction itself: "odds × 4.5", "odds ÷ 3". @param {PageData} data @param {ModelDocument} model
 * @param {number} vote @param {number} output */
export function meaningOf(data, model, vote, output) {
  const names = data.outcome.class_names;
  if (names)
    return `odds of ${names[model.loss === "softmax" ? output : 1]} ${vote < 0 ? "÷" : "×"} ${formatNumber(Math.exp(Math.abs(vote)))}`;
  return model.loss === "squared" ? "" : `prediction × ${formatNumber(Math.exp(vote))}`;
}

/** A prediction as people read it. @param {PageData} data @param {number[]} expected
 * @param {number | null} index */
export function predictionText(data, expected, index) {
  const names = data.outcome.class_names;
  if (!names || index === null) return formatNumber(expected[0], 4) + withUnit(data.outcome.unit);
  const shown = expected.length === 2 ? 1 : index;
  return formatPercent(expected[shown], 1);
}

/** "71 % ill", or "average weight 23.4". @param {PageData} data @param {RuleView} rule @param {number} output */
export function outcomeOf(data, rule, output) {
  const names = data.outcome.class_names;
  if (!names)
    return `average ${data.outcome.name} ${formatNumber(Number(rule.mean), 3)}${withUnit(data.outcome.unit)}`;
  const share = Array.isArray(rule.mean) ? rule.mean[output] : rule.mean;
  return `${formatPercent(share, 0)} ${names[Array.isArray(rule.mean) ? output : 1]}`;
}

/** "+1.5". @param {number} vote */
export const voteText = (vote) => formatSigned(vote, 3);

/** "a, b and c". @param {string[]} words */
export function listed(words) {
  return words.length < 2
    ? words.join("")
    : `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
}

/** A value of a column as people write it; in full if `digits` is null. @param {Value} value
 * @param {Column | undefined} column @param {number | null} [digits] */
export function valueText(value, column, digits) {
  if (value === null) return "missing";
  if (typeof value !== "number") return String(value);
  const shown = digits === undefined ? digitsOf(value, column) : digits;
  return formatNumber(value, shown) + withUnit(column?.unit);
}

/** The digits that tell a value from others nearby; null for all. @param {number} value @param {Column | undefined} column */
export function digitsOf(value, column) {
  if (column?.whole) return null;
  const steps = column ? Math.abs(value) / stepOf(column) : 1;
  return Math.min(17, Math.max(6, Math.ceil(Math.log10(steps)) + 2));
}
