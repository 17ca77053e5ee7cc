/** The page: a heading, contents, and seven sections that follow one state. */

import { inflate } from "./core/inflate.js";
import { button, html } from "./view/elements.js";
import { createPageStore } from "./view/state.js";
import { modelSection } from "./view/model_section.js";
import { dialSection } from "./view/dial_section.js";
import { whatIfSection } from "./view/what_if_section.js";
import { changeSection } from "./view/change_section.js";
import { evidenceSection } from "./view/evidence_section.js";
import { comparisonSection } from "./view/comparison_section.js";
import { drawAllFor } from "./view/plot.js";
import { recordSection, signatureLines } from "./view/record_section.js";

/** @typedef {import("./types.d.ts").PageData} PageData */

function themeButton() {
  const root = document.documentElement;
  const preferred = matchMedia("(prefers-color-scheme: dark)");
  let isDark = false;
  const show = (/** @type {boolean} */ dark) => {
    isDark = dark;
    root.dataset.theme = dark ? "dark" : "light";
    control.textContent = dark ? "Light" : "Dark";
    control.setAttribute("aria-label", dark ? "Light colours" : "Dark colours");
  };
  const control = button("", () => show(!isDark), { class: "theme" });
  // Paper is white, and its charts are narrow.
  addEventListener("beforeprint", () => {
    root.dataset.theme = "light";
    drawAllFor(true);
  });
  addEventListener("afterprint", () => {
    show(isDark);
    drawAllFor(false);
  });
  preferred.addEventListener("change", () => show(preferred.matches));
  show(preferred.matches);
  return control;
}

/** @param {HTMLElement[]} sections */
function contents(sections) {
  const links = sections.map((part) =>
    html("a", { href: `#${part.id}` }, part.querySelector("h2")?.textContent),
  );
  const mark = () => {
    const line = innerHeight / 3;
    const current = sections.filter((part) => part.getBoundingClientRect().top <= line).length - 1;
    const link = links[Math.max(0, current)];
    if (link.hasAttribute("aria-current")) return;
    for (const other of links) other.removeAttribute("aria-current");
    link.setAttribute("aria-current", "true");
    list.scrollLeft = link.offsetLeft - list.clientWidth / 3;
  };
  const list = html(
    "ol",
    {},
    links.map((link) => html("li", {}, link)),
  );
  addEventListener("scroll", () => requestAnimationFrame(mark), { passive: true });
  requestAnimationFrame(mark);
  return html("nav", { "aria-label": "Contents" }, list, themeButton());
}

// The data stand in the page as JSON, deflated and in base64.
/** @returns {PageData} */
function readData() {
  const packed = atob(document.getElementById("data")?.textContent ?? "");
  const text = inflate(Uint8Array.from(packed, (letter) => letter.charCodeAt(0)));
  return JSON.parse(new TextDecoder().decode(text));
}

/** @param {PageData} data */
function start(data) {
  const store = createPageStore(data);
  const main = html("main", { id: "main", tabindex: -1 });
  const sections = [
    modelSection(store),
    dialSection(store),
    whatIfSection(store),
    changeSection(store),
    evidenceSection(store),
    comparisonSection(store),
    recordSection(store),
  ].filter((part) => part !== null);
  main.append(...sections);
  document.body.append(
    html("a", { href: "#main", class: "skip" }, "Skip to the model"),
    html(
      "header",
      {},
      html("h1", {}, data.title),
      html("p", {}, data.subtitle),
      data.notes.length > 0 &&
        html(
          "ul",
          { "aria-label": "Read first" },
          data.notes.map((note) => html("li", {}, note)),
        ),
    ),
    contents(sections),
    main,
    signatureLines(),
  );
}

start(readData());
