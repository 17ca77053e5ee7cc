// The search for sets of categories.
#pragma once
#include <optional>
#include <vector>

#include "category_sums.hpp"
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

  // The best set that names at least `least` and at most `most` categories of a column that was
  // summed up. None if no such set gains anything.
  std::optional<ScoredProposition> best(int column, const CategorySums& sums, int least,
                                        int most) const;

 private:
  // Those with the highest gain / mass^power first.
  std::vector<int> ordered(int column, const CategorySums& sums, std::vector<int> categories,
                           double power) const;

  // The objective of the first category of an order, of the first two, and so on, but not of all.
  std::vector<double> values_of_first(int column, const CategorySums& sums,
                                      const std::vector<int>& order) const;

  // The rows of the first category of an order, the last row first, then those of the next one.
  RowNumbers rows_in_order(int column, const CategorySums& sums,
                           const std::vector<int>& order) const;

  // The best of the sets that cover the first categories of an order and have an allowed size, if
  // it is better than the best so far.
  void consider_order(int column, const CategorySums& sums, const std::vector<int>& order,
                      int least, int most, std::optional<ScoredProposition>& best) const;

  const ColumnInfo& info_;
  const Objective& objective_;
  const int sign_;
};

// The columns of categories of which a conjunction has no set yet, and may have one; there are `d`
// numeric columns.
std::vector<int> columns_without_set(const ColumnInfo& info, const Conjunction& conjunction, int d);

}  // namespace sorb
