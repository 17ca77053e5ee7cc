// The corrective refit of all rule weights.
//
// Rows on which the same rules fire are alike to the refit, so it sees them as one pattern with
// the sums of its weights and outcomes: every loss of cumulant.hpp needs nothing else.
#pragma once
#include <cstdint>
#include <vector>

#include "cumulant.hpp"

namespace sorb {

// P patterns of r rules (row-major 0/1 table); rule m votes for output outputs[m] < K.
struct Patterns {
  int P, r, K;
  const std::uint8_t* table;
  const std::int32_t* outputs;
};

// For each pattern the sum of the row weights, and for each output the weighted sum of outcomes.
struct Sums {
  std::vector<double> weight, outcome;
};

struct Fit {
  std::vector<double> theta;  // K offsets, then r rule weights
  double objective;           // sum of losses without constant(y), plus lambda |beta|^2
};

// Minimises the objective by Newton's method with backtracking, from theta.
Fit refit_weights(Loss loss, const Patterns& patterns, const Sums& sums, double lambda,
                  std::vector<double> theta);

// Sum of losses without constant(y).
double sum_of_losses(Loss loss, const Patterns& patterns, const Sums& sums, const double* theta);

// The sums over rows that belong to the given patterns; for K > 1 outcomes are class numbers.
Sums sums_over_rows(const std::int32_t* pattern, std::int64_t n, int P, int K, const double* weight,
                    const double* y);

// For each of some candidate rules the held-out sum of losses after adding it: weights refitted with
// the in-bag row weights, judged with the out-of-bag row weights.
std::vector<double> judge_rules(Loss loss, const Patterns& patterns, const std::int32_t* pattern,
                                std::int64_t n, const std::vector<const std::uint8_t*>& members,
                                const std::vector<int>& outputs, const double* in_bag,
                                const double* out_of_bag, const double* y, double lambda,
                                const std::vector<double>& theta);

}  // namespace sorb
