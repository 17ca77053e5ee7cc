// The span of the rules so far, and the gradient projected off it.
#pragma once
#include <cstdint>
#include <vector>

#include "buffer.hpp"

namespace sorb {

// The functions that are sums of a constant and of the rules so far, each constant on each pattern.
struct Span {
  Buffer<std::int32_t> pattern;  // of each row of the table
  Matrix<double> basis;          // for each pattern, the values of orthonormal functions
};

struct OffSpan {
  std::vector<double> gain;  // weighted gradient of each row without its part in the span
  Span span;
};

// Rules cover P patterns of rows (row-major P x r table of 0/1). Rows count with their weights;
// patterns without weight are left out.
OffSpan project_off(int P, int r, const std::uint8_t* table, Buffer<std::int32_t> pattern,
                    const double* weight, const double* weighted_gradient);

}  // namespace sorb
