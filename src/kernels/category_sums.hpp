// What the rows of each category sum up to.
#pragma once
#include <cstdint>
#include <vector>

#include "column_info.hpp"
#include "objective.hpp"
#include "row_numbers.hpp"

namespace sorb {

// The sums of an objective over the rows of each category, for some columns of categories.
class CategorySums {
 public:
  struct Sums {
    double gain = 0, mass = 0;
    std::int64_t count = 0;  // of the rows
  };

  CategorySums(const ColumnInfo& info, const Objective& objective, const RowNumbers& rows,
               const std::vector<int>& columns);

  const RowNumbers& rows() const { return rows_; }

  const Sums& of(int column, int category) const { return cells_[start_[column] + category]; }

 private:
  const RowNumbers& rows_;
  std::vector<std::size_t> start_;  // of each column that was summed up
  std::vector<Sums> cells_;
};

}  // namespace sorb
