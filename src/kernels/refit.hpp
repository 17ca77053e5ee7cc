// The corrective refit of all votes.
//
// Rows that the same rules cover are alike to the refit, so it sees them as one pattern with
// the sums of its weights and outcomes. Every loss that is linear in the outcome needs nothing
// else: a(f)·Σw - b(f)·Σwy, with exact first and second derivatives in f.
#pragma once
#include <cstdint>
#include <vector>

#include "losses.hpp"
#include "patterns.hpp"

namespace sorb {

struct Fit {
  std::vector<double> theta;  // K offsets, then r votes
  double losses;              // their sum, without constant(y)
};

// Minimises the losses plus lambda |beta|^2 by Newton's method with backtracking, from theta or the
// point next to it where all votes are in their ranges; they stay there. For several outputs,
// outcomes are class indices.
Fit refit_votes(const Loss& loss, const Patterns& patterns, const double* y, const double* weight,
                double lambda, const std::vector<double>& theta);

// For each rule, about how much the refitted objective would rise without it: the square of its
// vote over twice its variance, at the votes theta that a refit gave.
std::vector<double> removal_costs(const Loss& loss, const Patterns& patterns, const double* y,
                                  const double* weight, double lambda,
                                  const std::vector<double>& theta);

// A rule that may be added: the rows that it covers, the output that it votes for, and what its
// vote may be.
struct CandidateRule {
  const bool* covered;
  int output;
  VoteRange range;
};

// The weights of the same rows on both sides of a validation split.
struct SplitWeights {
  const double *training, *validation;
};

// With the old rules alone, and after adding each of some candidate rules: the sums of the losses
// of the validation rows, and those of the squared votes.
struct RefittedLosses {
  std::vector<double> losses, squared_votes;
};

// All votes are refitted on the training rows, from theta.
RefittedLosses validation_losses(const Loss& loss, const Patterns& patterns,
                                 const std::vector<CandidateRule>& candidates,
                                 const SplitWeights& weight, const double* y, double lambda,
                                 const std::vector<double>& theta, int threads);

}  // namespace sorb
