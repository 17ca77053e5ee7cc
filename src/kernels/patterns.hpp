// Patterns: the sets of rules that cover a row.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "buffer.hpp"

namespace sorb {

// The least and the largest vote that a rule may have.
struct VoteRange {
  double lower = -INFINITY, upper = INFINITY;

  bool is_free() const { return std::isinf(lower) && std::isinf(upper); }
};

// The pattern of each row, and the rules of each pattern.
struct Patterns {
  Buffer<std::int32_t> index;    // the number of the pattern of each row
  Matrix<std::uint8_t> table;    // patterns x rules: 1 where the rule covers
  Buffer<std::int32_t> outputs;  // the output that each rule votes for
  Buffer<VoteRange> ranges;      // of the vote of each rule
  int n_outputs;

  // One pattern that all rows share.
  static Patterns without_rules(std::size_t rows, int n_outputs);

  // The patterns after adding a rule that covers the given rows: in the order of the old ones,
  // first where the rule does not cover, without those that have no row.
  Patterns split(const bool* covered, int output, VoteRange range) const;

  // The patterns after removing a rule: those that only it told apart become one.
  Patterns without(std::int64_t rule) const;

  // For each rule, the weight of the rows that either it or the given rows cover, but not both.
  std::vector<double> disagreements(const bool* covered, const double* weight) const;

  // The scores of each pattern, one for each output. Theta holds the offsets, then the votes.
  std::vector<double> scores(const double* theta) const;

  std::size_t n_coordinates() const { return std::size_t(n_outputs) + outputs.size(); }
};

}  // namespace sorb
