// The span of the rules so far, and the gradient projected off it.
#pragma once
#include <cstdint>
#include <vector>

namespace sorb {

struct OffSpan {
  std::vector<double> gain;   // weighted gradient of each row without its part in the span
  std::vector<double> basis;  // values on each pattern of k orthonormal functions, row-major
  int k;                      // dimension of the span
};

// Rules that cover P patterns of rows (row-major P x r table of 0/1), and a constant, span a space
// of functions that are constant on each pattern. Rows count with their weights; patterns without
// weight are left out.
OffSpan project_off(int P, int r, const std::uint8_t* table, const std::int32_t* pattern,
                    std::int64_t n, const double* weight, const double* weighted_gradient);

}  // namespace sorb
