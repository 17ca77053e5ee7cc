// Weights that are whole numbers in the user's units.
#pragma once
#include <optional>
#include <set>
#include <vector>

#include "buffer.hpp"
#include "separator.hpp"

namespace sorb {

// A climb over vectors of whole weights, none of them zero: first those nearest to the direction of
// a separator, for each size of the largest weight, then the neighbours of the best so far.
class WholeWeightClimb {
 public:
  WholeWeightClimb(const Separator& separator, const Buffer<double>& scale);

  // The next weights to try, if there are any. Their value must be reported before the next call,
  // unless they gain nothing.
  std::optional<std::vector<int>> next();
  void report(const std::vector<int>& weights, double value);

 private:
  void propose(std::vector<int> weights);
  void propose_neighbours();

  std::set<std::vector<int>> proposed_;
  std::vector<std::vector<int>> waiting_;
  std::vector<int> best_;
  double best_value_ = 0;
  double climbed_from_ = 0;  // the value whose neighbours were proposed last
};

// Makes sums equal that differ by rounding alone, so that no cut falls between them.
void merge_equal(RowValues& sums);

}  // namespace sorb
