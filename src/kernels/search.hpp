// Searches for conditions: one conjunction of half-spaces for each level of complexity.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "objective.hpp"
#include "region.hpp"

namespace sorb {

// w·z >= threshold; or, without weights, the category of one column is (not) one of some. Also which
// way the rows go whose value is missing, and which rows of the table are inside.
struct HalfSpace {
  std::vector<int> support;
  std::vector<double> w;
  double threshold;
  bool missing = false;
  std::vector<int> named{};  // categories
  bool negated = false;
  std::vector<std::uint8_t> rows{};

  bool is_set() const { return w.empty(); }
  // The number of weights or categories in it.
  int size() const { return is_set() ? std::max(1, int(named.size())) : int(w.size()); }
};

using Conjunction = std::vector<std::shared_ptr<const HalfSpace>>;

// A column of categories, numbered from zero; the number after the last one stands for "missing".
struct Categories {
  const std::int32_t* code;
  int count;
};

// What the columns mean, beyond their standardised values.
struct Meaning {
  // For each column, which of its values are missing (they are zero in the table), or null.
  std::vector<const std::uint8_t*> missing;
  std::vector<Categories> categories;
  // The columns from this one on are logarithms; no sum mixes them with others.
  int first_logarithm;
  // The scale of each column, if weights shall be whole numbers in the user's own units, or null.
  const double* scale;
};

// What is searched: the rows of the bag in a column-major table of standardised columns.
template <typename Real>
struct Problem {
  const Real* Z;
  std::int64_t n;
  int d;
  Rows bag;
  const Objective& objective;  // chooses among refinements
  const Objective* cutter;     // places thresholds; null: the separators' own
  const double* strength;      // row weight times gradient
  Meaning meaning;
};

// A number for how a condition divides the rows: the same for a condition and its complement, 0 if
// all rows are on one side.
std::uint64_t division(const std::uint8_t* members, std::int64_t n);

// How an oblique search gets from one conjunction to the next.
enum class Steps {
  // One half-space is learned again with one more column, or one of a single column is added.
  refine,
  // A half-space of as many columns as are best is added, and none is ever changed.
  append,
};

// The paper's searches, up to a number of weights. Of all steps the one with the best objective is
// taken. One chain for each sign of the gradient, positive first; on two threads if asked.
template <typename Real>
std::vector<std::vector<Conjunction>> oblique_levels(const Problem<Real>& problem, int max_weights,
                                                     Steps steps, int threads);

// Half-spaces of one column, added greedily as long as the objective grows.
template <typename Real>
std::vector<std::vector<Conjunction>> axis_levels(const Problem<Real>& problem, int max_weights);

}  // namespace sorb
