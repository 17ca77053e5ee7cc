// Newton's method on sums by pattern, and the validation of candidate rules by refits.
#include "refit.hpp"

#include "dense.hpp"

namespace sorb {
namespace {

// P patterns of r rules (row-major 0/1 table); rule m votes for output outputs[m] < K.
struct PatternTable {
  int P, r, K;
  const std::uint8_t* table;
  const std::int32_t* outputs;
};

PatternTable table_of(const Patterns& patterns) {
  return {int(patterns.table.rows), int(patterns.table.columns), patterns.n_outputs,
          patterns.table.values.data(), patterns.outputs.data()};
}

// For each pattern the sum of the row weights, and for each output the weighted sum of outcomes.
struct Sums {
  std::vector<double> weight, outcome;
};

Sums sums_over_rows(const Patterns& patterns, const double* y, const double* weight) {
  const int P = int(patterns.table.rows), K = patterns.n_outputs;
  const Buffer<std::int32_t>& pattern = patterns.index;
  Sums sums{std::vector<double>(P), std::vector<double>(std::size_t(P) * K)};
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    sums.weight[pattern[i]] += weight[i];
    if (K == 1)
      sums.outcome[pattern[i]] += weight[i] * y[i];
    else
      sums.outcome[std::size_t(pattern[i]) * K + std::size_t(y[i])] += weight[i];
  }
  return sums;
}

// A pattern as the list of its active coordinates of theta, with the output of each.
class Active {
 public:
  explicit Active(const PatternTable& patterns) : patterns_(patterns), start_{0} {
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
  const PatternTable& patterns_;
  std::vector<int> rules_;
  std::vector<std::size_t> start_;
};

// Softmax does not feel a shift of all offsets together; this term holds their sum at zero.
double shift_penalty(const Sums& sums, int K) {
  if (K == 1) return 0;
  double total = 0;
  for (double w : sums.weight) total += w;
  return total / K;
}

// The objective of the refit with its derivatives. Patterns without weight do not count.
template <class Family>
class RefitObjective {
 public:
  RefitObjective(const Family& loss, const PatternTable& patterns, const Active& active,
                 const Sums& sums, double lambda)
      : loss_(loss),
        patterns_(patterns),
        active_(active),
        sums_(sums),
        lambda_(lambda),
        shift_(shift_penalty(sums, patterns.K)),
        f_(patterns.K),
        a_slope_(std::size_t(patterns.P) * patterns.K),
        b_slope_(Family::canonical ? 0 : a_slope_.size()),
        curvature_(patterns.K * patterns.K),
        coordinate_(patterns.K + patterns.r),
        output_(patterns.K + patterns.r) {}

  double losses(const double* theta) {
    const int K = patterns_.K;
    double total = 0;
    for (int p = 0; p < patterns_.P; ++p) {
      if (sums_.weight[p] == 0) continue;
      active_.scores(p, theta, f_.data());
      total += sums_.weight[p] * loss_.a(f_.data(), K, &a_slope_[p * K]);
      for (int k = 0; k < K; ++k) total -= sums_.outcome[p * K + k] * b(p, k);
    }
    return total;
  }

  double operator()(const std::vector<double>& theta) {
    double total = losses(theta.data()), offsets = 0;
    for (int k = 0; k < patterns_.K; ++k) offsets += theta[k];
    for (int m = patterns_.K; m < int(theta.size()); ++m) total += lambda_ * theta[m] * theta[m];
    return total + 0.5 * shift_ * offsets * offsets;
  }

  // At theta, where it must have been evaluated last.
  void derive(const std::vector<double>& theta, std::vector<double>& gradient,
              std::vector<double>& hessian) {
    const int K = patterns_.K, size = int(theta.size());
    gradient.assign(size, 0);
    hessian.assign(size * size, 0);
    double offsets = 0;
    for (int k = 0; k < K; ++k) offsets += theta[k];
    for (int k = 0; k < K; ++k) {
      gradient[k] = shift_ * offsets;
      for (int l = 0; l <= k; ++l) hessian[k * size + l] = shift_;
    }
    for (int m = K; m < size; ++m) {
      gradient[m] = 2 * lambda_ * theta[m];
      hessian[m * size + m] = 2 * lambda_;
    }
    for (int p = 0; p < patterns_.P; ++p) {
      const double w = sums_.weight[p];
      if (w == 0) continue;
      curve(p);
      const int count = active_.coordinates(p, coordinate_.data(), output_.data());
      for (int a = 0; a < count; ++a) {
        gradient[coordinate_[a]] += slope(p, output_[a]);
        double* row = &hessian[coordinate_[a] * size];
        const double* c = &curvature_[output_[a] * K];
        for (int b = 0; b <= a; ++b) row[coordinate_[b]] += c[output_[b]];
      }
    }
  }

 private:
  double b(int p, int k) {
    if constexpr (Family::canonical)
      return f_[k];
    else
      return loss_.b(f_[k], b_slope_[p * patterns_.K + k]);
  }

  // The derivative of the losses of pattern p in its score k.
  double slope(int p, int k) const {
    const std::size_t at = std::size_t(p) * patterns_.K + k;
    const double a = sums_.weight[p] * a_slope_[at];
    if constexpr (Family::canonical)
      return a - sums_.outcome[at];
    else
      return a - sums_.outcome[at] * b_slope_[at];
  }

  // The second derivatives of the losses of pattern p in its scores.
  void curve(int p) {
    const int K = patterns_.K;
    for (int k = 0; k < K; ++k)
      for (int l = 0; l < K; ++l)
        curvature_[k * K + l] = sums_.weight[p] * loss_.a_curvature(&a_slope_[p * K], k, l);
    if constexpr (!Family::canonical)
      for (int k = 0; k < K; ++k)
        curvature_[k * K + k] -= sums_.outcome[p * K + k] * loss_.b_curvature(b_slope_[p * K + k]);
  }

  const Family& loss_;
  const PatternTable& patterns_;
  const Active& active_;
  const Sums& sums_;
  const double lambda_, shift_;
  // The slopes are those of each pattern, where it was evaluated last.
  std::vector<double> f_, a_slope_, b_slope_, curvature_;
  std::vector<int> coordinate_, output_;
};

// From theta to where the objective is least.
template <class Family>
std::vector<double> minimum(RefitObjective<Family>& objective, std::vector<double> theta) {
  const int size = int(theta.size());
  std::vector<double> gradient, hessian, step, trial(size);
  double value = objective(theta);
  for (int iteration = 0; iteration < 100; ++iteration) {
    objective.derive(theta, gradient, hessian);
    step = gradient;
    Cholesky(hessian, size).solve(step);
    double decrement = 0;
    for (int m = 0; m < size; ++m) decrement += gradient[m] * step[m];
    if (!(decrement > 1e-15 * (std::fabs(value) + 1e-300))) break;
    double length = 1, next = value;
    for (int halving = 0; halving < 60; ++halving, length /= 2) {
      for (int m = 0; m < size; ++m) trial[m] = theta[m] - length * step[m];
      next = objective(trial);
      if (next <= value - 1e-4 * length * decrement) break;
    }
    if (!(next < value)) break;  // rounding leaves nothing to gain
    theta.swap(trial);
    value = next;
  }
  return theta;
}

// The sums on both sides of a validation split.
struct SplitSums {
  Sums training, validation;
};

// Over both sides at once, by pattern and whether one more rule covers the row.
SplitSums divided_sums(const Patterns& patterns, const bool* covered, const double* y,
                       const SplitWeights& weight) {
  const int P = 2 * int(patterns.table.rows), K = patterns.n_outputs;
  const std::int32_t* pattern = patterns.index.data();
  const std::int64_t n = std::int64_t(patterns.index.size());
  const double *in_training = weight.training, *in_validation = weight.validation;
  const Sums zero{std::vector<double>(P), std::vector<double>(std::size_t(P) * K)};
  SplitSums out{zero, zero};
  Sums &training = out.training, &validation = out.validation;
  if (K > 1) {
    for (std::int64_t i = 0; i < n; ++i) {
      const int at = 2 * pattern[i] + covered[i];
      const std::size_t outcome = std::size_t(at) * K + std::size_t(y[i]);
      training.weight[at] += in_training[i];
      validation.weight[at] += in_validation[i];
      training.outcome[outcome] += in_training[i];
      validation.outcome[outcome] += in_validation[i];
    }
    return out;
  }
  // All four sums of a pattern side by side, and twice, since an addition waits for the one before.
  std::vector<double> cells(std::size_t(P) * 8);
  for (std::int64_t i = 0; i < n; ++i) {
    double* cell = &cells[8 * std::size_t(2 * pattern[i] + covered[i]) + 4 * (i % 2)];
    const double parts[4] = {in_training[i], in_validation[i], in_training[i] * y[i],
                             in_validation[i] * y[i]};
    for (int k = 0; k < 4; ++k) cell[k] += parts[k];
  }
  for (int p = 0; p < P; ++p) {
    const double* cell = &cells[8 * std::size_t(p)];
    training.weight[p] = cell[0] + cell[4];
    validation.weight[p] = cell[1] + cell[5];
    training.outcome[p] = cell[2] + cell[6];
    validation.outcome[p] = cell[3] + cell[7];
  }
  return out;
}

// The table of all patterns, divided by one more rule.
std::vector<std::uint8_t> divided_table(const PatternTable& patterns) {
  std::vector<std::uint8_t> table;
  for (int p = 0; p < patterns.P; ++p)
    for (std::uint8_t covered : {0, 1}) {
      const std::uint8_t* old = patterns.table + std::size_t(p) * patterns.r;
      table.insert(table.end(), old, old + patterns.r);
      table.push_back(covered);
    }
  return table;
}

template <class Family>
std::vector<double> losses_with_each(const Family& loss, const Patterns& patterns,
                                     const std::vector<CandidateRule>& candidates,
                                     const SplitWeights& weight, const double* y, double lambda,
                                     const std::vector<double>& theta) {
  const PatternTable present = table_of(patterns);
  const Active before(present);
  const Sums training = sums_over_rows(patterns, y, weight.training);
  const Sums validation = sums_over_rows(patterns, y, weight.validation);
  RefitObjective learning(loss, present, before, training, lambda);
  std::vector<double> start = minimum(learning, theta);
  std::vector<double> losses{
      RefitObjective(loss, present, before, validation, 0).losses(start.data())};
  start.push_back(0);

  const std::vector<std::uint8_t> table = divided_table(present);
  std::vector<std::int32_t> outputs(patterns.outputs.begin(), patterns.outputs.end());
  outputs.push_back(0);
  const PatternTable extended{2 * present.P, present.r + 1, present.K, table.data(),
                              outputs.data()};
  const Active after(extended);
  for (const CandidateRule& candidate : candidates) {
    outputs.back() = candidate.output;
    const SplitSums sums = divided_sums(patterns, candidate.covered, y, weight);
    RefitObjective learning(loss, extended, after, sums.training, lambda);
    const std::vector<double> fitted = minimum(learning, start);
    losses.push_back(
        RefitObjective(loss, extended, after, sums.validation, 0).losses(fitted.data()));
  }
  return losses;
}

}  // namespace

Fit refit_votes(const Loss& loss, const Patterns& patterns, const double* y, const double* weight,
                double lambda, std::vector<double> theta) {
  const PatternTable table = table_of(patterns);
  const Active active(table);
  const Sums sums = sums_over_rows(patterns, y, weight);
  return std::visit(
      [&](const auto& family) {
        RefitObjective objective(family, table, active, sums, lambda);
        theta = minimum(objective, std::move(theta));
        const double losses = objective.losses(theta.data());
        return Fit{std::move(theta), losses};
      },
      loss.family);
}

std::vector<double> validation_losses(const Loss& loss, const Patterns& patterns,
                                      const std::vector<CandidateRule>& candidates,
                                      const SplitWeights& weight, const double* y, double lambda,
                                      const std::vector<double>& theta) {
  return std::visit(
      [&](const auto& family) {
        return losses_with_each(family, patterns, candidates, weight, y, lambda, theta);
      },
      loss.family);
}

}  // namespace sorb
