// Scaling by powers of two, which is exact.
#pragma once
#include <algorithm>
#include <cmath>

namespace sorb {

// A power of two that brings a number near one.
inline double power_of_two(double largest) {
  int exponent = 0;
  std::frexp(largest, &exponent);
  return std::ldexp(1.0, -std::clamp(exponent, -1000, 1000));
}

}  // namespace sorb
