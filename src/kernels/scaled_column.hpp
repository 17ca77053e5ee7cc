// How the values of a column are standardised.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "scaling.hpp"

namespace sorb {

// A value x becomes (power·x - mean) / spread; of a constant column, zero.
struct ScaledColumn {
  double power, mean = 0, spread = 1;
  bool constant = false;

  ScaledColumn(double low, double high)
      : power(power_of_two(std::max(std::fabs(low), std::fabs(high)))), constant(low == high) {}

  // Adds the weighted square of a value about the mean to a sum.
  double add_square(double sum, double weight, double x) const {
    const double distance = x * power - mean;
    return sum + weight * distance * distance;
  }

  void set_spread(double mean_square) {
    spread = std::sqrt(mean_square);
    // Where only rows of next to no weight differ, there is no spread either.
    constant = constant || !(spread > 0);
    if (constant) spread = 1;
  }

  template <typename Real>
  Real standardised(Real x) const {
    return constant ? Real(0) : Real((x * power - mean) / spread);
  }

  double centre() const { return mean / power; }
  // Positive even if the spread of subnormal numbers rounds to zero.
  double scale() const {
    return std::max(spread / power, std::numeric_limits<double>::denorm_min());
  }
};

}  // namespace sorb
