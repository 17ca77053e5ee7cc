/** The one state of the page, and what is drawn again when a part of it changes. */

/**
 * @template {object} S
 * @param {S} state
 */
export function createStore(state) {
  /** @type {{ keys: (keyof S)[], draw: () => void }[]} */
  const followers = [];
  return {
    state,
    /** Draw now, and again after each change of one of these. @param {(keyof S)[]} keys @param {() => void} draw */
    follow(keys, draw) {
      followers.push({ keys, draw });
      draw();
    },
    /** @param {Partial<S>} patch */
    change(patch) {
      Object.assign(state, patch);
      for (const { keys, draw } of followers) if (keys.some((key) => key in patch)) draw();
    },
  };
}
