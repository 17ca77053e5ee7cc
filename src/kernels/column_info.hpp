// What is known about the columns of a table beyond their standardised values.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "buffer.hpp"
#include "column_limits.hpp"

namespace sorb {

// A column of categories, numbered from zero; the number after the last one stands for "missing",
// so that sums by category need no second case for each row.
struct CategoryColumn {
  Buffer<std::int32_t> codes;  // of each row
  int n_categories;
};

struct ColumnInfo {
  // For the columns that have any, which values are missing; these are zero in the table.
  std::map<int, Buffer<bool>> missing;
  std::vector<CategoryColumn> categories;
  // The columns from this one on are logarithms, which no sum mixes with others; none if absent.
  std::optional<int> first_logarithm;
  // The scale of each column, if weights are to be whole numbers in the user's units.
  std::optional<Buffer<double>> scale;
  // The columns of categories come last in their numbers.
  ColumnLimits limits;

  // Which values of a column are missing, or null.
  const bool* missing_in(int column) const {
    const auto found = missing.find(column);
    return found == missing.end() ? nullptr : found->second.data();
  }
};

}  // namespace sorb
