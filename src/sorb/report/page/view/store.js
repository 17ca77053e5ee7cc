/** The one state of the page, and what is drawn again when a part of it changes. */

/**
 * Draws at once, or in steps between which the hand that moves a control may come.
 * @typedef {() => Iterator<void> | void} Draw
 * @typedef {{ draw: Draw, place?: Element }} Follower
 */

// Milliseconds after which what is drawn later lets other work come first.
const LONG = 8;

/**
 * @template {object} S
 * @param {S} state
 */
export function createStore(state) {
  /** @type {(Follower & { keys: (keyof S)[] })[]} */
  const followers = [];
  /** What is not drawn yet, with its steps if it was begun. @type {Map<Follower, Iterator<void> | null>} */
  const late = new Map();
  /** @param {Follower} follower */
  const step = (follower) => {
    const begun = late.get(follower);
    late.delete(follower);
    const steps = begun ?? follower.draw();
    if (steps && !steps.next().done) late.set(follower, steps);
  };
  let changes = 0;
  /** @param {number} change the last one when this was asked for: a later one asks again */
  const drawLate = (change) => {
    if (change !== changes) return;
    const start = performance.now();
    try {
      while (late.size > 0 && performance.now() - start < LONG) step([...late.keys()][0]);
    } finally {
      if (late.size > 0) setTimeout(drawLate, 0, change);
    }
  };
  return {
    state,
    /**
     * Draw now, and again after each change of one of these; a little later if the place is out of sight, so that the
     * hand that moves a control does not wait for it.
     * @param {(keyof S)[]} keys @param {Draw} draw @param {Element} [place]
     */
    follow(keys, draw, place) {
      followers.push({ keys, draw, place });
      const steps = draw();
      while (steps && !steps.next().done);
    },
    /** @param {Partial<S>} patch */
    change(patch) {
      Object.assign(state, patch);
      const touched = followers.filter(({ keys }) => keys.some((key) => key in patch));
      // All places are looked at before anything is drawn, so that the page is laid out once.
      const inSight = touched.filter(({ place }) => !place || !isOutOfSight(place));
      for (const follower of touched) late.delete(follower);
      inSight.forEach(step);
      for (const follower of touched) if (!inSight.includes(follower)) late.set(follower, null);
      changes += 1;
      // Only after the frame that shows the change.
      if (late.size > 0) requestAnimationFrame(() => setTimeout(drawLate, 0, changes));
    },
  };
}

/** @param {Element} place */
function isOutOfSight(place) {
  const { top, bottom } = place.getBoundingClientRect();
  return bottom < 0 || top > innerHeight;
}
