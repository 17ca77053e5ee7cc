// Whether columns hold infinite numbers, which models refuse, while missing values are welcome.
#pragma once
#include <cstdint>

namespace sorb {

// Whether one of n values is infinite.
bool holds_infinity(const double* values, std::int64_t n, std::int64_t stride);

}  // namespace sorb
