// A primal active-set method: coordinates are held at bounds, and released while that gains.
#include "bounded_minimum.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "dense.hpp"

namespace sorb {
namespace {

constexpr double release_tolerance = 1e-12;  // of what a slope is summed up from

class ActiveSet {
 public:
  ActiveSet(const std::vector<double>& x, const std::vector<double>& gradient,
            const std::vector<double>& hessian, const Bounds& bounds)
      : size_(x.size()),
        x_(x),
        gradient_(gradient),
        hessian_(hessian),
        bounds_(bounds),
        z_(x),
        slope_(gradient),
        terms_(size_),
        held_(size_) {
    for (std::size_t m = 0; m < size_; ++m) held_[m] = is_pushed_out(m, 0);
  }

  std::vector<double> minimise() {
    for (std::size_t step = 0; step < 10 * size_ + 10; ++step) {
      if (!move()) continue;
      sum_up_slopes();
      const std::optional<std::size_t> released = worst_held();
      if (!released) break;
      held_[*released] = 0;
    }
    return z_;
  }

 private:
  // Whether the model falls as this coordinate leaves the bounds, by more than a tolerance.
  bool is_pushed_out(std::size_t m, double tolerance) const {
    return (z_[m] <= bounds_.lower[m] && slope_[m] >= -tolerance) ||
           (z_[m] >= bounds_.upper[m] && slope_[m] <= tolerance);
  }

  // Moves the coordinates that are not held towards where the model is least over them; whether it
  // gets there. Otherwise the first coordinate that reaches a bound is held there.
  bool move() {
    const std::vector<double> step = newton_step();
    double length = 1;
    std::optional<std::size_t> first;
    for (std::size_t m = 0; m < size_; ++m) {
      if (held_[m] || step[m] == 0) continue;
      const double reach = (step[m] < 0 ? bounds_.lower[m] : bounds_.upper[m]) - z_[m];
      if (std::fabs(reach) < length * std::fabs(step[m])) length = reach / step[m], first = m;
    }
    for (std::size_t m = 0; m < size_; ++m)
      if (!held_[m]) z_[m] += length * step[m];
    bounds_.clip(z_);
    if (!first) return true;
    z_[*first] = step[*first] < 0 ? bounds_.lower[*first] : bounds_.upper[*first];
    held_[*first] = 1;
    sum_up_slopes();
    return false;
  }

  // Over the coordinates that are not held.
  std::vector<double> newton_step() const {
    std::vector<double> matrix = hessian_, step(size_);
    for (std::size_t m = 0; m < size_; ++m) {
      if (!held_[m]) step[m] = -slope_[m];
      for (std::size_t l = 0; l <= m; ++l)
        if (held_[m] || held_[l]) matrix[m * size_ + l] = m == l;
    }
    Cholesky(matrix, size_).solve(step);
    return step;
  }

  void sum_up_slopes() {
    for (std::size_t m = 0; m < size_; ++m) {
      slope_[m] = gradient_[m];
      terms_[m] = std::fabs(gradient_[m]);
      for (std::size_t l = 0; l < size_; ++l) {
        const double term = hessian_[std::max(m, l) * size_ + std::min(m, l)] * (z_[l] - x_[l]);
        slope_[m] += term;
        terms_[m] += std::fabs(term);
      }
    }
  }

  // The coordinate at a bound that gains most, for its slope, if it is released.
  std::optional<std::size_t> worst_held() const {
    std::optional<std::size_t> worst;
    double largest = 0;
    for (std::size_t m = 0; m < size_; ++m) {
      if (!held_[m] || bounds_.lower[m] == bounds_.upper[m]) continue;
      if (is_pushed_out(m, release_tolerance * terms_[m])) continue;
      const double gain = slope_[m] * slope_[m] / hessian_[m * size_ + m];
      if (gain > largest) largest = gain, worst = m;
    }
    return worst;
  }

  const std::size_t size_;
  const std::vector<double>&x_, &gradient_, &hessian_;
  const Bounds& bounds_;
  std::vector<double> z_, slope_, terms_;  // terms: the absolute values that each slope sums up
  std::vector<std::uint8_t> held_;
};

}  // namespace

void Bounds::clip(std::vector<double>& x) const {
  for (std::size_t m = 0; m < lower.size(); ++m) x[m] = std::clamp(x[m], lower[m], upper[m]);
}

std::vector<double> bounded_minimum(const std::vector<double>& x,
                                    const std::vector<double>& gradient,
                                    const std::vector<double>& hessian, const Bounds& bounds) {
  return ActiveSet(x, gradient, hessian, bounds).minimise();
}

}  // namespace sorb
