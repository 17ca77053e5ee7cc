#include "separator.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "dense.hpp"
#include "homotopy.hpp"
#include "passes.hpp"

namespace sorb {
namespace {

constexpr double refit_ridge = 1e-6;  // keeps weights finite on separable rows
constexpr double refitted = 1e-8;     // Newton decrement, per weight of the rows, of the last step
constexpr double negligible = 1e-12;  // share of the largest weight that only rounding gives

// Newton's method on the given support with penalty lambda·sign(w) (signs fixed) or, if lambda is
// zero, a ridge far below the noise. A step that overshoots along its own direction is halved. The
// derivatives of the loss at the start spare a pass, where they are known.
template <typename Real>
void newton(Scores<Real>& scores, double lambda, const std::vector<int>& signs, double tolerance,
            Separator& s, const Derivatives* at_start = nullptr) {
  const Region<Real>& region = scores.region;
  const int m = int(s.support.size()) + 1;
  std::vector<double> ridge, step;
  for (int j : s.support)
    ridge.push_back(lambda == 0 ? refit_ridge * region.moments(j).spread : 0);
  Derivatives at;
  const auto penalise = [&] {
    for (int a = 1; a < m; ++a) {
      at.gradient[a] += ridge[a - 1] * s.w[a - 1] + (lambda == 0 ? 0 : lambda * signs[a - 1]);
      at.hessian[a * m + a] += ridge[a - 1];
    }
  };
  const auto shift = [&](double length) {
    s.b -= length * step[0];
    for (int a = 1; a < m; ++a) s.w[a - 1] -= length * step[a];
  };
  const auto derive = [&] {
    scores.derive(s.b, s.support, s.w, at);
    penalise();
  };
  const auto slope = [&] {
    double sum = 0;
    for (int a = 0; a < m; ++a) sum += at.gradient[a] * step[a];
    return sum;
  };
  if (at_start) {
    at = *at_start;
    penalise();
  } else {
    derive();
  }
  for (int iteration = 0; iteration < 60; ++iteration) {
    step = at.gradient;
    Cholesky(at.hessian, m).solve(step);
    const double before = slope();
    if (!(before > 0)) return;
    double length = 1;
    shift(length);
    if (before < tolerance * region.total) return;  // too short to overshoot
    derive();
    for (int halving = 0; halving < 30 && !(slope() > -0.5 * before); ++halving) {
      length /= 2;
      shift(-length);
      derive();
    }
  }
}

// Grows the support greedily to the wanted size, refitting after each new column.
template <typename Real>
void grow(Scores<Real>& scores, std::size_t size, Separator& s) {
  const Region<Real>& region = scores.region;
  while (s.support.size() < size) {
    scores.set(s.b, s.support, s.w);
    std::vector<std::pair<double, int>> order;
    for (int j = 0; j < region.d; ++j) {
      const double spread = region.moments(j).spread;
      if (spread > 0 && std::find(s.support.begin(), s.support.end(), j) == s.support.end())
        order.emplace_back(-std::fabs(scores.gradient(j)) / std::sqrt(spread), j);
    }
    std::sort(order.begin(), order.end());
    auto independent = std::find_if(order.begin(), order.end(), [&](const auto& entry) {
      return region.remaining_spread(entry.second, s.support) >
             dependent * region.moments(entry.second).spread;
    });
    if (independent == order.end()) return;
    s.support.push_back(independent->second);
    s.w.push_back(0);
    newton(scores, 0, {}, refitted, s);
  }
}

// Drops columns to which a refit gave no weight, as it does where the others say all.
template <typename Real>
void drop_negligible(const Region<Real>& region, Separator& s) {
  const auto size = [&](std::size_t a) {
    return std::fabs(s.w[a]) * std::sqrt(region.moments(s.support[a]).spread);
  };
  double top = 0;
  for (std::size_t a = 0; a < s.w.size(); ++a) top = std::max(top, size(a));
  Separator kept{{}, {}, s.b, s.penalty, s.passes};
  for (std::size_t a = 0; a < s.w.size(); ++a)
    if (size(a) > negligible * top) {
      kept.support.push_back(s.support[a]);
      kept.w.push_back(s.w[a]);
    }
  s = std::move(kept);
}

// The separators without negligible columns, as far as any are left.
template <typename Real>
std::vector<Separator> sound(const Region<Real>& region, std::vector<Separator> found) {
  for (Separator& s : found) drop_negligible(region, s);
  found.erase(std::remove_if(found.begin(), found.end(),
                             [](const Separator& s) { return s.support.empty(); }),
              found.end());
  return found;
}

// The column that enters the path first, and the derivative of the loss by its weight there.
struct First {
  int column;  // -1: no column varies
  double slope;
};

template <typename Real>
First first_column(const Region<Real>& region) {
  std::vector<double> slopes = region.slopes();
  for (;;) {
    First first{-1, 0};
    double top = -1;
    for (int j = 0; j < region.d; ++j)
      if (std::fabs(slopes[j]) > top) top = std::fabs(slopes[j]), first = {j, slopes[j]};
    if (first.column < 0 || region.moments(first.column).spread > 0) return first;
    slopes[first.column] = NAN;  // constant, so that only rounding gave it a slope
  }
}

}  // namespace

template <typename Real>
std::vector<Separator> path(const Region<Real>& region, int max_size) {
  std::vector<Separator> stretches;
  if (!std::isfinite(region.intercept())) return stretches;
  const First first = first_column(region);
  if (first.column < 0) return stretches;
  Homotopy<Real> homotopy(region, first.column, first.slope);
  Scores<Real> scores(region);
  while (!homotopy.done() && int(homotopy.active().size()) <= max_size) {
    const Separator start = homotopy.solution();
    const std::vector<int> signs = homotopy.signs();
    homotopy.advance();
    if (homotopy.penalty() > start.penalty * (1 - 1e-6)) continue;  // no length
    // The solution half-way down the stretch, made exact.
    Separator middle = start;
    middle.penalty = 0.5 * (start.penalty + homotopy.penalty());
    newton(scores, middle.penalty, signs, 1e-20, middle);
    // A stretch may be too short to be found: the solution then belongs to one of its neighbours.
    bool found = true;
    for (std::size_t a = 0; a < signs.size(); ++a) found = found && middle.w[a] * signs[a] > 0;
    if (found) stretches.push_back(middle);
  }
  return stretches;
}

template <typename Real>
struct SeparatorPath<Real>::Way {
  Way(Region<Real> rows, bool frugal)
      : region(std::move(rows)), frugal(frugal), first(first_column(region)) {}

  // All separators of one column: that of the column that enters first.
  std::vector<Separator> single(bool direction_only) const {
    if (direction_only) return {{{first.column}, {first.slope > 0 ? -1.0 : 1.0}, 0, 0, 1}};
    Separator s{{first.column}, {0}, region.intercept(), 0, 1};
    // At the intercept alone, all rows have the same derivatives but for their weights.
    const auto [sum, squares, spread] = region.moments(first.column);
    const double variance = region.share[0] * region.share[1];
    const Derivatives at_start{{0, first.slope},
                               {variance * region.total, 0, variance * sum, variance * squares}};
    Scores<Real> scores(region);
    newton(scores, 0, {}, refitted, s, &at_start);
    return {s};
  }

  // Those of `size` columns that the path holds before it first holds more.
  std::vector<Separator> on_path(int size) {
    start();
    while (!homotopy->done() && (holds() < size || (holds() == size && homotopy->shrinks_next())))
      advance();
    if (frugal) homotopy->rest();
    std::vector<Separator> found = recorded(size);
    Scores<Real> scores(region);
    for (Separator& s : found) {
      const bool present = !homotopy->done() && s.support == homotopy->active();
      newton(scores, 0, {}, refitted, s, present ? homotopy->derivatives() : nullptr);
    }
    if (found.empty()) found.push_back(grown(scores, size));
    return found;
  }

  std::vector<Separator> up_to(int largest) {
    start();
    while (!homotopy->done() && holds() <= largest) advance();
    if (frugal) homotopy->rest();
    std::vector<Separator> all;
    Scores<Real> scores(region);
    for (int size = 1; size <= largest; ++size) {
      std::vector<Separator> found = recorded(size);
      for (Separator& s : found) newton(scores, 0, {}, refitted, s);
      if (found.empty()) found.push_back(grown(scores, size));
      std::move(found.begin(), found.end(), std::back_inserter(all));
    }
    return all;
  }

  Separator grown(Scores<Real>& scores, int size) const {
    Separator largest{{}, {}, 0, 0, 0};
    for (const Separator& s : visited)
      if (int(s.support.size()) < size && s.support.size() > largest.support.size()) largest = s;
    newton(scores, 0, {}, refitted, largest);
    grow(scores, size, largest);
    return largest;
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

  void record() {
    visited.push_back(homotopy->solution());
    visited.back().penalty = 0;
  }

  int holds() const { return int(homotopy->active().size()); }

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
  std::optional<Homotopy<Real>> homotopy;  // from the first size on that needs it
  std::vector<Separator> visited;          // one solution for each support, in the order of the path
};

template <typename Real>
SeparatorPath<Real>::SeparatorPath(Region<Real> region, bool frugal) {
  if (std::isfinite(region.intercept())) way_ = std::make_unique<Way>(std::move(region), frugal);
}

template <typename Real>
SeparatorPath<Real>::SeparatorPath(SeparatorPath&&) noexcept = default;

template <typename Real>
SeparatorPath<Real>::~SeparatorPath() = default;

template <typename Real>
std::vector<Separator> SeparatorPath<Real>::of_size(int size, bool direction_only) {
  if (!way_ || way_->first.column < 0) return {};
  return sound(way_->region, size == 1 ? way_->single(direction_only) : way_->on_path(size));
}

template <typename Real>
std::vector<Separator> SeparatorPath<Real>::up_to(int largest) {
  if (!way_ || way_->first.column < 0) return {};
  return sound(way_->region, way_->up_to(largest));
}

template <typename Real>
std::vector<double> SeparatorPath<Real>::projection(const Separator& s) const {
  const Region<Real>& region = way_->region;
  std::vector<double> out(region.n);
  for (std::size_t a = 0; a < s.support.size(); ++a)
    add_multiple(region.n, s.w[a], region.column(s.support[a]), out.data());
  return out;
}

template <typename Real>
std::vector<std::uint8_t> rows_inside(const Real* Z, std::int64_t rows, const std::vector<int>& support,
                                      const std::vector<double>& w, double threshold) {
  std::vector<double> out(rows);
  for (std::size_t a = 0; a < support.size(); ++a)
    add_multiple(rows, w[a], Z + std::size_t(support[a]) * rows, out.data());
  std::vector<std::uint8_t> inside(rows);
  for (std::int64_t i = 0; i < rows; ++i) inside[i] = out[i] >= threshold;
  return inside;
}

template std::vector<Separator> path(const Region<float>&, int);
template std::vector<Separator> path(const Region<double>&, int);
template class SeparatorPath<float>;
template class SeparatorPath<double>;
template std::vector<std::uint8_t> rows_inside(const float*, std::int64_t, const std::vector<int>&,
                                               const std::vector<double>&, double);
template std::vector<std::uint8_t> rows_inside(const double*, std::int64_t, const std::vector<int>&,
                                               const std::vector<double>&, double);

}  // namespace sorb
