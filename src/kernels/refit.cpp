// Newton's method on sums by pattern, and the validation of candidate rules by refits.
#include "refit.hpp"

#include <algorithm>
#include <type_traits>

#include "bounded_minimum.hpp"
#include "dense.hpp"
#include "merged_outputs.hpp"
#include "tasks.hpp"

namespace sorb {
namespace {

// For each cell the sum of the row weights, and for each output the weighted sum of outcomes. The
// cells are the patterns or, if one more rule divides them, their parts: first the part that it
// does not cover.
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

Sums merged(const Sums& sums, const MergedOutputs& outputs) {
  return {sums.weight, outputs.sums(sums.outcome)};
}

// The rules of each pattern, as lists.
class RuleLists {
 public:
  explicit RuleLists(const Matrix<std::uint8_t>& table) : n_rules_(table.columns) {
    start_.reserve(std::size_t(table.rows) + 1);
    rules_.reserve(table.values.size());
    start_.push_back(0);
    for (std::int64_t p = 0; p < table.rows; ++p) {
      const std::uint8_t* covers = table.row(p);
      for (int m = 0; m < int(n_rules_); ++m)
        if (covers[m]) rules_.push_back(m);
      start_.push_back(rules_.size());
    }
  }

  int n_patterns() const { return int(start_.size()) - 1; }
  std::size_t n_rules() const { return std::size_t(n_rules_); }
  const int* begin(int p) const { return rules_.data() + start_[p]; }
  const int* end(int p) const { return rules_.data() + start_[p + 1]; }

 private:
  std::int64_t n_rules_;
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

// Where outcomes are far below what is expected of them, the curvature of a loss with a logarithmic
// link vanishes beside that of other patterns, and rounding would remove it from the Hessian. It is
// taken to be at least this share of the curvature where the outcome is as expected: Newton's
// steps then lead closer, where the true curvature is larger.
constexpr double flattest = 1e-9;

// The objective of the refit with its derivatives. Cells without weight do not count.
template <class Family>
class RefitObjective {
 public:
  // If the outputs are those of one rule more than the lists have, it divides the patterns.
  RefitObjective(const Family& loss, const RuleLists& rules, const MergedOutputs& outputs,
                 const Sums& sums, double lambda)
      : loss_(loss),
        rules_(rules),
        outputs_(outputs),
        sums_(sums),
        lambda_(lambda),
        shift_(shift_penalty(sums, outputs.size())),
        divided_(outputs.n_rules() > rules.n_rules()),
        last_output_(divided_ ? outputs.of_rule(rules.n_rules()) : 0),
        f_(K()),
        a_slope_(sums.outcome.size()),
        b_slope_(Family::canonical ? 0 : a_slope_.size()),
        slope_(K()),
        curvature_(std::size_t(K()) * K()),
        coordinate_(K() + rules.n_rules()),
        output_(coordinate_.size()) {}

  double losses(const double* theta) {
    double total = 0;
    for (int p = 0; p < rules_.n_patterns(); ++p) {
      set_scores(p, theta);
      add_losses(first_cell(p), total);
      if (!divided_) continue;
      f_[last_output_] += theta[K() + rules_.n_rules()];
      add_losses(first_cell(p) + 1, total);
    }
    return total;
  }

  double operator()(const std::vector<double>& theta) {
    double total = losses(theta.data()), offsets = 0;
    for (int k = 0; k < K(); ++k) offsets += theta[k];
    for (int m = K(); m < int(theta.size()); ++m) total += lambda_ * theta[m] * theta[m];
    return total + 0.5 * shift_ * offsets * offsets;
  }

  // At theta, where it must have been evaluated last.
  void derive(const std::vector<double>& theta, std::vector<double>& gradient,
              std::vector<double>& hessian) {
    start_derivatives(theta, gradient, hessian);
    const std::size_t size = theta.size();
    for (int p = 0; p < rules_.n_patterns(); ++p) {
      std::fill(slope_.begin(), slope_.end(), 0.0);
      std::fill(curvature_.begin(), curvature_.end(), 0.0);
      const int count = set_coordinates(p);
      if (divided_) {
        add_derivatives(first_cell(p) + 1);
        gradient[size - 1] += slope_[last_output_];
        double* row = &hessian[(size - 1) * size];
        add_row(last_output_, count, row);
        row[size - 1] += curvature_[(K() + 1) * last_output_];
      }
      add_derivatives(first_cell(p));
      for (int a = 0; a < count; ++a) {
        gradient[coordinate_[a]] += slope_[output(a)];
        add_row(output(a), a + 1, &hessian[coordinate_[a] * size]);
      }
    }
  }

 private:
  // Known to the compiler, unless there is a score for each class.
  int K() const { return Family::score_per_class ? outputs_.size() : 1; }

  // The output of one of the coordinates that were set.
  int output(int a) const { return Family::score_per_class ? output_[a] : 0; }

  int first_cell(int p) const { return divided_ ? 2 * p : p; }

  // The place of output k of a cell in tables of both.
  std::size_t at(int cell, int k) const { return std::size_t(cell) * K() + k; }

  // The scores of pattern p, without the vote of the rule that divides it.
  void set_scores(int p, const double* theta) {
    const int K = this->K();
    std::copy(theta, theta + K, f_.begin());
    for (const int* rule = rules_.begin(p); rule != rules_.end(p); ++rule)
      f_[Family::score_per_class ? outputs_.of_rule(*rule) : 0] += theta[K + *rule];
  }

  // Those of a cell that has the scores.
  void add_losses(int cell, double& total) {
    if (sums_.weight[cell] == 0) return;
    total += sums_.weight[cell] * loss_.a(f_.data(), K(), &a_slope_[at(cell, 0)]);
    for (int k = 0; k < K(); ++k) total -= sums_.outcome[at(cell, k)] * b(cell, k);
  }

  // Those of the penalties alone.
  void start_derivatives(const std::vector<double>& theta, std::vector<double>& gradient,
                         std::vector<double>& hessian) const {
    const int K = this->K();
    const std::size_t size = theta.size();
    gradient.assign(size, 0);
    hessian.assign(size * size, 0);
    double offsets = 0;
    for (int k = 0; k < K; ++k) offsets += theta[k];
    for (int k = 0; k < K; ++k) {
      gradient[k] = shift_ * offsets;
      for (int l = 0; l <= k; ++l) hessian[k * size + l] = shift_;
    }
    for (std::size_t m = K; m < size; ++m) {
      gradient[m] = 2 * lambda_ * theta[m];
      hessian[m * size + m] = 2 * lambda_;
    }
  }

  // The coordinates of theta that pattern p touches, offsets first, with the output of each;
  // returns their number.
  int set_coordinates(int p) {
    int count = 0;
    for (; count < K(); ++count) coordinate_[count] = output_[count] = count;
    for (const int* rule = rules_.begin(p); rule != rules_.end(p); ++rule, ++count) {
      coordinate_[count] = K() + *rule;
      if constexpr (Family::score_per_class) output_[count] = outputs_.of_rule(*rule);
    }
    return count;
  }

  // Adds the curvatures between an output and those of the first coordinates.
  void add_row(int output_of_row, int count, double* row) const {
    const double* c = &curvature_[std::size_t(output_of_row) * K()];
    if constexpr (Family::score_per_class)
      for (int b = 0; b < count; ++b) row[coordinate_[b]] += c[output_[b]];
    else
      for (const double only = c[0]; count-- > 0;) row[coordinate_[count]] += only;
  }

  double b(int cell, int k) {
    if constexpr (Family::canonical) {
      return f_[k];
    } else {
      double& slope = b_slope_[at(cell, k)];
      // Without an outcome b does not count, and may be infinite.
      return sums_.outcome[at(cell, k)] == 0 ? slope = 0 : loss_.b(f_[k], slope);
    }
  }

  // Adds the derivatives of the losses of a cell in its scores, of first and second order.
  void add_derivatives(int cell) {
    const int K = this->K();
    const double w = sums_.weight[cell];
    if (w == 0) return;
    const double *a_slope = &a_slope_[at(cell, 0)], *outcome = &sums_.outcome[at(cell, 0)];
    for (int k = 0; k < K; ++k) {
      double* row = &curvature_[std::size_t(k) * K];
      if constexpr (Family::canonical) {
        slope_[k] += w * a_slope[k] - outcome[k];
        for (int l = 0; l < K; ++l) row[l] += w * loss_.a_curvature(a_slope, k, l);
      } else {
        const double b_slope = b_slope_[at(cell, k)];
        slope_[k] += w * a_slope[k] - outcome[k] * b_slope;
        const double c =
            w * loss_.a_curvature(a_slope, k, k) - outcome[k] * loss_.b_curvature(b_slope);
        row[k] += std::max(c, flattest * w * a_slope[k]);
      }
    }
  }

  const Family& loss_;
  const RuleLists& rules_;
  const MergedOutputs& outputs_;
  const Sums& sums_;
  const double lambda_, shift_;
  const bool divided_;
  const int last_output_;  // of the rule that divides the patterns
  // The slopes of a and b are those of each cell, where it was evaluated last.
  std::vector<double> f_, a_slope_, b_slope_;
  // The derivatives in the scores of a pattern.
  std::vector<double> slope_, curvature_;
  std::vector<int> coordinate_, output_;
};

// Newton's step, to be subtracted from theta. If there are bounds, `target` becomes where it leads.
std::vector<double> newton_step(const std::vector<double>& theta,
                                const std::vector<double>& gradient,
                                const std::vector<double>& hessian, const Bounds& bounds,
                                std::vector<double>& target) {
  std::vector<double> step = gradient;
  if (bounds.empty()) {
    Cholesky(hessian, theta.size()).solve(step);
    return step;
  }
  target = bounded_minimum(theta, gradient, hessian, bounds);
  for (std::size_t m = 0; m < step.size(); ++m) step[m] = theta[m] - target[m];
  return step;
}

// From theta to where the objective is least within the bounds.
template <class Family>
std::vector<double> minimum(RefitObjective<Family>& objective, std::vector<double> theta,
                            const Bounds& bounds) {
  const int size = int(theta.size());
  std::vector<double> gradient, hessian, step, target, trial(size);
  bounds.clip(theta);
  double value = objective(theta);
  for (int iteration = 0; iteration < 100; ++iteration) {
    objective.derive(theta, gradient, hessian);
    step = newton_step(theta, gradient, hessian, bounds, target);
    double decrement = 0;
    for (int m = 0; m < size; ++m) decrement += gradient[m] * step[m];
    if (!(decrement > 1e-15 * (std::fabs(value) + 1e-300))) break;
    double length = 1, next = value;
    // A step may lead far beyond the range of the exponential: the way back to it is not counted.
    for (int halving = 0; halving < 60 && length > 0; halving += std::isfinite(next), length /= 2) {
      for (int m = 0; m < size; ++m) trial[m] = theta[m] - length * step[m];
      if (length == 1 && !bounds.empty()) trial = target;  // exactly at the bounds
      next = objective(trial);
      if (next <= value - 1e-4 * length * decrement) break;
    }
    if (!(next < value)) break;  // rounding leaves nothing to gain
    theta.swap(trial);
    // One step leads to the minimum of a parabola, but for what rounding leaves of a long way.
    const bool exact = std::is_same_v<Family, Squared> && length == 1;
    if (exact && decrement < 0.1 * std::fabs(next)) break;
    value = next;
  }
  return theta;
}

// The rise of the objective without each vote, by its second-order expansion at theta, where it is
// least. A vote that the others can stand in for costs nothing.
template <class Family>
std::vector<double> costs_at(RefitObjective<Family>& objective, const std::vector<double>& theta,
                             int n_offsets) {
  const int size = int(theta.size());
  std::vector<double> gradient, hessian, costs;
  objective(theta);
  objective.derive(theta, gradient, hessian);
  const Cholesky factor(hessian, size);
  for (int m = n_offsets; m < size; ++m) {
    std::vector<double> column(std::size_t(size), 0.0);
    column[std::size_t(m)] = 1;
    factor.solve(column);
    const double variance = column[std::size_t(m)];
    costs.push_back(variance > 1e-200 ? theta[m] * theta[m] / (2 * variance) : 0);
  }
  return costs;
}

// The sums on both sides of a validation split.
struct SplitSums {
  Sums training, validation;
};

// Over both sides at once, by pattern and whether one more rule covers the row.
SplitSums divided_sums(const Patterns& patterns, const bool* covered, const MergedOutputs& outputs,
                       const double* y, const SplitWeights& weight) {
  const int P = 2 * int(patterns.table.rows), K = outputs.size();
  const std::int32_t* pattern = patterns.index.data();
  const std::int64_t n = std::int64_t(patterns.index.size());
  const double *in_training = weight.training, *in_validation = weight.validation;
  const Sums zero{std::vector<double>(P), std::vector<double>(std::size_t(P) * K)};
  SplitSums out{zero, zero};
  Sums &training = out.training, &validation = out.validation;
  if (patterns.n_outputs > 1) {
    for (std::int64_t i = 0; i < n; ++i) {
      const int at = 2 * pattern[i] + covered[i];
      const std::size_t outcome = std::size_t(at) * K + outputs.of_output(std::size_t(y[i]));
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

// The sums of the outcomes over all patterns: for classes, their weights.
std::vector<double> totals(const Sums& sums, int n_outputs) {
  std::vector<double> total(n_outputs);
  for (std::size_t i = 0; i < sums.outcome.size(); ++i) total[i % n_outputs] += sums.outcome[i];
  return total;
}

// Those of theta: of the offsets, of the votes, and of the vote of one more rule if there is one.
// None at all if no vote has any.
Bounds bounds_of_theta(int n_offsets, const Buffer<VoteRange>& ranges,
                       const VoteRange* of_last = nullptr) {
  std::vector<VoteRange> all(static_cast<std::size_t>(n_offsets));
  all.insert(all.end(), ranges.begin(), ranges.end());
  if (of_last) all.push_back(*of_last);
  Bounds bounds;
  if (std::all_of(all.begin(), all.end(), [](const VoteRange& r) { return r.is_free(); }))
    return bounds;
  for (const auto& [lower, upper] : all) {
    bounds.lower.push_back(lower);
    bounds.upper.push_back(upper);
  }
  return bounds;
}

// Votes fitted to some sums from theta, with the losses that others have then. The totals of both
// tell apart the classes that were merged.
template <class Family>
Fit fit_and_validate(const Family& loss, const RuleLists& rules, const MergedOutputs& outputs,
                     const Sums& training, const Sums& validation,
                     const std::vector<double>& training_totals,
                     const std::vector<double>& validation_totals, double lambda,
                     const std::vector<double>& theta, const Bounds& bounds) {
  RefitObjective learning(loss, rules, outputs, training, lambda);
  const std::vector<double> fitted = minimum(learning, outputs.merge(theta), bounds);
  double losses = RefitObjective(loss, rules, outputs, validation, 0).losses(fitted.data());
  const std::vector<double> shares = outputs.log_shares(training_totals);
  for (std::size_t k = 0; k < shares.size(); ++k) losses -= validation_totals[k] * shares[k];
  return {outputs.separate(fitted, shares), losses};
}

void add_fit(const Fit& fit, int n_offsets, RefittedLosses& out) {
  double squares = 0;
  for (std::size_t m = std::size_t(n_offsets); m < fit.theta.size(); ++m)
    squares += fit.theta[m] * fit.theta[m];
  out.losses.push_back(fit.losses);
  out.squared_votes.push_back(squares);
}

constexpr std::int64_t values_per_row = 8;  // that a sum over the rows takes as long to read

template <class Family>
RefittedLosses losses_with_each(const Family& loss, const Patterns& patterns,
                                const std::vector<CandidateRule>& candidates,
                                const SplitWeights& weight, const double* y, double lambda,
                                const std::vector<double>& theta, int threads) {
  const int K = patterns.n_outputs;
  const RuleLists rules(patterns.table);
  const Sums training = sums_over_rows(patterns, y, weight.training);
  const Sums validation = sums_over_rows(patterns, y, weight.validation);
  const std::vector<double> training_totals = totals(training, K);
  const std::vector<double> validation_totals = totals(validation, K);
  const std::vector<std::int32_t> rule_outputs(patterns.outputs.begin(), patterns.outputs.end());
  const MergedOutputs outputs(K, rule_outputs);
  Fit before = fit_and_validate(loss, rules, outputs, merged(training, outputs),
                                merged(validation, outputs), training_totals, validation_totals,
                                lambda, theta, bounds_of_theta(outputs.size(), patterns.ranges));
  RefittedLosses found;
  add_fit(before, K, found);

  before.theta.push_back(0);
  std::vector<Fit> after(candidates.size());
  const std::int64_t count = std::int64_t(candidates.size()),
                     values = values_per_row * count * std::int64_t(patterns.index.size());
  run_tasks(count, threads, values, [&](std::int64_t k) {
    std::vector<std::int32_t> with_candidate = rule_outputs;
    with_candidate.push_back(candidates[k].output);
    const MergedOutputs outputs(K, with_candidate);
    const SplitSums sums = divided_sums(patterns, candidates[k].covered, outputs, y, weight);
    after[k] =
        fit_and_validate(loss, rules, outputs, sums.training, sums.validation, training_totals,
                         validation_totals, lambda, before.theta,
                         bounds_of_theta(outputs.size(), patterns.ranges, &candidates[k].range));
  });
  for (const Fit& fit : after) add_fit(fit, K, found);
  return found;
}

}  // namespace

Fit refit_votes(const Loss& loss, const Patterns& patterns, const double* y, const double* weight,
                double lambda, const std::vector<double>& theta) {
  const RuleLists rules(patterns.table);
  const MergedOutputs outputs(patterns.n_outputs,
                              {patterns.outputs.begin(), patterns.outputs.end()});
  const Sums by_class = sums_over_rows(patterns, y, weight), sums = merged(by_class, outputs);
  const std::vector<double> total = totals(by_class, patterns.n_outputs);
  return std::visit(
      [&](const auto& family) {
        return fit_and_validate(family, rules, outputs, sums, sums, total, total, lambda, theta,
                                bounds_of_theta(outputs.size(), patterns.ranges));
      },
      loss.family);
}

std::vector<double> removal_costs(const Loss& loss, const Patterns& patterns, const double* y,
                                  const double* weight, double lambda,
                                  const std::vector<double>& theta) {
  const RuleLists rules(patterns.table);
  const MergedOutputs outputs(patterns.n_outputs,
                              {patterns.outputs.begin(), patterns.outputs.end()});
  const Sums sums = merged(sums_over_rows(patterns, y, weight), outputs);
  return std::visit(
      [&](const auto& family) {
        RefitObjective objective(family, rules, outputs, sums, lambda);
        return costs_at(objective, outputs.merge(theta), outputs.size());
      },
      loss.family);
}

RefittedLosses validation_losses(const Loss& loss, const Patterns& patterns,
                                 const std::vector<CandidateRule>& candidates,
                                 const SplitWeights& weight, const double* y, double lambda,
                                 const std::vector<double>& theta, int threads) {
  return std::visit(
      [&](const auto& family) {
        return losses_with_each(family, patterns, candidates, weight, y, lambda, theta, threads);
      },
      loss.family);
}

}  // namespace sorb
