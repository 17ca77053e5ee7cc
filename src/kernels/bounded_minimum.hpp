// Where a quadratic model is least within bounds: the target of a bounded Newton step.
#pragma once
#include <cmath>
#include <vector>

namespace sorb {

// The range of each coordinate, whose ends may be infinite; no vectors if all are free.
struct Bounds {
  std::vector<double> lower, upper;

  bool empty() const { return lower.empty(); }
  // Moves a point to the nearest one within the bounds.
  void clip(std::vector<double>& x) const;
};

// Of the points within the bounds, the one where
//
//   gradient·(z - x) + (z - x)·hessian·(z - x) / 2
//
// is least, up to rounding; of the row-major Hessian only the lower triangle counts. It is no
// higher than at x, which is within the bounds. Coordinates that end at a bound are exactly there.
std::vector<double> bounded_minimum(const std::vector<double>& x,
                                    const std::vector<double>& gradient,
                                    const std::vector<double>& hessian, const Bounds& bounds);

}  // namespace sorb
