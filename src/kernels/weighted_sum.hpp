// Weighted sums of columns, as propositions define them.
//
// Any program must find the same sums: each product is rounded before it is added, from left to
// right. So this file is compiled without fused multiplication.
#pragma once
#include <cstdint>
#include <vector>

namespace sorb {

// A column of n values, and its weight.
struct Term {
  double weight;
  const double* values;
  std::int64_t stride;
};

// The sum of at least one term, for each row.
void weighted_sum(const std::vector<Term>& terms, std::int64_t n, double* sums);

// Whether the sum is at least the threshold; `missing` where it is NaN.
void reaches(const std::vector<Term>& terms, std::int64_t n, double threshold, bool missing,
             bool* reached);

}  // namespace sorb
