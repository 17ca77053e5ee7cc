// The search for sets of categories.
#pragma once
#include <optional>
#include <vector>

#include "column_info.hpp"
#include "conjunction.hpp"
#include "objective.hpp"
#include "proposition.hpp"

namespace sorb {

// Searches columns of categories for the best sets, for gradients of one sign.
class CategorySetSearch {
 public:
  CategorySetSearch(const ColumnInfo& info, const Objective& objective, int sign)
      : info_(info), objective_(objective), sign_(sign) {}

  // The best set for some rows that names at least `least` and at most `most` categories. None if
  // no such set gains anything.
  std::optional<ScoredProposition> best(int column, const RowNumbers& rows, int least,
                                        int most) const;

  // The best set of up to `most` categories of each column of which a conjunction has no set yet.
  std::vector<ScoredProposition> new_sets(const Conjunction& conjunction, const RowNumbers& rows,
                                          int most) const;

 private:
  // The best of the sets that cover the first categories of an order and have an allowed size, if
  // it is better than the best so far.
  void consider_order(int column, const RowNumbers& rows, const std::vector<int>& order, int least,
                      int most, std::optional<ScoredProposition>& best) const;

  const ColumnInfo& info_;
  const Objective& objective_;
  const int sign_;
};

}  // namespace sorb
