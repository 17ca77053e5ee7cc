// Sparse logistic separators: the lasso path, followed as a homotopy, and refits without penalty.
//
// Minimises  sum_i v_i log(1 + exp(-s_i (b + w·z_i))) + lambda |w|_1  with a free intercept b,
// over all lambda from the largest down to where the path first has more than `max_size` weights.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "region.hpp"

namespace sorb {

struct Separator {
  std::vector<int> support;
  std::vector<double> weights;
  double intercept;
};

// The separator that the path itself has at a penalty.
struct PathSolution : Separator {
  double penalty;
  int passes;  // over all columns, until the path had this support
};

// The L1 solution in the middle of the stretch of each support that the path visits.
template <typename Real>
std::vector<PathSolution> lasso_path(Region<Real> region, int max_size);

// Separators of each size, all from one path. Sizes must be requested in ascending order.
template <typename Real>
class SeparatorPath {
 public:
  // A frugal path frees what memory it can before each refit, and computes more twice.
  SeparatorPath(Region<Real> region, bool frugal);
  SeparatorPath(SeparatorPath&&) noexcept;
  ~SeparatorPath();

  // Refitted without penalty, one for each support of `size` columns that the path has before it
  // first has more. A size that no penalty gives is reached by growing the largest smaller support
  // by the columns with the largest gradient, while columns are independent. Empty if the rows
  // are all of one side or no column varies. If only directions matter, the weight of a single
  // column is ±1.
  std::vector<Separator> of_size(int size, bool direction_only);

  // The same for all sizes up to the largest, with the supports to which the path comes back after
  // it had more columns, as long as it never has more than the largest size. By size, and then in
  // the order of the path.
  std::vector<Separator> up_to(int largest);

  // w·z for each row that the region passes over, for a separator that was found here.
  RowValues projection(const Separator& separator) const;

 private:
  struct State;
  std::unique_ptr<State> state_;  // null: the rows are all of one side, or no column varies
};

}  // namespace sorb
