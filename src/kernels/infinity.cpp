#include "infinity.hpp"

#include <algorithm>
#include <cmath>

#include "simd.hpp"

namespace sorb {
namespace {

constexpr int lanes = 16;

// The largest absolute value of adjacent values; NaN is above none. With a maximum for each lane,
// no comparison waits for the one before.
SORB_DISPATCH double largest_absolute(std::int64_t n, const double* values) {
  double largest[lanes] = {};
  const std::int64_t whole = n - n % lanes;
  for (std::int64_t i = 0; i < whole; i += lanes) {
#pragma omp simd
    for (int k = 0; k < lanes; ++k) {
      const double absolute = std::fabs(values[i + k]);
      largest[k] = absolute > largest[k] ? absolute : largest[k];
    }
  }
  double out = *std::max_element(largest, largest + lanes);
  for (std::int64_t i = whole; i < n; ++i) out = std::max(out, std::fabs(values[i]));
  return out;
}

}  // namespace

bool holds_infinity(const double* values, std::int64_t n, std::int64_t stride) {
  if (stride == 1) return std::isinf(largest_absolute(n, values));
  for (std::int64_t i = 0; i < n; ++i)
    if (std::isinf(values[i * stride])) return true;
  return false;
}

}  // namespace sorb
