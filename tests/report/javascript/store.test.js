import assert from "node:assert/strict";
import test from "node:test";
import { setTimeout as rest } from "node:timers/promises";

import { createStore } from "../../../src/sorb/report/page/view/store.js";

/** The frames that are asked for, until they are shown. */
const frames = [];
globalThis.requestAnimationFrame = (show) => frames.push(show);

async function showFrames() {
  frames.splice(0).forEach((show) => show());
  await rest(50);
}

/** What is drawn of a number that takes three steps. */
function drawnInSteps() {
  const store = createStore({ number: 1, other: 0 });
  const drawn = [];
  store.follow(["number"], function* () {
    const { number } = store.state;
    for (const step of ["first", "second", "third"]) {
      if (step !== "first") yield;
      drawn.push(`${step} of ${number}`);
    }
  });
  return { store, drawn };
}

test("when the page is opened all steps are drawn", () => {
  assert.deepEqual(drawnInSteps().drawn, ["first of 1", "second of 1", "third of 1"]);
});

test("a change draws the first step at once, and the others after it is seen", async () => {
  const { store, drawn } = drawnInSteps();
  drawn.length = 0;
  store.change({ other: 5 });
  store.change({ number: 2 });
  await rest(50);
  assert.deepEqual(drawn, ["first of 2"]);
  await showFrames();
  assert.deepEqual(drawn, ["first of 2", "second of 2", "third of 2"]);
});

test("a change begins anew what was not drawn to its end", async () => {
  const { store, drawn } = drawnInSteps();
  drawn.length = 0;
  store.change({ number: 2 });
  store.change({ number: 3 });
  await showFrames();
  assert.deepEqual(drawn, ["first of 2", "first of 3", "second of 3", "third of 3"]);
});
