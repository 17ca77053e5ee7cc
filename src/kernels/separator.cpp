#include "separator.hpp"

#include <algorithm>
#include <cmath>

#include "dense.hpp"
#include "homotopy.hpp"
#include "passes.hpp"

namespace sorb {
namespace {

constexpr double refit_ridge = 1e-6;  // keeps weights finite on separable rows
constexpr double refitted = 1e-8;     // Newton decrement, per weight of the rows, of the last step
constexpr double negligible = 1e-12;  // share of the largest weight that only rounding gives

// Newton's method on the given support with penalty lambda·sign(w) (signs fixed) or, if lambda is
// zero, a ridge far below the noise. A step that overshoots along its own direction is halved.
template <typename Real>
void newton(Scores<Real>& scores, double lambda, const std::vector<int>& signs, double tolerance,
            Separator& s) {
  const Region<Real>& region = scores.region;
  const int m = int(s.support.size()) + 1;
  std::vector<double> gradient, hessian, step;
  const auto derive = [&] {
    scores.derive(s.b, s.support, s.w, gradient, hessian);
    for (int a = 1; a < m; ++a) {
      const double ridge = lambda == 0 ? refit_ridge * region.spread[s.support[a - 1]] : 0;
      gradient[a] += ridge * s.w[a - 1] + (lambda == 0 ? 0 : lambda * signs[a - 1]);
      hessian[a * m + a] += ridge;
    }
  };
  const auto shift = [&](double length) {
    s.b -= length * step[0];
    for (int a = 1; a < m; ++a) s.w[a - 1] -= length * step[a];
    derive();
  };
  const auto slope = [&] {
    double sum = 0;
    for (int a = 0; a < m; ++a) sum += gradient[a] * step[a];
    return sum;
  };
  derive();
  for (int iteration = 0; iteration < 60; ++iteration) {
    step = gradient;
    Cholesky(hessian, m).solve(step);
    const double before = slope();
    if (!(before > 0)) return;
    double length = 1;
    shift(length);
    for (int halving = 0; halving < 30 && !(slope() > -0.5 * before); ++halving) {
      length /= 2;
      shift(-length);
    }
    if (before < tolerance * region.total) return;
  }
}

// Grows the support greedily to the wanted size, refitting after each new column.
template <typename Real>
void grow(Scores<Real>& scores, std::size_t size, Separator& s) {
  const Region<Real>& region = scores.region;
  while (s.support.size() < size) {
    scores.set(s.b, s.support, s.w);
    std::vector<std::pair<double, int>> order;
    for (int j = 0; j < region.d; ++j)
      if (region.spread[j] > 0 &&
          std::find(s.support.begin(), s.support.end(), j) == s.support.end())
        order.emplace_back(-std::fabs(scores.gradient(j)) / std::sqrt(region.spread[j]), j);
    std::sort(order.begin(), order.end());
    auto independent = std::find_if(order.begin(), order.end(), [&](const auto& entry) {
      return region.remaining_spread(entry.second, s.support) >
             dependent * region.spread[entry.second];
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
    return std::fabs(s.w[a]) * std::sqrt(region.spread[s.support[a]]);
  };
  double top = 0;
  for (std::size_t a = 0; a < s.w.size(); ++a) top = std::max(top, size(a));
  Separator kept{{}, {}, s.b, s.penalty};
  for (std::size_t a = 0; a < s.w.size(); ++a)
    if (size(a) > negligible * top) {
      kept.support.push_back(s.support[a]);
      kept.w.push_back(s.w[a]);
    }
  s = std::move(kept);
}

}  // namespace

template <typename Real>
std::vector<Separator> path(const Region<Real>& region, int max_size) {
  std::vector<Separator> stretches;
  if (!std::isfinite(region.intercept())) return stretches;
  Homotopy<Real> homotopy(region);
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
  explicit Way(Region<Real> rows) : region(std::move(rows)), homotopy(region) {}

  void record() {
    visited.push_back(homotopy.solution());
    visited.back().penalty = 0;
  }

  void advance() {
    homotopy.advance();
    if (!homotopy.done()) record();
  }

  Region<Real> region;
  Homotopy<Real> homotopy;
  std::vector<Separator> visited;  // one solution for each support, in the order of the path
};

template <typename Real>
SeparatorPath<Real>::SeparatorPath(Region<Real> region) {
  if (!std::isfinite(region.intercept())) return;
  way_ = std::make_unique<Way>(std::move(region));
  if (!way_->homotopy.active().empty()) way_->record();
}

template <typename Real>
SeparatorPath<Real>::~SeparatorPath() = default;

template <typename Real>
std::vector<Separator> SeparatorPath<Real>::of_size(int size, bool direction_only) {
  std::vector<Separator> found;
  if (!way_ || way_->visited.empty()) return found;
  Homotopy<Real>& homotopy = way_->homotopy;
  const auto holds = [&] { return int(homotopy.active().size()); };
  while (!homotopy.done() && (holds() < size || (holds() == size && homotopy.shrinks_next())))
    way_->advance();
  for (const Separator& s : way_->visited)
    if (int(s.support.size()) == size) found.push_back(s);
  if (size == 1 && direction_only) {
    found[0].w[0] = homotopy.first_sign();
    return found;
  }
  Scores<Real> scores(way_->region);
  if (found.empty()) {
    Separator largest{{}, {}, 0, 0};
    for (const Separator& s : way_->visited)
      if (int(s.support.size()) < size && s.support.size() > largest.support.size()) largest = s;
    newton(scores, 0, {}, refitted, largest);
    grow(scores, size, largest);
    found.push_back(largest);
  } else {
    for (Separator& s : found) newton(scores, 0, {}, refitted, s);
  }
  for (Separator& s : found) drop_negligible(way_->region, s);
  found.erase(std::remove_if(found.begin(), found.end(),
                             [](const Separator& s) { return s.support.empty(); }),
              found.end());
  return found;
}

template <typename Real>
void SeparatorPath<Real>::rest() {
  if (way_) way_->homotopy.rest();
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
