// What is asked for again and again is computed once, and kept as long as what it is about.

/**
 * A function whose results are kept for each thing and key; the other arguments follow from these.
 * @template {WeakKey} A
 * @template K, R
 * @template {any[]} M
 * @param {(about: A, key: K, ...more: M) => R} compute
 * @returns {(about: A, key: K, ...more: M) => R}
 */
export function remembered(compute) {
  /** @type {WeakMap<A, Map<K, R>>} */
  const known = new WeakMap();
  return (about, key, ...more) => {
    const found = known.get(about) ?? new Map();
    known.set(about, found);
    if (!found.has(key)) found.set(key, compute(about, key, ...more));
    return found.get(key);
  };
}
