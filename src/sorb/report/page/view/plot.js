/** One kind of chart for the whole page: axes, marks, direct labels, a text alternative and the numbers behind it. */

import { fill, html, newId, scrollable, svg } from "./elements.js";

/**
 * @typedef {[number, number]} Point
 * @typedef {{ kind: "line", points: Point[], look: string, label?: string, near?: number }} LineMark
 * @typedef {{ kind: "band", points: [number, number, number][], look: string }} BandMark
 * @typedef {{ kind: "dots", points: Point[], look: string, size?: number, sizes?: number[], names?: string[] }} DotsMark
 * @typedef {{ kind: "bars", bars: [number, number, number, number][], look: string }} BarsMark
 * @typedef {{ kind: "upright", x: number, label: string, look: string }} UprightMark
 * @typedef {{ kind: "text", x: number, y: number, text: string, look: string, anchor?: string }} TextMark
 * @typedef {LineMark | BandMark | DotsMark | BarsMark | UprightMark | TextMark} Mark
 * @typedef {{
 *   title: string, story: string, x: Point, y: Point, xLabel: string, yLabel: string,
 *   xText?: (x: number) => string, yText?: (y: number) => string, marks: Mark[],
 *   head: string[], lines: () => (string | number)[][], tall?: number, room?: number,
 *   pick?: (x: number) => void,
 * }} Chart
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

/** @param {Point[]} points */
const path = (points) =>
  points.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

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

/** @param {Chart} chart @param {number} width @param {number} tall */
function drawn(chart, width, tall) {
  const xText = chart.xText ?? plain,
    yText = chart.yText ?? plain;
  const yTicks = ticks(...chart.y, 5);
  const left = 10 + 6.8 * Math.max(0, ...yTicks.map((y) => yText(y).length));
  const right = width - Math.min(chart.room ?? 20, width * 0.4),
    top = 26,
    bottom = tall - 38;
  const across = (/** @type {number} */ x) =>
    left + ((x - chart.x[0]) / (chart.x[1] - chart.x[0] || 1)) * (right - left);
  const up = (/** @type {number} */ y) =>
    bottom - ((y - chart.y[0]) / (chart.y[1] - chart.y[0] || 1)) * (bottom - top);
  const text = (
    /** @type {number} */ x,
    /** @type {number} */ y,
    /** @type {string} */ words,
    /** @type {string | null} */ look,
    /** @type {string} */ anchor = "start",
  ) => svg("text", { x, y, class: look, "text-anchor": anchor }, words);
  const picture = svg("svg", {
    viewBox: `0 0 ${width} ${tall}`,
    role: "img",
    "aria-label": `${chart.title}. ${chart.story}`,
  });
  for (const y of yTicks)
    picture.append(
      svg("line", { x1: left, x2: right, y1: up(y), y2: up(y), class: "grid" }),
      text(left - 6, up(y) + 4, yText(y), null, "end"),
    );
  const xTicks = ticks(...chart.x, Math.max(2, Math.min(8, (right - left) / 70)));
  for (const x of xTicks)
    picture.append(
      svg("line", { x1: across(x), x2: across(x), y1: bottom, y2: bottom + 4, class: "axis" }),
      text(across(x), bottom + 17, xText(x), null, "middle"),
    );
  picture.append(
    svg("line", { x1: left, x2: right, y1: bottom, y2: bottom, class: "axis" }),
    text(0, 11, chart.yLabel, "axis-label"),
    text(right, tall - 4, shortened(chart.xLabel, right), "axis-label", "end"),
  );
  /** @type {{ x: number, y: number, mark: LineMark }[]} */
  const labels = [];
  for (const mark of chart.marks) {
    if (mark.kind === "line") {
      const points = mark.points.map(([x, y]) => /** @type {Point} */ ([across(x), up(y)]));
      if (points.length === 0) continue;
      picture.append(svg("path", { d: path(points), class: `line ${mark.look}` }));
      const [x, y] = placeAlong(points, mark.near === undefined ? Infinity : across(mark.near));
      if (mark.label) labels.push({ x, y, mark });
    } else if (mark.kind === "band") {
      if (mark.points.length === 0) continue;
      const upper = mark.points.map(([x, , high]) => /** @type {Point} */ ([across(x), up(high)]));
      const lower = mark.points
        .map(([x, low]) => /** @type {Point} */ ([across(x), up(low)]))
        .reverse();
      picture.append(
        svg("path", { d: `${path([...upper, ...lower])}Z`, class: `band ${mark.look}` }),
      );
    } else if (mark.kind === "dots") {
      mark.points.forEach(([x, y], k) =>
        picture.append(
          svg(
            "circle",
            {
              cx: across(x),
              cy: up(y),
              r: mark.sizes?.[k] ?? mark.size ?? 4,
              class: `dot ${mark.look}`,
            },
            mark.names && svg("title", {}, mark.names[k]),
          ),
        ),
      );
    } else if (mark.kind === "bars") {
      for (const [from, to, low, high] of mark.bars)
        picture.append(
          svg("rect", {
            x: across(from),
            y: up(high),
            class: `bar ${mark.look}`,
            width: Math.max(0.5, across(to) - across(from) - 1),
            height: Math.max(0, up(low) - up(high)),
          }),
        );
    } else if (mark.kind === "upright") {
      const late = across(mark.x) > (left + right) / 2;
      picture.append(
        svg("line", {
          x1: across(mark.x),
          x2: across(mark.x),
          y1: top - 6,
          y2: bottom,
          class: `line ${mark.look}`,
        }),
        text(
          across(mark.x) + (late ? -5 : 5),
          top + 2,
          mark.label,
          `label ${mark.look}`,
          late ? "end" : "start",
        ),
      );
    } else {
      picture.append(
        text(across(mark.x), up(mark.y), mark.text, `label ${mark.look}`, mark.anchor),
      );
    }
  }
  for (const { x, y, mark } of placeLabels(labels, top, bottom))
    picture.append(text(x + 7, y + 4, mark.label ?? "", `label ${mark.look}`));
  // Labels along lines: above the upper of two lines, below the lower.
  labels
    .filter(({ mark }) => mark.near !== undefined)
    .sort((a, b) => a.y - b.y)
    .forEach(({ x, y, mark }, k) =>
      picture.append(
        text(x, y + (k === 0 ? -12 : 20), mark.label ?? "", `label ${mark.look}`, "middle"),
      ),
    );
  const pick = chart.pick;
  if (pick)
    picture.addEventListener("click", (event) => {
      const place =
        (event.clientX - picture.getBoundingClientRect().left) /
        picture.getBoundingClientRect().width;
      pick(chart.x[0] + ((place * width - left) / (right - left)) * (chart.x[1] - chart.x[0]));
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
 * Move labels at the ends of lines apart until none covers another.
 * @param {{ x: number, y: number, mark: LineMark }[]} labels @param {number} top @param {number} bottom
 */
function placeLabels(labels, top, bottom) {
  const free = labels.filter(({ mark }) => mark.near === undefined).sort((a, b) => a.y - b.y);
  free.forEach((label, k) => {
    if (k > 0) label.y = Math.max(label.y, free[k - 1].y + LINE);
  });
  const over = free.length ? Math.max(0, free[free.length - 1].y - bottom) : 0;
  for (const label of free) label.y = Math.max(top - SIZE, label.y - over);
  return free;
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
        if (more.open && !numbers.firstChild)
          fill(
            numbers,
            scrollable(
              chart.title,
              html(
                "table",
                {},
                html(
                  "thead",
                  {},
                  html(
                    "tr",
                    {},
                    chart.head.map((text) => html("th", { scope: "col" }, text)),
                  ),
                ),
                html(
                  "tbody",
                  {},
                  thinned(chart.lines()).map((line) =>
                    html(
                      "tr",
                      {},
                      line.map((cell) => html("td", {}, cell)),
                    ),
                  ),
                ),
              ),
            ),
          );
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
