// Boosting objectives: what a condition promises to gain before any weight is refitted.
//
// With S, N the sums of gain and mass over the rows of a condition, and a sign that S should have:
// |S|, |S| / sqrt(N), S^2 / (N + ridge), or, for the orthogonal objective, |S| / (|q_perp| + epsilon),
// where q_perp is what remains of the condition's indicator off the span of the rules so far.
#pragma once
#include <cstdint>
#include <vector>

namespace sorb {

enum class ObjectiveKind : int {
  gradient_sum = 0,
  gradient_boosting = 1,
  second_order = 2,
  orthogonal = 3
};

struct Cut {
  double threshold, value;  // value 0: no cut that keeps some rows and drops others gains anything
};

struct Objective {
  ObjectiveKind kind;
  double ridge;                 // second order: added to N; orthogonal: epsilon
  const double *gain, *mass;    // of every row of the table
  const std::int32_t* pattern;  // orthogonal: the pattern of every row
  int P, k;                     // … and the values of k orthonormal functions
  const double* basis;          // on each of the P patterns, row-major

  double score(const std::vector<std::int64_t>& rows, int sign) const;

  // The best cut of some rows along a projection: those with projection >= threshold are kept.
  Cut cut(const std::vector<std::int64_t>& rows, const std::vector<double>& projection,
          int sign) const;
};

}  // namespace sorb
