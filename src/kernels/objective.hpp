// Boosting objectives: the gain expected of a condition, before any vote is refitted.
//
// With S, N the sums of gain and mass over the rows that a condition covers, and a sign that S
// should have: |S|, |S| / sqrt(N), S^2 / (N + ridge), or, for the orthogonal objective, |S| /
// (|q_perp| + epsilon), where q_perp is what remains of the condition's indicator after projection
// off the span of the rules so far. With a span, the second-order one is S^2 / (|q_perp|^2 +
// ridge).
#pragma once
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

struct Objective {
  ObjectiveKind kind;
  double ridge;               // second order: added to N; orthogonal: epsilon
  Buffer<double> gain, mass;  // of each row of the table
  std::optional<Span> span;   // of the rules so far; always for the orthogonal objective

  double score(const RowNumbers& rows, int sign) const;

  // The best cut of some rows along a projection. None if no cut that keeps some of the rows and
  // drops others gains anything, or if a projection is not finite.
  std::optional<Cut> best_cut(const RowNumbers& rows, const std::vector<double>& projection,
                              int sign) const;
};

}  // namespace sorb
