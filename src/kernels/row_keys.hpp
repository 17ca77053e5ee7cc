// The ranges of columns, and the keys of rows by the steps of these ranges.
#pragma once
#include <cstdint>
#include <vector>

#include "table.hpp"

namespace sorb {

// The known values of a column in some rows, each of which counts a number of times.
struct ColumnRange {
  double low, high;            // infinite if there are none
  double start, total, count;  // any of them, the sum of their differences to it, and their number

  // How far the mean is above the least value; NaN if there are none. The difference of large
  // numbers would depend on the order of the rows.
  double excess() const { return total / count + (start - low); }
};

// The ranges of all columns over the rows that count, all of them once if `counts` is null.
template <typename Real>
std::vector<ColumnRange> column_ranges(const TableView<Real>& table, const double* counts);

// What the values of a column add to the keys of their rows. The step of a value is
// floor((x - low)·factor + 0.5), from 0 to the number of steps. Each further digit divides the rest
// of a step into as many steps.
struct KeyColumn {
  std::int64_t column;
  double low, factor;
  int digit;                     // 0 for the step itself
  std::uint64_t square, linear;  // less than 2^21 and 2^31
};

constexpr int key_digits = 3;
// A prime number, which keys are less than.
constexpr std::uint64_t key_limit = (std::uint64_t(1) << 31) - 1;

// Sums over the columns that are step²·square + step·linear modulo `key_limit`, though not yet
// reduced to be less. Rows with missing values have a step of their own.
template <typename Real>
void add_to_keys(const TableView<Real>& table, const std::vector<KeyColumn>& columns,
                 std::int64_t* sums);

}  // namespace sorb
