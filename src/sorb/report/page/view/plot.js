/** One kind of chart for the whole page: axes, marks, direct labels, a text alternative and the numbers behind it. */

import { fill, html, newId, scrollable, svg } from "./elements.js";

/**
 * @typedef {[number, number]} Point
 * @typedef {{ kind: "line", points: Point[], look: string, label?: string, near?: number }} LineMark
 * @typedef {{ kind: "band", points: [number, number, number][] }} BandMark
 * @typedef {{ kind: "dots", points: Point[], look: string, size: number | number[], names?: string[] }} DotsMark
 * @typedef {{ kind: "bars", bars: [number, number, number, number][], look: string }} BarsMark
 * @typedef {{ kind: "upright", x: number, label: string }} UprightMark
 * @typedef {{ kind: "text", x: number, y: number, text: string, look: string, anchor?: string }} TextMark
 * @typedef {LineMark | BandMark | DotsMark | BarsMark | UprightMark | TextMark} Mark
 * @typedef {{
 *   title: string, story: string, x: Point, y: Point, xLabel: string, yLabel: string,
 *   xText?: (x: number) => string, yText?: (y: number) => string, marks: Mark[],
 *   head: string[], lines: () => (string | number)[][], tall?: number, room?: number,
 *   pick?: (x: number) => void,
 * }} Chart
 * @typedef {ReturnType<typeof scalesOf>} Scales
 */

const SIZE = 12,
  LINE = 15,
  AIR = 0.06;

/** Round numbers between two ends. @param {number} from @param {number} to @param {number} about */
function ticks(from, to, about) {
  const raw = (to - from) / about;
  if (!(raw > 0)) return [from];
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = unit * (raw / unit > 5 ? 10 : raw / unit > 2 ? 5 : raw / unit > 1 ? 2 : 1);
  const first = Math.ceil(from / step - 1e-9),
    last = Math.floor(to / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, k) =>
    Number(((first + k) * step).toPrecision(12)),
  );
}

/** Ends that hold all values, with a little air. @param {number[]} values @returns {Point} */
export function ends(values) {
  const low = Math.min(...values),
    high = Math.max(...values),
    wide = high - low || Math.abs(high) || 1;
  return [low - AIR * wide, high + AIR * wide];
}

/** @param {number} value */
const plain = (value) => String(value).replace("-", "−");

/** @param {Point[]} points @param {(x: number) => number} across @param {(y: number) => number} up */
const path = (points, across, up) =>
  points.map(([x, y], k) => `${k ? "L" : "M"}${across(x).toFixed(1)} ${up(y).toFixed(1)}`).join("");

/** As much of a text as there is room for. @param {string} words @param {number} room */
function shortened(words, room) {
  if (words.length * SIZE <= room) return words; // few letters are wider than tall
  const pen = /** @type {CanvasRenderingContext2D} */ (
    document.createElement("canvas").getContext("2d")
  );
  pen.font = `${SIZE}px ${getComputedStyle(document.body).fontFamily}`;
  let shown = words;
  for (let most = words.length; most > 1 && pen.measureText(shown).width > room; ) {
    most = Math.min(most - 1, Math.ceil((most * room) / pen.measureText(shown).width));
    shown = `${words.slice(0, most)}…`;
  }
  return shown;
}

/** Where the values of a chart are in its picture. @param {Chart} chart @param {number} width @param {number} tall */
function scalesOf(chart, width, tall) {
  const yText = chart.yText ?? plain,
    yTicks = ticks(...chart.y, 5);
  const left = 10 + 6.8 * Math.max(0, ...yTicks.map((y) => yText(y).length));
  const right = width - Math.min(chart.room ?? 20, width * 0.4),
    top = 26,
    bottom = tall - 38;
  const [[x0, x1], [y0, y1]] = [chart.x, chart.y];
  return {
    left,
    right,
    top,
    bottom,
    yTicks: yTicks.map((y) => ({ y, text: yText(y) })),
    across: (/** @type {number} */ x) => left + ((x - x0) / (x1 - x0 || 1)) * (right - left),
    up: (/** @type {number} */ y) => bottom - ((y - y0) / (y1 - y0 || 1)) * (bottom - top),
    /** The value at a place in the picture. @param {number} place */
    valueAt: (place) => x0 + ((place - left) / (right - left)) * (x1 - x0),
  };
}

/** @param {number} x @param {number} y @param {string} words @param {string | null} look @param {string} [anchor] */
const textAt = (x, y, words, look, anchor = "start") =>
  svg("text", { x, y, class: look, "text-anchor": anchor }, words);

/** @param {Chart} chart @param {Scales} scales @param {number} tall */
function axesOf(chart, { left, right, bottom, yTicks, across, up }, tall) {
  const xText = chart.xText ?? plain;
  const xTicks = ticks(...chart.x, Math.max(2, Math.min(8, (right - left) / 70)));
  return [
    ...yTicks.flatMap((tick) => [
      svg("line", { x1: left, x2: right, y1: up(tick.y), y2: up(tick.y), class: "grid" }),
      textAt(left - 6, up(tick.y) + 4, tick.text, null, "end"),
    ]),
    ...xTicks.flatMap((x) => [
      svg("line", { x1: across(x), x2: across(x), y1: bottom, y2: bottom + 4, class: "axis" }),
      textAt(across(x), bottom + 17, xText(x), null, "middle"),
    ]),
    svg("line", { x1: left, x2: right, y1: bottom, y2: bottom, class: "axis" }),
    textAt(0, 11, chart.yLabel, "axis-label"),
    textAt(right, tall - 4, shortened(chart.xLabel, right), "axis-label", "end"),
  ];
}

/** What is drawn of a mark, but for the labels of lines. @param {Mark} mark @param {Scales} scales @returns {SVGElement[]} */
function shapesOf(mark, { left, right, top, bottom, across, up }) {
  switch (mark.kind) {
    case "line":
      return [svg("path", { d: path(mark.points, across, up), class: `line ${mark.look}` })];
    case "band": {
      const upper = mark.points.map(([x, , high]) => /** @type {Point} */ ([x, high]));
      const lower = mark.points.map(([x, low]) => /** @type {Point} */ ([x, low])).reverse();
      return [svg("path", { d: `${path([...upper, ...lower], across, up)}Z`, class: "band" })];
    }
    case "dots":
      return mark.points.map(([x, y], k) =>
        svg(
          "circle",
          {
            cx: across(x),
            cy: up(y),
            r: Array.isArray(mark.size) ? mark.size[k] : mark.size,
            class: `dot ${mark.look}`,
          },
          mark.names && svg("title", {}, mark.names[k]),
        ),
      );
    case "bars":
      return mark.bars.map(([from, to, low, high]) =>
        svg("rect", {
          x: across(from),
          y: up(high),
          class: `bar ${mark.look}`,
          width: Math.max(0.5, across(to) - across(from) - 1),
          height: Math.max(0, up(low) - up(high)),
        }),
      );
    case "upright": {
      const x = across(mark.x),
        isRight = x > (left + right) / 2;
      return [
        svg("line", { x1: x, x2: x, y1: top - 6, y2: bottom, class: "line dashed" }),
        textAt(x + (isRight ? -5 : 5), top + 2, mark.label, "label", isRight ? "end" : "start"),
      ];
    }
    case "text":
      return [textAt(across(mark.x), up(mark.y), mark.text, `label ${mark.look}`, mark.anchor)];
  }
}

/** The labels of lines: at their ends, or along them. @param {LineMark[]} lines @param {Scales} scales */
function labelsOf(lines, { top, bottom, across, up }) {
  const labels = lines.map((mark) => {
    const points = mark.points.map(([x, y]) => /** @type {Point} */ ([across(x), up(y)]));
    const [x, y] = placeAlong(points, mark.near === undefined ? Infinity : across(mark.near));
    return { x, y, words: mark.label ?? "", look: `label ${mark.look}`, near: mark.near };
  });
  const [along, atEnds] = [true, false].map((is) =>
    labels.filter(({ near }) => (near !== undefined) === is).sort((a, b) => a.y - b.y),
  );
  moveApart(atEnds, top, bottom);
  return [
    ...atEnds.map(({ x, y, words, look }) => textAt(x + 7, y + 4, words, look)),
    // Above the upper of two lines, below the lower.
    ...along.map(({ x, y, words, look }, k) =>
      textAt(x, y + (k === 0 ? -12 : 20), words, look, "middle"),
    ),
  ];
}

/** @param {Chart} chart @param {number} width @param {number} tall */
function drawn(chart, width, tall) {
  const scales = scalesOf(chart, width, tall);
  const marks = chart.marks.filter((mark) => !("points" in mark) || mark.points.length > 0);
  const lines = marks.filter((mark) => mark.kind === "line" && mark.label !== undefined);
  const picture = svg(
    "svg",
    {
      viewBox: `0 0 ${width} ${tall}`,
      role: "img",
      "aria-label": `${chart.title}. ${chart.story}`,
    },
    axesOf(chart, scales, tall),
    marks.map((mark) => shapesOf(mark, scales)),
    labelsOf(/** @type {LineMark[]} */ (lines), scales),
  );
  const { pick } = chart;
  if (pick)
    picture.addEventListener("click", (event) => {
      const box = picture.getBoundingClientRect();
      pick(scales.valueAt(((event.clientX - box.left) / box.width) * width));
    });
  return picture;
}

/** Where a line is at `x`, or its nearer end. @param {Point[]} points @param {number} x @returns {Point} */
function placeAlong(points, x) {
  const next = points.findIndex((point) => point[0] >= x);
  if (next <= 0) return points[next ? points.length - 1 : 0];
  const [[x0, y0], [x1, y1]] = points.slice(next - 1, next + 1);
  return [x, y0 + ((y1 - y0) * (x - x0)) / (x1 - x0)];
}

/**
 * Move labels apart until none covers another.
 * @param {{ y: number }[]} labels from above @param {number} top @param {number} bottom
 */
function moveApart(labels, top, bottom) {
  labels.forEach((label, k) => {
    if (k > 0) label.y = Math.max(label.y, labels[k - 1].y + LINE);
  });
  const over = Math.max(0, (labels.at(-1)?.y ?? 0) - bottom);
  for (const label of labels) label.y = Math.max(top - SIZE, label.y - over);
}

const PRINTED_WIDTH = 290,
  PRINTED_TALL = 185;
const MOST_LINES = 100;

// A table of a thousand lines is read by nobody: evenly taken ones, and the last.
/** @template T @param {T[]} lines */
function thinned(lines) {
  const every = Math.ceil(lines.length / MOST_LINES);
  return lines.filter((_, k) => k % every === 0 || k === lines.length - 1);
}

/** The numbers of a chart as a table. @param {Chart} chart */
function numbersOf(chart) {
  const line = (/** @type {(string | number)[]} */ cells) =>
    html(
      "tr",
      {},
      cells.map((cell) => html("td", {}, cell)),
    );
  const head = chart.head.map((name) => html("th", { scope: "col" }, name));
  return scrollable(
    chart.title,
    html(
      "table",
      {},
      html("thead", {}, html("tr", {}, head)),
      html("tbody", {}, thinned(chart.lines()).map(line)),
    ),
  );
}

/** @typedef {(width: number, tall?: number) => void} WidthDrawer */
/** @type {WeakMap<Element, WidthDrawer>} */
const drawers = new WeakMap();

/** Draw all charts of the page for paper, or for the place that they have. @param {boolean} printed */
export function drawAllFor(printed) {
  for (const place of document.querySelectorAll(".plot"))
    if (printed) drawers.get(place)?.(PRINTED_WIDTH, PRINTED_TALL);
    else drawers.get(place)?.(place.clientWidth);
}

/** A figure that is drawn for the width it is given, so that its text keeps its size. @param {Chart} chart */
export function figure(chart) {
  const place = html("div", { class: chart.pick ? "plot picks" : "plot" });
  const numbers = html("div");
  const id = newId("figure");
  const more = html(
    "details",
    {
      class: "numbers",
      ontoggle: () => {
        if (more.open && !numbers.firstChild) fill(numbers, numbersOf(chart));
      },
    },
    html(
      "summary",
      {},
      "Show the numbers",
      html("span", { class: "hidden" }, ` of ${chart.title}`),
    ),
    numbers,
  );
  let last = 0;
  /** @type {WidthDrawer} */
  const draw = (width, tall = chart.tall ?? 260) => {
    // The text grows with the page's type size, so widths are counted in it.
    const unit = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    const logical = Math.round(width / unit);
    if (logical * tall === last || logical < 40) return;
    last = logical * tall;
    place.replaceChildren(drawn(chart, logical, tall));
  };
  drawers.set(place, draw);
  new ResizeObserver(([entry]) => draw(entry.contentRect.width)).observe(place);
  return html(
    "figure",
    { "aria-labelledby": id },
    html("figcaption", { id }, html("strong", {}, chart.title), " ", html("span", {}, chart.story)),
    place,
    more,
  );
}
