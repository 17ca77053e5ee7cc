// Models and rows for the tests.

/** Numbers from 0 to 1, the same ones for the same seed. */
export function seeded(seed) {
  let state = (seed + 1) * 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function column(name, range, step) {
  return { name, unit: null, kind: "number", missing: false, range, step, typical: 1, missing_share: 0 };
}

/** A model of two classes whose rules have one proposition each. */
export function logistic(propositions, weights = propositions.map(() => 2)) {
  return {
    format: "sorb.rule-ensemble", version: 1, loss: "logistic", classes: ["no", "yes"],
    columns: ["a", "b", "c", "d"], offset: -1,
    rules: propositions.map((proposition, k) => ({
      weight: weights[k], output: 0, condition: [proposition],
    })),
  };
}

const pick = (random, values) => values[Math.floor(random() * values.length)];

function randomProposition(random) {
  const missing = random() < 0.3;
  const threshold = random() < 0.5 ? Math.round(random() * 20) / 10 : random() * 2;
  switch (pick(random, ["linear", "sum", "product", "ratio", "texts", "numbers"])) {
    case "linear":
      return { kind: "linear", columns: [pick(random, ["a", "b", "c"])], weights: [pick(random, [1, -1])], threshold: threshold - 1, missing };
    case "sum":
      return { kind: "linear", columns: ["a", "b"], weights: [random() * 2 - 1, pick(random, [0.1, -1])], threshold: threshold - 1, missing };
    case "product":
      return { kind: "product", columns: ["b"], powers: [pick(random, [2, 0.5])], threshold: threshold + 0.1, at_most: random() < 0.5, missing };
    case "ratio":
      return { kind: "product", columns: ["b", "c"], powers: [1, -1], threshold: threshold + 0.1, at_most: random() < 0.5, missing };
    case "texts":
      return { kind: "membership", column: "d", categories: [pick(random, ["x", "y"]), "z"], negated: random() < 0.5, missing };
    default:
      return { kind: "membership", column: "c", categories: [1, 4], negated: random() < 0.5, missing };
  }
}

export function randomModel(random) {
  const propositions = Array.from({ length: 4 }, () => randomProposition(random));
  const model = logistic(propositions, propositions.map(() => random() * 6 - 3));
  model.rules[0].condition.push(randomProposition(random));
  return model;
}

export function randomRow(random) {
  const value = (known) => (random() < 0.15 ? null : known);
  return new Map([
    ["a", value(Math.round(random() * 60) / 10 - 3)],
    ["b", value(random() * 9 - 1)],
    ["c", value(Math.floor(random() * 6))],
    ["d", value(pick(random, ["x", "y", "z", "other"]))],
  ]);
}

/**
 * Rows with ages of 10, 30, 50 and 70, of whom the later ones have larger outcomes, and two rules:
 * age ≥ 40 and age ≥ 60, each with cuts at 20, 40 and 60 on offer.
 */
export function smallSize() {
  const atLeast = (threshold) => ({ kind: "linear", columns: ["age"], weights: [1], threshold });
  const model = {
    format: "sorb.rule-ensemble", version: 1, loss: "squared", classes: null, columns: ["age"],
    offset: 1,
    rules: [40, 60].map((threshold) => ({ weight: 1, output: 0, condition: [atLeast(threshold)] })),
  };
  return {
    model, fingerprint: "abc", reg_lambda: 0, complexity: 4, n_rules: 2,
    rules: [0, 1].map((place) => ({ propositions: [place], words: `age at least ${place ? 60 : 40}`, coverage: 0.5 - place / 4 })),
    propositions: [40, 60].map((threshold) => ({
      document: atLeast(threshold), cuts: [20, 40, 60], own: threshold / 20 - 1,
    })),
    cells: {
      n_cells: 4, levels: ["0123", "0123"], shift: 0, n_folds: 2,
      training: { cell: [0, 1, 2, 3], fold: [0, 1, 0, 1], n: [1, 1, 1, 1], wy: [1, 2, 4, 9], constant: 51 },
      test: null, subgroups: [],
    },
  };
}
