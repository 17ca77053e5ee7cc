// Boosting objectives: the gain expected of a condition, before any vote is refitted.
//
// With S, N the sums of gain and mass over the rows that a condition covers, and a sign that S
// should have: |S|, |S| / sqrt(N), S^2 / (N + ridge), or, for the orthogonal objective, |S| /
// (|q_perp| + epsilon), where q_perp is what remains of the condition's indicator after projection
// off the span of the rules so far. With a span, the second-order one is S^2 / (|q_perp|^2 +
// ridge).
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "buffer.hpp"
#include "row_numbers.hpp"
#include "span.hpp"

namespace sorb {

enum class ObjectiveKind { gradient_sum, gradient_boosting, second_order, orthogonal };

// Rows with projection >= threshold are kept, which is worth `value` > 0.
struct Cut {
  double threshold, value;
};

// The signs of the gradient, and what is found for each: first for the positive one.
using Signs = std::array<bool, 2>;
using CutsBySign = std::array<std::optional<Cut>, 2>;

inline Signs only(int sign) { return {sign > 0, sign < 0}; }

// What an objective needs to know of some rows.
struct RowTotals {
  double gain = 0, mass = 0;
  std::vector<double> projected{};  // their indicator on the basis of the span, if there is one
};

struct Objective {
  ObjectiveKind kind;
  double ridge;               // second order: added to N; orthogonal: epsilon
  Buffer<double> gain, mass;  // of each row of the table
  std::optional<Span> span;   // of the rules so far; always for the orthogonal objective

  double score(const RowNumbers& rows, int sign) const;

  // Totals of no rows, to add rows to.
  RowTotals no_rows() const;
  void add(std::int64_t row, RowTotals& totals) const {
    const double of_row = mass[row];
    totals.gain += gain[row];
    totals.mass += of_row;
    if (!span) return;
    const double* values = span->basis.row(span->pattern[row]);
    double* projected = totals.projected.data();
    for (std::size_t c = 0; c < totals.projected.size(); ++c) projected[c] += of_row * values[c];
  }
  double value_of(const RowTotals& totals, int sign) const;

  // The best cut of some rows along a projection, for each of these signs. None if no cut that
  // keeps some of the rows and drops others gains anything, or if a projection is not finite.
  CutsBySign best_cuts(const RowNumbers& rows, const RowValues& projection,
                       const Signs& signs) const;

  std::optional<Cut> best_cut(const RowNumbers& rows, const RowValues& projection, int sign) const {
    return best_cuts(rows, projection, only(sign))[sign < 0];
  }
};

}  // namespace sorb
