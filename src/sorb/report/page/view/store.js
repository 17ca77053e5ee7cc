/** The one state of the page, and what is drawn again when a part of it changes. */

/** @typedef {{ draw: () => void, place?: Element }} Follower */

/**
 * @template {object} S
 * @param {S} state
 */
export function createStore(state) {
  /** @type {(Follower & { keys: (keyof S)[] })[]} */
  const followers = [];
  /** @type {Set<Follower>} */
  const late = new Set();
  const drawNext = () => {
    const [next] = late;
    if (!next) return;
    late.delete(next);
    next.draw();
    if (late.size > 0) setTimeout(drawNext);
  };
  return {
    state,
    /**
     * Draw now, and again after each change of one of these; a little later if the place is out of sight, so that the
     * hand that moves a control does not wait for it.
     * @param {(keyof S)[]} keys @param {() => void} draw @param {Element} [place]
     */
    follow(keys, draw, place) {
      followers.push({ keys, draw, place });
      draw();
    },
    /** @param {Partial<S>} patch */
    change(patch) {
      Object.assign(state, patch);
      const waiting = late.size > 0;
      const touched = followers.filter(({ keys }) => keys.some((key) => key in patch));
      // All places are looked at before anything is drawn, so that the page is laid out once.
      const inSight = touched.filter(({ place }) => !place || !isOutOfSight(place));
      for (const follower of touched) late.add(follower);
      for (const follower of inSight) {
        late.delete(follower);
        follower.draw();
      }
      if (late.size > 0 && !waiting) setTimeout(drawNext);
    },
  };
}

/** @param {Element} place */
function isOutOfSight(place) {
  const { top, bottom } = place.getBoundingClientRect();
  return bottom < 0 || top > innerHeight;
}
