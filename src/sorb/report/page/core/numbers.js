// How numbers are written: as Python writes them in the printed rules.

const MINUS = "−";
const NOT_KNOWN = "–";
// After so many more digits than are written, a number that is no tie is seen to be none.
const MORE_DIGITS = 20;
// So many more decimals may be written for numbers to add up.
const MORE_DECIMALS = 2;

/**
 * Write a number in `digits` significant digits, or in all it has if that is null.
 * Digits before the decimal point are never rounded away: 123457, not 123000.
 * @param {number} value
 * @param {number | null} [digits]
 */
export function formatNumber(value, digits = 3) {
  return formatPlain(value, digits).replaceAll("-", MINUS);
}

/**
 * The same with the ASCII minus sign, so that it can be read again.
 * @param {number} value
 * @param {number | null} [digits]
 */
export function formatPlain(value, digits = 3) {
  if (Number.isNaN(value)) return "unknown";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "-∞";
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return String(value === 0 ? 0 : value);
  const size = Math.abs(value);
  if (digits === null) return withTidyExponent(shortest(value));
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  if (size < 1e-4 || size >= 1e9) {
    const [inFull] = value.toExponential(digits - 1 + MORE_DIGITS).split("e");
    return withTidyExponent(`${tiesToEven(mantissa, inFull)}e${exponent}`);
  }
  const decimals = decimalsOf(value, digits);
  const text = tiesToEven(value.toFixed(decimals), value.toFixed(decimals + MORE_DIGITS));
  return withoutLastZeros(text);
}

/**
 * Write numbers that stand in one column with the same number of decimals; what is not known is a dash.
 * @param {(number | null)[]} values
 * @param {number} [digits] of the largest
 */
export function formatColumn(values, digits = 4) {
  const decimals = commonDecimals(
    values.filter((value) => value !== null),
    digits,
  );
  return values.map((value) => (value === null ? NOT_KNOWN : formatDecimals(value, decimals, digits)));
}

/**
 * The decimals with which numbers are written together: those of the largest in so many significant
 * digits, unless none needs as many; null if it is too large or too small for that.
 * @param {number[]} values
 * @param {number} digits
 */
function commonDecimals(values, digits) {
  const largest = Math.max(0, ...values.map(Math.abs));
  if (!(largest < 1e9) || (largest < 1e-4 && largest > 0)) return null;
  const own = values.map((value) => formatPlain(value, digits).split(".")[1]?.length ?? 0);
  return Math.min(decimalsOf(largest, digits), Math.max(0, ...own));
}

/**
 * The decimals with which the rounded parts add up to their rounded total, if a few are enough.
 * @param {number[]} parts
 * @param {number} total
 * @param {number} digits of the largest, at least
 * @returns {{ decimals: number | null, addUp: boolean }}
 */
export function decimalsThatAddUp(parts, total, digits) {
  const least = commonDecimals([...parts, total], digits);
  if (least === null) return { decimals: null, addUp: false };
  for (let decimals = least; decimals <= least + MORE_DECIMALS; decimals++) {
    const sum = parts.reduce((before, part) => before + Number(part.toFixed(decimals)), 0);
    if (formatDecimals(sum, decimals) === formatDecimals(total, decimals)) return { decimals, addUp: true };
  }
  return { decimals: least, addUp: false };
}

/**
 * With so many decimals, and no minus before nothing; in significant digits if that is null.
 * @param {number} value
 * @param {number | null} decimals
 * @param {number} [digits]
 */
export function formatDecimals(value, decimals, digits) {
  if (decimals === null || !Number.isFinite(value)) return formatNumber(value, digits);
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", MINUS);
}

/**
 * The decimals of a number in so many significant digits.
 * @param {number} value
 * @param {number} digits
 */
function decimalsOf(value, digits) {
  return Math.max(0, digits - 1 - Number(value.toExponential(digits - 1).split("e")[1]));
}

/**
 * With its sign, even if it is positive.
 * @param {number} value
 * @param {number | null} [digits]
 */
export function formatSigned(value, digits = 3) {
  return withSign(formatNumber(value, digits));
}

/** @param {string} text a number */
export function withSign(text) {
  return text.startsWith(MINUS) ? text : `+${text}`;
}

/**
 * A share as "12.3 %"; never "0 %" or "100 %" for what is not.
 * @param {number} share
 * @param {number} [decimals]
 */
export function formatPercent(share, decimals = 1) {
  const text = (100 * share).toFixed(decimals);
  const least = 10 ** -decimals;
  if (share > 0 && Number(text) === 0) return `< ${least.toFixed(decimals)} %`;
  if (share < 1 && Number(text) === 100) return `> ${(100 - least).toFixed(decimals)} %`;
  return `${Number(text) === 0 ? "0" : withoutLastZeros(text).replace("-", MINUS)} %`;
}

/**
 * "1 rule", "3 rules".
 * @param {number} things
 * @param {string} noun
 */
export function formatCount(things, noun) {
  return `${things} ${noun}${things === 1 ? "" : "s"}`;
}

// Where two texts are as near, Python writes the even one, and JavaScript the larger.
/**
 * @param {string} text
 * @param {string} longer the same number with more digits
 */
function tiesToEven(text, longer) {
  const isTie = /50*$/.exec(longer)?.[0].length === MORE_DIGITS;
  return isTie && "13579".includes(text[text.length - 1]) ? longer.slice(0, text.length) : text;
}

// The shortest text that is read as the same number, with an exponent where Python has one.
/** @param {number} value */
function shortest(value) {
  const exponent = Math.floor(Math.log10(Math.abs(value)));
  return exponent < -4 || Math.abs(value) >= 1e16 ? value.toExponential() : String(value);
}

/** @param {string} text */
function withTidyExponent(text) {
  const [mantissa, exponent] = text.split("e");
  return withoutLastZeros(mantissa) + (exponent === undefined ? "" : `e${Number(exponent)}`);
}

/** @param {string} text */
function withoutLastZeros(text) {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}
