// Newton refits, and how separators of each size are taken from the path.
#include "separator.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>

#include "bounded_minimum.hpp"
#include "dense.hpp"
#include "homotopy.hpp"
#include "passes.hpp"
#include "tasks.hpp"

namespace sorb {
namespace {

constexpr double refit_ridge = 1e-6;  // keeps weights finite on separable rows
constexpr double refit_tolerance =
    1e-8;                             // Newton decrement of the last step, per weight of the rows
constexpr double negligible = 1e-12;  // share of the largest weight that rounding alone explains

// What is added to the loss for each weight w: slope·w + ridge·w²/2.
struct Penalty {
  std::vector<double> slope, ridge;
};

// lambda·|w|_1, where the signs of the weights are known.
Penalty l1_penalty(double lambda, const std::vector<int>& signs) {
  Penalty penalty{{}, std::vector<double>(signs.size())};
  for (int sign : signs) penalty.slope.push_back(lambda * sign);
  return penalty;
}

// A ridge far below the noise.
template <typename Real>
Penalty tiny_ridge(Region<Real>& region, const std::vector<int>& support) {
  Penalty penalty{std::vector<double>(support.size()), {}};
  for (int j : support) penalty.ridge.push_back(refit_ridge * region.moments(j).spread);
  return penalty;
}

// Of the intercept and the weights of a support; none if no sign is ruled out.
template <typename Real>
Bounds bounds_of(const Region<Real>& region, const std::vector<int>& support) {
  if (!region.limits.bind_any(support)) return {};
  Bounds bounds{{-INFINITY}, {INFINITY}};
  for (int j : support) {
    bounds.lower.push_back(region.limits.allow_weight(j, -1) ? -INFINITY : 0);
    bounds.upper.push_back(region.limits.allow_weight(j, 1) ? INFINITY : 0);
  }
  return bounds;
}

// Newton's method on the support of a separator, which it overwrites. Weights whose sign is ruled
// out become zero.
template <typename Real>
class Newton {
 public:
  Newton(Scores<Real>& scores, Penalty penalty, Separator& s)
      : scores_(scores),
        penalty_(std::move(penalty)),
        bounds_(bounds_of(scores.region, s.support)),
        s_(s),
        m_(int(s.support.size()) + 1) {}

  // The derivatives of the loss at the start, where they are known, save a pass.
  void minimise(double tolerance, const Derivatives* at_start = nullptr) {
    if (at_start) {
      at_ = *at_start;
      penalise();
    } else {
      derive();
    }
    for (int iteration = 0; iteration < 60 && take_step(tolerance); ++iteration) {
      require_patience();
    }
  }

 private:
  // Returns whether there is more to gain. A step that overshoots along its own direction is
  // halved.
  bool take_step(double tolerance) {
    set_step();
    const double before = slope();
    if (!(before > 0)) return false;
    double length = 1;
    move(length);
    if (before < tolerance * scores_.region.total) return false;  // too short to overshoot
    derive();
    for (int halving = 0; halving < 30 && !(slope() > -0.5 * before); ++halving) {
      length /= 2;
      move(-length);
      derive();
    }
    return true;
  }

  // To be subtracted.
  void set_step() {
    if (bounds_.empty()) {
      step_ = at_.gradient;
      Cholesky(at_.hessian, m_).solve(step_);
      return;
    }
    step_ = at_intercept_and_weights();
    const std::vector<double> target = bounded_minimum(step_, at_.gradient, at_.hessian, bounds_);
    for (int a = 0; a < m_; ++a) step_[a] -= target[a];
  }

  std::vector<double> at_intercept_and_weights() const {
    std::vector<double> x{s_.intercept};
    x.insert(x.end(), s_.weights.begin(), s_.weights.end());
    return x;
  }

  void move(double length) {
    s_.intercept -= length * step_[0];
    for (int a = 1; a < m_; ++a) s_.weights[a - 1] -= length * step_[a];
    // Rounding may lead beyond a bound.
    for (std::size_t a = 1; a < bounds_.lower.size(); ++a)
      s_.weights[a - 1] = std::clamp(s_.weights[a - 1], bounds_.lower[a], bounds_.upper[a]);
  }

  // Along the step.
  double slope() const {
    double sum = 0;
    for (int a = 0; a < m_; ++a) sum += at_.gradient[a] * step_[a];
    return sum;
  }

  void derive() {
    scores_.derive(s_.intercept, s_.support, s_.weights, at_);
    penalise();
  }

  void penalise() {
    for (int a = 1; a < m_; ++a) {
      at_.gradient[a] += penalty_.ridge[a - 1] * s_.weights[a - 1] + penalty_.slope[a - 1];
      at_.hessian[a * m_ + a] += penalty_.ridge[a - 1];
    }
  }

  Scores<Real>& scores_;
  const Penalty penalty_;
  const Bounds bounds_;
  Separator& s_;
  const int m_;
  Derivatives at_;
  std::vector<double> step_;
};

// Fits the weights of a separator again, without the penalty of the path.
template <typename Real>
void refit(Scores<Real>& scores, Separator& s, const Derivatives* at_start = nullptr) {
  Newton<Real>(scores, tiny_ridge(scores.region, s.support), s).minimise(refit_tolerance, at_start);
}

// How much each column that varies and may join the support would change the loss; NaN for others.
template <typename Real>
std::vector<double> slopes_for_growth(Scores<Real>& scores, const std::vector<int>& support) {
  Region<Real>& region = scores.region;
  std::vector<double> slopes(region.d, NAN);
  const std::vector<std::uint8_t> permitted = region.limits.beside(support);
  const auto may_enter = [&](int j) {
    return std::find(support.begin(), support.end(), j) == support.end() &&
           (permitted.empty() || permitted[j]);
  };
  const auto slope_of = [&](int j, double gradient, double spread) {
    const bool allowed = region.limits.allow_weight(j, gradient > 0 ? -1 : 1);
    return allowed ? std::fabs(gradient) / std::sqrt(spread) : NAN;
  };
  const auto sum_up = [&](std::int64_t j) {
    const double spread = region.moments(int(j)).spread;
    if (spread > 0 && may_enter(int(j)))
      slopes[j] = slope_of(int(j), scores.gradient(int(j)), spread);
  };
  if (!region.sparse()) {
    run_tasks(region.d, region.threads, 2 * region.n * region.d, sum_up);
    return slopes;
  }
  const auto gradients = region.stored_dots(scores.first.data(), scores.first.data());
  const std::vector<double> spreads = region.stored_spreads();
  double top = 0;
  for (int j = 0; j < region.d; ++j)
    if (spreads[j] > 0 && may_enter(j))
      top = std::fmax(top, slopes[j] = slope_of(j, gradients[j].one, spreads[j]));
  const double least = top * (1 - leading_share) - leading_rounding * std::sqrt(region.total);
  std::vector<int> leading;
  for (int j = 0; j < region.d; ++j)
    if (slopes[j] >= least) leading.push_back(j);
  if (region.worth_summing_again(leading.size()))
    for (int j : leading) sum_up(j);
  return slopes;
}

// Grows the support greedily to the given size, refitting after each new column.
template <typename Real>
void grow(Scores<Real>& scores, std::size_t size, Separator& s) {
  Region<Real>& region = scores.region;
  while (s.support.size() < size) {
    scores.set(s.intercept, s.support, s.weights);
    const std::vector<double> slopes = slopes_for_growth(scores, s.support);
    std::vector<std::pair<double, int>> order;
    for (int j = 0; j < region.d; ++j)
      if (!std::isnan(slopes[j])) order.emplace_back(-slopes[j], j);
    std::sort(order.begin(), order.end());
    auto independent = std::find_if(order.begin(), order.end(), [&](const auto& entry) {
      return region.remaining_spread(entry.second, s.support) >
             independence_tolerance * region.moments(entry.second).spread;
    });
    if (independent == order.end()) return;
    s.support.push_back(independent->second);
    s.weights.push_back(0);
    refit(scores, s);
  }
}

// Drops columns to which a refit gave no weight, as it does where the others explain everything.
template <typename Real>
void drop_negligible(Region<Real>& region, Separator& s) {
  const auto size = [&](std::size_t a) {
    return std::fabs(s.weights[a]) * std::sqrt(region.moments(s.support[a]).spread);
  };
  double top = 0;
  for (std::size_t a = 0; a < s.weights.size(); ++a) top = std::max(top, size(a));
  Separator kept{{}, {}, s.intercept};
  for (std::size_t a = 0; a < s.weights.size(); ++a)
    if (size(a) > negligible * top) {
      kept.support.push_back(s.support[a]);
      kept.weights.push_back(s.weights[a]);
    }
  s = std::move(kept);
}

// Removes negligible columns, and the separators that have no others.
template <typename Real>
std::vector<Separator> without_negligible(Region<Real>& region, std::vector<Separator> found) {
  for (Separator& s : found) drop_negligible(region, s);
  found.erase(std::remove_if(found.begin(), found.end(),
                             [](const Separator& s) { return s.support.empty(); }),
              found.end());
  return found;
}

// The column that enters the path first, and the derivative of the loss by its weight there.
struct First {
  int column;
  double slope;
};

// None if no column that may be used varies.
template <typename Real>
std::optional<First> first_column(Region<Real>& region) {
  const std::vector<double> slopes = region.slopes();
  std::vector<std::uint8_t> constant(region.d);
  for (;;) {
    std::optional<First> first;
    for (int j = 0; j < region.d; ++j)
      if (!constant[j] &&
          (first ? std::fabs(slopes[j]) > std::fabs(first->slope) : std::fabs(slopes[j]) >= 0))
        first = {j, slopes[j]};
    if (!first || region.moments(first->column).spread > 0) return first;
    constant[first->column] = 1;  // only rounding gave it a slope
  }
}

}  // namespace

template <typename Real>
std::vector<PathSolution> lasso_path(Region<Real> region, int max_size) {
  std::vector<PathSolution> stretches;
  if (!std::isfinite(region.intercept())) return stretches;
  const std::optional<First> first = first_column(region);
  if (!first) return stretches;
  Homotopy<Real> homotopy(region, first->column, first->slope);
  Scores<Real> scores(region);
  while (!homotopy.done() && int(homotopy.active().size()) <= max_size) {
    const PathSolution start = homotopy.solution();
    const std::vector<int> signs = homotopy.signs();
    homotopy.advance();
    if (homotopy.penalty() > start.penalty * (1 - 1e-6)) continue;  // a stretch without length
    // The solution half-way down the stretch, made exact.
    PathSolution middle = start;
    middle.penalty = 0.5 * (start.penalty + homotopy.penalty());
    Newton<Real>(scores, l1_penalty(middle.penalty, signs), middle).minimise(1e-20);
    // A stretch may be too short to be found: the solution then belongs to one of its neighbours.
    bool found = true;
    for (std::size_t a = 0; a < signs.size(); ++a)
      found = found && middle.weights[a] * signs[a] > 0;
    if (found) stretches.push_back(middle);
  }
  return stretches;
}

template <typename Real>
struct SeparatorPath<Real>::State {
  State(Region<Real> rows, First first, bool frugal)
      : region(std::move(rows)), frugal(frugal), first(first) {}
  State(const State&) = delete;  // the homotopy refers to the region
  State& operator=(const State&) = delete;

  // The only separator of one column is that of the column that enters first.
  std::vector<Separator> single(bool direction_only) {
    region.column(first.column);  // for its projection
    if (direction_only) return {{{first.column}, {first.slope > 0 ? -1.0 : 1.0}, 0}};
    Separator s{{first.column}, {0}, region.intercept()};
    // At the intercept alone, all rows have the same derivatives but for their weights.
    const auto [sum, squares, spread] = region.moments(first.column);
    const double curvature = region.share[0] * region.share[1];
    const Derivatives at_start{{0, first.slope},
                               {curvature * region.total, 0, curvature * sum, curvature * squares}};
    Scores<Real> scores(region);
    refit(scores, s, &at_start);
    return {s};
  }

  // Those of `size` columns that the path has before it first has more.
  std::vector<Separator> on_path(int size) {
    start();
    while (!homotopy->done() &&
           (n_active() < size || (n_active() == size && homotopy->shrinks_next())))
      advance();
    if (frugal) homotopy->free_memory();
    std::vector<Separator> found = recorded(size);
    Scores<Real> scores(region);
    for (Separator& s : found) {
      const bool present = !homotopy->done() && s.support == homotopy->active();
      refit(scores, s, present ? homotopy->derivatives() : nullptr);
    }
    drop_shrunk(found);
    if (found.empty()) found.push_back(grown(scores, size));
    return found;
  }

  std::vector<Separator> up_to(int largest) {
    start();
    while (!homotopy->done() && n_active() <= largest) advance();
    if (frugal) homotopy->free_memory();
    std::vector<Separator> all;
    Scores<Real> scores(region);
    for (int size = 1; size <= largest; ++size) {
      std::vector<Separator> found = recorded(size);
      for (Separator& s : found) refit(scores, s);
      drop_shrunk(found);
      if (found.empty()) found.push_back(grown(scores, size));
      std::move(found.begin(), found.end(), std::back_inserter(all));
    }
    return all;
  }

  Separator grown(Scores<Real>& scores, int size) {
    Separator largest{{}, {}, 0};
    for (const Separator& s : visited)
      if (int(s.support.size()) < size && s.support.size() > largest.support.size()) largest = s;
    refit(scores, largest);
    if (region.limits.bind_any(largest.support)) drop_negligible(region, largest);
    grow(scores, size, largest);
    return largest;
  }

  // Drops those of which a refit left fewer columns, since the signs of some were ruled out.
  void drop_shrunk(std::vector<Separator>& found) const {
    found.erase(std::remove_if(found.begin(), found.end(),
                               [&](const Separator& s) {
                                 return region.limits.bind_any(s.support) &&
                                        std::count(s.weights.begin(), s.weights.end(), 0.0) > 0;
                               }),
                found.end());
  }

  void start() {
    if (homotopy) return;
    homotopy.emplace(region, first.column, first.slope);
    record();
  }

  void advance() {
    homotopy->advance();
    if (!homotopy->done()) record();
  }

  void record() { visited.push_back(homotopy->solution()); }

  int n_active() const { return int(homotopy->active().size()); }

  // The first solution for each support of this size.
  std::vector<Separator> recorded(int size) const {
    std::vector<Separator> found;
    std::set<std::set<int>> supports;
    for (const Separator& s : visited)
      if (int(s.support.size()) == size &&
          supports.insert({s.support.begin(), s.support.end()}).second)
        found.push_back(s);
    return found;
  }

  Region<Real> region;
  bool frugal;
  First first;
  std::optional<Homotopy<Real>> homotopy;  // begun by the first size that needs it
  std::vector<Separator> visited;  // one solution for each support, in the order of the path
};

template <typename Real>
SeparatorPath<Real>::SeparatorPath(Region<Real> region, bool frugal) {
  if (!std::isfinite(region.intercept())) return;
  if (const std::optional<First> first = first_column(region))
    state_ = std::make_unique<State>(std::move(region), *first, frugal);
}

template <typename Real>
SeparatorPath<Real>::SeparatorPath(SeparatorPath&&) noexcept = default;

template <typename Real>
SeparatorPath<Real>::~SeparatorPath() = default;

template <typename Real>
std::vector<Separator> SeparatorPath<Real>::of_size(int size, bool direction_only) {
  if (!state_) return {};
  return without_negligible(state_->region,
                            size == 1 ? state_->single(direction_only) : state_->on_path(size));
}

template <typename Real>
std::vector<Separator> SeparatorPath<Real>::up_to(int largest) {
  if (!state_) return {};
  return without_negligible(state_->region, state_->up_to(largest));
}

template <typename Real>
RowValues SeparatorPath<Real>::projection(const Separator& s) const {
  const Region<Real>& region = state_->region;
  RowValues out(region.n);
  for (std::size_t a = 0; a < s.support.size(); ++a)
    add_multiple(region.n, s.weights[a], region.known_column(s.support[a]), out.data());
  return out;
}

template std::vector<PathSolution> lasso_path(Region<float>, int);
template std::vector<PathSolution> lasso_path(Region<double>, int);
template class SeparatorPath<float>;
template class SeparatorPath<double>;

}  // namespace sorb
