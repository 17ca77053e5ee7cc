// The four losses as exponential families: loss(y, f) = A(f) - y·f + constant(y),
// with the cumulant A, the mean A' and the variance A''.
#pragma once
#include <algorithm>
#include <cmath>

namespace sorb {

enum class Loss : int { squared = 0, logistic = 1, poisson = 2, softmax = 3 };

// Cumulant of one row of K scores; writes the K means.
inline double cumulant(Loss loss, const double* f, int K, double* mean) {
  switch (loss) {
    case Loss::squared:
      mean[0] = f[0];
      return 0.5 * f[0] * f[0];
    case Loss::logistic: {
      const double e = std::exp(-std::fabs(f[0]));
      mean[0] = f[0] >= 0 ? 1 / (1 + e) : e / (1 + e);
      return std::max(f[0], 0.0) + std::log1p(e);
    }
    case Loss::poisson:
      mean[0] = std::exp(f[0]);
      return mean[0];
    case Loss::softmax:
    default: {
      const double top = *std::max_element(f, f + K);
      double total = 0;
      for (int k = 0; k < K; ++k) total += mean[k] = std::exp(f[k] - top);
      for (int k = 0; k < K; ++k) mean[k] /= total;
      return top + std::log(total);
    }
  }
}

// Entry (k, l) of the Hessian of the cumulant, from the means.
inline double variance(Loss loss, const double* mean, int k, int l) {
  switch (loss) {
    case Loss::squared:
      return 1;
    case Loss::logistic:
      return mean[0] * (1 - mean[0]);
    case Loss::poisson:
      return mean[0];
    case Loss::softmax:
    default:
      return k == l ? mean[k] * (1 - mean[k]) : -mean[k] * mean[l];
  }
}

}  // namespace sorb
