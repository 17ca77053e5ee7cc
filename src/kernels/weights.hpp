// The corrective refit of all votes.
//
// Rows that the same rules cover are alike to the refit, so it sees them as one pattern with
// the sums of its weights and outcomes. Every loss that is linear in the outcome needs nothing
// else: a(f)·Σw - b(f)·Σwy, with exact first and second derivatives in f.
#pragma once
#include <cstdint>
#include <vector>

#include "losses.hpp"

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
  std::vector<double> theta;  // K offsets, then r votes
  double losses;              // their sum, without constant(y)
};

// Minimises the losses plus lambda |beta|^2 by Newton's method with backtracking, from theta.
Fit refit_votes(const Loss& loss, const Patterns& patterns, const Sums& sums, double lambda,
                std::vector<double> theta);

// The scores of each pattern, one for each output.
std::vector<double> scores_of(const Patterns& patterns, const double* theta);

// The sums over rows that belong to the given patterns; for K > 1 outcomes are class indices.
Sums sums_over_rows(const std::int32_t* pattern, std::int64_t n, int P, int K, const double* weight,
                    const double* y);

// The patterns that the old ones are divided into by one more rule that covers the given rows: in
// the order of the old ones, first where the rule does not cover, without those that have no row.
struct Divided {
  std::vector<std::int32_t> pattern;  // of each row
  std::vector<std::uint8_t> table;    // row-major, as that of Patterns
};
Divided divide(const Patterns& patterns, const std::int32_t* pattern, std::int64_t n,
               const bool* covered);

// A rule that may be added: the rows that it covers, and the output that it votes for.
struct CandidateRule {
  const bool* covered;
  int output;
};

// The weights of the same rows on both sides of a validation split.
struct SplitWeights {
  const double *training, *validation;
};

// The sums of the losses of the validation rows with the old rules alone, and after adding each of
// some candidate rules: all votes are refitted on the training rows, from theta.
std::vector<double> validation_losses(const Loss& loss, const Patterns& patterns,
                                      const std::int32_t* pattern, std::int64_t n,
                                      const std::vector<CandidateRule>& candidates,
                                      const SplitWeights& weight, const double* y, double lambda,
                                      const std::vector<double>& theta);

}  // namespace sorb
