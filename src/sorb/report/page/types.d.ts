/** What a page is made from: one JSON document, written by Python, that nothing else is needed for. */

export type Label = string | number | boolean;
/** Values of a column; null where the value is missing. */
export type Value = Label | null;

/** A part of a printed condition: the joined texts are what is printed. */
export type Token = ["number" | "name" | "operator" | "relation" | "word" | "unit" | "power" | "category", string];

/* ---- the model, as sorb saves it (src/sorb/rules/ensemble.schema.json) ---- */

export interface LinearProposition {
  kind: "linear"; columns: string[]; weights: number[]; threshold: number; missing?: boolean;
}
export interface ProductProposition {
  kind: "product"; columns: string[]; powers: number[]; threshold: number; at_most: boolean; missing?: boolean;
}
export interface MembershipProposition {
  kind: "membership"; column: string; categories: Label[]; negated: boolean; missing?: boolean;
}
export type PropositionDocument = LinearProposition | ProductProposition | MembershipProposition;
export interface RuleDocument { weight: number; output: number; condition: PropositionDocument[]; }
export type LossName = "squared" | "logistic" | "softmax" | "poisson" | "gamma" | "tweedie";
export interface ColumnExperience { missing: boolean; range?: [number, number]; categories?: Label[]; }
export interface ModelDocument {
  format: "sorb.rule-ensemble"; version: 1; loss: LossName; power?: number; classes: Label[] | null;
  columns: string[]; offset: number | number[]; rules: RuleDocument[];
  units?: Record<string, string>; per_exposure?: boolean; experience?: Record<string, ColumnExperience>;
}

/* ---- the table behind it ---- */

export interface Outcome {
  name: string;
  /** What the model predicts, such as "probability of ill" or "expected medv". */
  predicted: string;
  /** What a vote is about, such as "log-odds of ill". */
  vote: string;
  /** What users call the mean loss, such as "log loss"; multiply mean losses by `measure_factor`. */
  measure: string; measure_factor: 1 | 2;
  unit: string | null;
  /** For two classes: the probability above which a row counts as positive, and why this one. */
  cutoff: number | null; cutoff_reason: string | null;
  /** The names of the classes as they are printed, in the order of the model's classes; else null. */
  class_names: string[] | null;
}

/** A column that a rule of any size uses, or that subgroups are made of. */
export interface Column {
  name: string;
  unit: string | null;
  kind: "number" | "category";
  /** Whether the column had missing values in training. */
  missing: boolean;
  /** Numbers: the range in training, the share of rows in equal bins of it, a typical value, whether all were whole. */
  range?: [number, number]; histogram?: number[]; typical: Value; whole?: boolean;
  /** A sensible step for a control; left out where no value is known. */
  step?: number;
  /** Categories: the most frequent first, with their shares. */
  categories?: { label: Label; share: number }[];
  /** Whether these are all categories that the training rows have. */
  all_listed?: boolean;
  /** The share of rows where it is missing. */
  missing_share: number;
}

/* ---- the sums that votes are fitted to ---- */

/**
 * Sums over the rows of a split, one entry for each cell (and fold) that holds any row.
 * All arrays are as long as `cell`. `w` is left out if all weights are 1 (then it is `n`).
 * One output: `wy` = Σ w·(y − shift); two classes: y is 1 for the second class. Softmax: `by_class[k]` = Σ w·[y is class k].
 * Numbers: `constant` = Σ w·c(y) of all entries, the part of the loss that no score changes; of the squared loss Σ w·(y − shift)²/2.
 */
export interface Sums {
  cell: number[]; fold?: number[]; n: number[]; w?: number[]; wy?: number[]; by_class?: number[][];
  constant?: number;
}

/**
 * The rows by what the propositions of a model say of them. `propositions[p]` of the size has cuts; its level in a
 * cell is the number of its cuts that the value passes ("passes" = the proposition with that threshold is true), in
 * the order of `cuts`, so that the proposition at cut j is true where level > j. Rows whose value is unknown have the
 * level "?": the proposition is true there if `missing` is true, whatever the cut. A membership has one "cut": level 1 where it is
 * true (also because of `missing`), 0 elsewhere.
 * Levels are characters: 0-9, A-Z, a-z (at most 61 cuts), and "?".
 */
export interface Cells {
  n_cells: number;
  /** For each proposition a string with one character for each cell. */
  levels: string[];
  shift: number;
  n_folds: number;
  training: Sums;
  /** Rows held out; null if there are none. */
  test: Sums | null;
  /** Sums of test rows (training rows if there are none) by subgroup; without folds. */
  subgroups: Subgroup[];
}
export interface Subgroup {
  /** The column, and which part of it, in words: "age", "18 to 40"; "sex", "male"; "crp", "missing". */
  column: string; part: string;
  /** Too small to be shown: no sums. */
  suppressed: boolean;
  /** Whether its loss exceeds that of the other rows by more than chance explains, given how many groups there are. */
  worse: boolean;
  sums: Sums | null;
}

/** A proposition of one or more rules of a size, at the threshold that the model has. */
export interface PropositionView {
  document: PropositionDocument;
  tokens: Token[];
  /** In plain words, without symbols: "age at least 40", "weight per height squared at least 25". */
  words: string;
  /** The share of the training rows where it is true, and where its value is unknown. */
  share: number; unknown: number;
  /**
   * Thresholds on offer, in the order in which fewer and fewer rows pass; `own` is the place of the model's.
   * Null for memberships.
   */
  cuts: number[] | null; own: number | null;
  /** tokens of the proposition at each cut, all of it. */
  cut_texts: string[] | null;
  /**
   * Training rows by the value of w·x (or of the product): equal bins, and Σw and Σwy (or by class) in each. `from` and
   * `to` are on the scale that is printed: a cut stands there times `scale`, which is negative where small values pass.
   */
  projection: { label: string; scale: number; from: number; to: number; w: number[]; wy?: number[]; by_class?: number[][] } | null;
}

export interface RuleView {
  /** Places in `propositions` of the size, one for each proposition of the condition. */
  propositions: number[];
  tokens: Token[];
  words: string;
  /** Share of the training rows that it covers; what they have as outcome on average (share of the second class; shares by class), and all rows. */
  coverage: number; n: number; mean: number | number[];
  /** The share of the covered rows with their most frequent class; null without classes. */
  purity: number | null;
  /** How often it was found again under resampling, from 0 to 1; null where that was not computed. */
  found_again: number | null;
}

export interface Size {
  model: ModelDocument;
  /** SHA-256 of the model as Python writes it, by which a log of changes names its model. */
  fingerprint: string;
  complexity: number;
  n_rules: number;
  /** The penalty that votes were fitted with: the refit minimises Σ w·loss + reg_lambda·Σ vote². */
  reg_lambda: number;
  /** What the weights of the training rows of each class were multiplied by; null if they count as they are. */
  class_weights: number[] | null;
  /** Mean loss; null where there are no such rows. */
  training_risk: number; test_risk: number | null;
  rules: RuleView[];
  propositions: PropositionView[];
  cells: Cells;
}

/** Risk against complexity. */
export interface CurvePoint {
  complexity: number; n_rules: number; training: number;
  /** Cross-validated, with its standard error. */
  validation: number | null; validation_error: number | null; test: number | null;
  /** Place in `sizes` of the model of this complexity; null if it is not on the page. */
  size: number | null;
}

/* ---- rows, evidence, comparison, stability, record ---- */

export interface Rows {
  /** The numbers that users know rows by, counted from 0. */
  number: number[];
  split: ("training" | "test")[];
  /** One array for each of the page's columns, in their order. */
  values: Value[][];
  outcome: Value[];
  /** Cell of the row in the chosen size. */
  cell: number[];
}

export interface Table { caption: string; head: string[]; lines: string[][]; notes: string[]; }

export interface Evidence {
  /** Performance with intervals on each kind of rows, beside baseline and simple models. */
  tables: Table[];
  /** "No better than without rules …", or null. */
  verdict: string | null;
  /** For outcomes that are numbers: residuals of each split in equal bins. */
  residuals: { split: string; from: number; to: number; counts: number[] }[];
}

export interface Method {
  name: string; what: string;
  /** A point for each size of the method on the same test rows; complexity null if it has none that compares. */
  points: { complexity: number | null; size: string; risk: number }[];
  measures: string[];
}
export interface EqualModel {
  /** "another seed (1)", "without crp", "crp ten times as dear". */
  how: string;
  model: ModelDocument; tokens: Token[][]; complexity: number;
  risk: number; risk_error: number | null; test_risk: number | null;
  /** How much higher its mean loss on the test rows is, row by row, and the standard error of this. */
  worse: number; worse_error: number | null;
  columns: string[];
  /** Share of rows for which both decide alike, or the correlation of the predictions. */
  agreement: number;
}
export interface Comparison {
  methods: Method[]; measure_names: string[];
  equal: EqualModel[];
  /** Columns that all of them use, some, and only this one. */
  in_all: string[]; in_some: string[];
  /** The share of rows for which all decide alike, or the mean spread of predictions. */
  unanimous: number | null;
  notes: string[];
}

export interface Stability {
  resamples: number;
  rules: { found: number; vote: [number, number, number] | null; thresholds: ([number, number] | null)[] }[];
  agreement: number; words: string;
}

export interface RecordGroup { title: string; lines: [string, string][]; }
export interface Card { title: string; head: string[]; rules: string[][]; totals: string[][]; notes: string[]; }

export interface PageData {
  format: "sorb.report"; version: 1;
  title: string; subtitle: string;
  outcome: Outcome;
  columns: Column[];
  sizes: Size[];
  chosen: number;
  curve: { points: CurvePoint[]; validation: string | null };
  /** Null on a page without rows. */
  rows: Rows | null;
  /** How many rows there are in all; the page may hold fewer. */
  n_rows: { training: number; test: number };
  evidence: Evidence;
  comparison: Comparison | null;
  stability: Stability | null;
  scorecard: Card | null;
  record: RecordGroup[];
  glossary: [string, string][];
  /** What a reader must know first: class weights, odd tables, a model no better than none. */
  notes: string[];
  /** On a page without rows, counts below this are not on it; else 0. */
  min_rows: number;
}

/* ---- changes ---- */

/** The documents of src/sorb/editing/log_file.py. Rules count from 0, by the model that is edited. */
interface ChangeBase { rule: number; reason: string; author: string; time: string; }
export interface DropChange extends ChangeBase { change: "drop"; }
export interface ForbidChange extends ChangeBase { change: "forbid"; }
export interface PinChange extends ChangeBase { change: "pin"; vote: number; }
export interface MoveChange extends ChangeBase { change: "condition"; condition: PropositionDocument[]; }
export type Change = DropChange | ForbidChange | PinChange | MoveChange;

/** What the page saves; `offset` and `votes` (of the rules that are left, in order) are those of the refit. */
export interface EditLog {
  format: "sorb.edit-log"; version: 1; model: string; reg_lambda: number;
  class_weights?: number[];
  offset: number | number[]; votes: number[]; changes: (Change & { effect?: object })[];
}
