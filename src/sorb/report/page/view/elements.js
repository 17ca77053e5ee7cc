/** Elements of the page. Text only ever enters as text, so that no name in the data can become markup. */

/** @typedef {Node | string | number | null | undefined | false | any[]} Child */
/** @typedef {Record<string, any>} Attributes */

/**
 * @param {Element} node
 * @param {Attributes} attributes
 * @param {Child[]} children
 */
function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  append(node, children);
  return node;
}

/** @param {Element} node @param {Child[]} children */
function append(node, children) {
  for (const child of children) {
    if (Array.isArray(child)) append(node, child);
    else if (child instanceof Node) node.append(child);
    else if (child !== null && child !== undefined && child !== false)
      node.append(...breakable(String(child), node));
  }
}

/** Long names in lines of text may be broken behind an underscore. @param {string} text @param {Element} node */
const breakable = (text, node) =>
  node instanceof HTMLElement && node.tagName !== "OPTION"
    ? text.split(/(?<=_)(?=.)/).flatMap((part, k) => (k ? [document.createElement("wbr"), part] : part))
    : [text];

/**
 * Make an HTML element; attributes that are functions are listeners ("onclick").
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {Attributes} [attributes] @param {Child[]} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function html(tag, attributes = {}, ...children) {
  return /** @type {HTMLElementTagNameMap[T]} */ (
    filled(document.createElement(tag), attributes, children)
  );
}

/**
 * Make an SVG element.
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag @param {Attributes} [attributes] @param {Child[]} children
 * @returns {SVGElementTagNameMap[T]}
 */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  return /** @type {SVGElementTagNameMap[T]} */ (filled(node, attributes, children));
}

/** What tells details apart. @param {HTMLDetailsElement} details */
const keyOf = (details) => details.id || details.querySelector("summary")?.textContent;

/**
 * Put new children in the place of the old. What was open stays open, and the focus goes back to the control of the
 * same id; to the place itself if there is none any more.
 * @param {HTMLElement} node @param {Child[]} children
 */
export function fill(node, ...children) {
  const focused = document.activeElement,
    had = focused !== null && node.contains(focused) && focused !== node;
  const open = [...node.querySelectorAll("details")].filter((details) => details.open).map(keyOf);
  node.replaceChildren();
  append(node, children);
  for (const details of node.querySelectorAll("details"))
    details.open ||= open.includes(keyOf(details));
  if (!had) return;
  document.getElementById(focused.id)?.focus({ preventScroll: true });
  if (node.contains(document.activeElement)) return;
  node.tabIndex = -1;
  node.focus({ preventScroll: true });
}

let identifiers = 0;
/** @param {string} what */
export function newId(what) {
  identifiers += 1;
  return `${what}-${identifiers}`;
}

/** What may be wider than its place, and is scrolled by keys, too. @param {string} label @param {Child[]} children */
export const scrollable = (label, ...children) =>
  html("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": label }, children);

/**
 * A table whose first column names its lines.
 * @param {string} caption @param {string[]} head @param {Child[][]} lines @param {string} [kind]
 */
export function dataTable(caption, head, lines, kind) {
  return scrollable(
    caption,
    html(
      "table",
      { class: kind },
      html("caption", {}, caption),
      html(
        "thead",
        {},
        html(
          "tr",
          {},
          head.map((text) => (text ? html("th", { scope: "col" }, text) : html("td"))),
        ),
      ),
      html(
        "tbody",
        {},
        lines.map((line) =>
          html(
            "tr",
            {},
            line.map((cell, place) =>
              place === 0 ? html("th", { scope: "row" }, cell) : html("td", {}, cell),
            ),
          ),
        ),
      ),
    ),
  );
}

/** A number within a line of text as a bar, between two ends, with a line at zero if it is among them. @param {number} from @param {number} to @param {number} low @param {number} high */
export function lineBar(from, to, low, high) {
  const wide = high - low || 1;
  // Pictures know no numbers as large as predictions may be.
  const across = (/** @type {number} */ value) => (100 * (value - low)) / wide;
  return svg(
    "svg",
    {
      class: "bar-line",
      viewBox: "0 0 100 10",
      preserveAspectRatio: "none",
      "aria-hidden": "true",
    },
    svg("rect", {
      x: across(Math.min(from, to)),
      y: 1.5,
      width: Math.max(across(Math.max(from, to)) - across(Math.min(from, to)), 0.5),
      height: 7,
      class: to >= from ? "bar main" : "bar",
    }),
    low <= 0 &&
      high >= 0 &&
      svg("line", { x1: across(0), x2: across(0), y1: 0, y2: 10, class: "axis" }),
  );
}

/** @param {string} id @param {string} title @param {string} lead @param {Child[]} children */
export function section(id, title, lead, ...children) {
  return html(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    html("h2", { id: `${id}-title` }, title),
    lead && html("p", { class: "lead" }, lead),
    children,
  );
}

/** A button. @param {string} text @param {() => void} act @param {Attributes} [attributes] */
export function button(text, act, attributes = {}) {
  return html("button", { type: "button", onclick: act, ...attributes }, text);
}

/** A control under its label. @param {string} text @param {HTMLElement} control @param {Child} [hint] */
export function field(text, control, hint = null) {
  control.id ||= newId("field");
  return html(
    "div",
    { class: "field" },
    html("label", { for: control.id }, text),
    control,
    hint && html("span", { class: "muted" }, hint),
  );
}

/** Offer a text as a file. @param {string} name @param {string} text */
export function download(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  html("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** The same with a capital first letter. @param {string} text */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
