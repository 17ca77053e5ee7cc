// Searches for conditions: one conjunction of half-spaces for each level of complexity.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "objective.hpp"
#include "region.hpp"

namespace sorb {

// w·z >= threshold, and which rows of the table are inside.
struct HalfSpace {
  std::vector<int> support;
  std::vector<double> w;
  double threshold;
  std::vector<std::uint8_t> rows;
};

using Conjunction = std::vector<std::shared_ptr<const HalfSpace>>;

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
