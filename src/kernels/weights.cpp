#include "weights.hpp"

#include "dense.hpp"

namespace sorb {
namespace {

// A pattern as the list of its active coordinates of theta, with the output of each.
class Active {
 public:
  explicit Active(const Patterns& patterns) : patterns_(patterns), start_{0} {
    for (int p = 0; p < patterns.P; ++p) {
      for (int m = 0; m < patterns.r; ++m)
        if (patterns.table[std::size_t(p) * patterns.r + m]) rules_.push_back(m);
      start_.push_back(rules_.size());
    }
  }

  void scores(int p, const double* theta, double* f) const {
    const int K = patterns_.K;
    for (int k = 0; k < K; ++k) f[k] = theta[k];
    for (std::size_t a = start_[p]; a < start_[p + 1]; ++a)
      f[patterns_.outputs[rules_[a]]] += theta[K + rules_[a]];
  }

  // Coordinates of theta that pattern p touches, offsets first.
  int coordinates(int p, int* coordinate, int* output) const {
    const int K = patterns_.K;
    int count = 0;
    for (; count < K; ++count) coordinate[count] = output[count] = count;
    for (std::size_t a = start_[p]; a < start_[p + 1]; ++a, ++count) {
      coordinate[count] = K + rules_[a];
      output[count] = patterns_.outputs[rules_[a]];
    }
    return count;
  }

 private:
  const Patterns& patterns_;
  std::vector<int> rules_;
  std::vector<std::size_t> start_;
};

double sum_of_losses(Loss loss, const Patterns& patterns, const Active& active, const Sums& sums,
                     const double* theta) {
  std::vector<double> f(patterns.K), mean(patterns.K);
  double total = 0;
  for (int p = 0; p < patterns.P; ++p) {
    if (sums.weight[p] == 0) continue;
    active.scores(p, theta, f.data());
    total += sums.weight[p] * cumulant(loss, f.data(), patterns.K, mean.data());
    for (int k = 0; k < patterns.K; ++k) total -= sums.outcome[p * patterns.K + k] * f[k];
  }
  return total;
}

// Softmax does not feel a shift of all offsets together; this term holds their sum at zero.
double shift_penalty(const Sums& sums, int K) {
  if (K == 1) return 0;
  double total = 0;
  for (double w : sums.weight) total += w;
  return total / K;
}

double objective_at(Loss loss, const Patterns& patterns, const Active& active, const Sums& sums,
                    double lambda, double shift, const std::vector<double>& theta) {
  double total = sum_of_losses(loss, patterns, active, sums, theta.data());
  double offsets = 0;
  for (int k = 0; k < patterns.K; ++k) offsets += theta[k];
  for (int m = patterns.K; m < int(theta.size()); ++m) total += lambda * theta[m] * theta[m];
  return total + 0.5 * shift * offsets * offsets;
}

}  // namespace

double sum_of_losses(Loss loss, const Patterns& patterns, const Sums& sums, const double* theta) {
  return sum_of_losses(loss, patterns, Active(patterns), sums, theta);
}

Fit refit_weights(Loss loss, const Patterns& patterns, const Sums& sums, double lambda,
                  std::vector<double> theta) {
  const int K = patterns.K, size = K + patterns.r;
  const Active active(patterns);
  const double shift = shift_penalty(sums, K);
  std::vector<double> f(K), mean(K), curvature(K * K), gradient(size), hessian(size * size), step;
  std::vector<int> coordinate(size), output(size);
  double value = objective_at(loss, patterns, active, sums, lambda, shift, theta);
  for (int iteration = 0; iteration < 100; ++iteration) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    std::fill(hessian.begin(), hessian.end(), 0.0);
    double offsets = 0;
    for (int k = 0; k < K; ++k) offsets += theta[k];
    for (int k = 0; k < K; ++k) {
      gradient[k] = shift * offsets;
      for (int l = 0; l <= k; ++l) hessian[k * size + l] = shift;
    }
    for (int m = K; m < size; ++m) {
      gradient[m] = 2 * lambda * theta[m];
      hessian[m * size + m] = 2 * lambda;
    }
    for (int p = 0; p < patterns.P; ++p) {
      if (sums.weight[p] == 0) continue;
      active.scores(p, theta.data(), f.data());
      cumulant(loss, f.data(), K, mean.data());
      const double w = sums.weight[p];
      for (int k = 0; k < K; ++k)
        for (int l = 0; l < K; ++l) curvature[k * K + l] = w * variance(loss, mean.data(), k, l);
      const int count = active.coordinates(p, coordinate.data(), output.data());
      for (int a = 0; a < count; ++a) {
        gradient[coordinate[a]] += w * mean[output[a]] - sums.outcome[p * K + output[a]];
        double* row = &hessian[coordinate[a] * size];
        const double* c = &curvature[output[a] * K];
        for (int b = 0; b <= a; ++b) row[coordinate[b]] += c[output[b]];
      }
    }
    step = gradient;
    Cholesky(hessian, size).solve(step);
    double decrement = 0;
    for (int m = 0; m < size; ++m) decrement += gradient[m] * step[m];
    if (!(decrement > 1e-15 * (std::fabs(value) + 1e-300))) break;
    double length = 1, next = value;
    std::vector<double> trial(size);
    for (int halving = 0; halving < 60; ++halving, length /= 2) {
      for (int m = 0; m < size; ++m) trial[m] = theta[m] - length * step[m];
      next = objective_at(loss, patterns, active, sums, lambda, shift, trial);
      if (next <= value - 1e-4 * length * decrement) break;
    }
    if (!(next < value)) break;  // rounding leaves nothing to gain
    theta.swap(trial);
    value = next;
  }
  return {std::move(theta), value};
}

Sums sums_over_rows(const std::int32_t* pattern, std::int64_t n, int P, int K, const double* weight,
                    const double* y) {
  Sums sums{std::vector<double>(P), std::vector<double>(std::size_t(P) * K)};
  for (std::int64_t i = 0; i < n; ++i) {
    sums.weight[pattern[i]] += weight[i];
    if (K == 1)
      sums.outcome[pattern[i]] += weight[i] * y[i];
    else
      sums.outcome[std::size_t(pattern[i]) * K + std::size_t(y[i])] += weight[i];
  }
  return sums;
}

std::vector<double> judge_rules(Loss loss, const Patterns& patterns, const std::int32_t* pattern,
                                std::int64_t n, const std::vector<const std::uint8_t*>& members,
                                const std::vector<int>& outputs, const double* in_bag,
                                const double* out_of_bag, const double* y, double lambda,
                                const std::vector<double>& theta) {
  const int P = 2 * patterns.P, r = patterns.r + 1;
  std::vector<std::uint8_t> table(std::size_t(P) * r);
  for (int p = 0; p < P; ++p) {
    const std::uint8_t* old = patterns.table + std::size_t(p / 2) * patterns.r;
    std::copy(old, old + patterns.r, &table[std::size_t(p) * r]);
    table[std::size_t(p) * r + r - 1] = p % 2;
  }
  std::vector<std::int32_t> output_of(patterns.outputs, patterns.outputs + patterns.r), split(n);
  output_of.push_back(0);
  const Patterns extended{P, r, patterns.K, table.data(), output_of.data()};
  std::vector<double> start = theta, losses;
  start.push_back(0);
  for (std::size_t c = 0; c < members.size(); ++c) {
    output_of.back() = outputs[c];
    for (std::int64_t i = 0; i < n; ++i) split[i] = 2 * pattern[i] + members[c][i];
    const Fit fit = refit_weights(
        loss, extended, sums_over_rows(split.data(), n, P, patterns.K, in_bag, y), lambda, start);
    losses.push_back(sum_of_losses(
        loss, extended, sums_over_rows(split.data(), n, P, patterns.K, out_of_bag, y),
        fit.theta.data()));
  }
  return losses;
}

}  // namespace sorb
