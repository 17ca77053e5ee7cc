// What a search is given: a table, the rows of a bag, objectives, and what the columns mean.
#pragma once
#include <cstdint>
#include <optional>

#include "buffer.hpp"
#include "column_info.hpp"
#include "column_table.hpp"
#include "objective.hpp"
#include "row_numbers.hpp"

namespace sorb {

template <typename Real>
struct SearchProblem {
  ColumnTable<Real> Z;  // standardised columns
  std::int64_t n;       // rows
  int d;                // columns
  SharedRowNumbers bag;
  Objective objective;               // chooses among refinements
  std::optional<Objective> cutter;   // places thresholds; none: the separators' own
  Buffer<double> weighted_gradient;  // of each row; the axis-parallel search needs none
  ColumnInfo columns;

  int first_logarithm() const { return columns.first_logarithm.value_or(d); }
};

// Whether a copy of this many rows takes little memory; larger ones are not kept.
template <typename Real>
bool is_small(const SearchProblem<Real>& problem, std::size_t rows) {
  constexpr std::size_t largest_copy = std::size_t(4) << 20;
  return rows * std::size_t(problem.d) * sizeof(Real) <= largest_copy;
}

// Whether rows are few enough to be copied, so that passes over them read no others.
template <typename Real>
bool worth_copying(const SearchProblem<Real>& problem, std::size_t rows) {
  return is_small(problem, rows) || 3 * std::int64_t(rows) < problem.n;
}

// The same problem on a copy of the rows of the bag alone.
template <typename Real>
SearchProblem<Real> packed(const SearchProblem<Real>& problem);

}  // namespace sorb
