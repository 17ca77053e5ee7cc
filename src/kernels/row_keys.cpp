// Compiled without contraction of products and sums: steps must be the same on every processor.
#include "row_keys.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simd.hpp"

namespace sorb {
namespace {

constexpr double steps_of_range = 1 << 20;
// What rounding may leave above the place of the largest value is no further step.
constexpr double largest_place = steps_of_range + 0.75;
constexpr double missing_step = 1299709;
constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

// The values of a column in a block of rows, one after the other.
template <typename Real>
class Packed {
 public:
  explicit Packed(const TableView<Real>& table) : table_(table) {}

  const Real* operator()(std::int64_t start, std::int64_t end, std::int64_t j) {
    const Real* column = table_.data + j * table_.column_stride;
    if (table_.row_stride == 1) return column + start;
    for (std::int64_t i = start; i < end; ++i) values_[i - start] = column[i * table_.row_stride];
    return values_;
  }

 private:
  const TableView<Real>& table_;
  Real values_[rows_at_a_time];
};

// Comparisons with NaN are false, so that missing values widen nothing.
template <typename Value, typename Times>
SORB_INLINE void widen(std::int64_t n, Value value_of, Times times, ColumnRange& range) {
  if (range.count == 0)
    for (std::int64_t i = 0; i < n && !(range.start == range.start); ++i) range.start = value_of(i);
  const double start = range.start;
  double low = range.low, high = range.high, total = 0, count = 0;
#pragma omp simd reduction(min : low) reduction(max : high) reduction(+ : total, count)
  for (std::int64_t i = 0; i < n; ++i) {
    const double value = value_of(i);
    low = value < low ? value : low;
    high = value > high ? value : high;
    total += value == value ? times(i) * (value - start) : 0.0;
    count += value == value ? times(i) : 0.0;
  }
  range = {low, high, start, range.total + total, range.count + count};
}

template <typename Real>
SORB_DISPATCH void widen_plain(std::int64_t n, const Real* x, ColumnRange& range) {
  widen(n, [=](std::int64_t i) { return double(x[i]); }, [](std::int64_t) { return 1.0; }, range);
}

template <typename Real>
SORB_DISPATCH void widen_counted(std::int64_t n, const Real* x, const double* counts,
                                 ColumnRange& range) {
  widen(
      n, [=](std::int64_t i) { return counts[i] > 0 ? double(x[i]) : missing; },
      [=](std::int64_t i) { return counts[i]; }, range);
}

template <typename Real>
SORB_DISPATCH void add_steps(std::int64_t n, const Real* x, const KeyColumn& column,
                             std::int64_t* sums) {
  const double low = column.low, factor = column.factor;
  const std::uint64_t square = column.square, linear = column.linear;
  const int digit = column.digit;
  const auto add = [=](std::int64_t i, auto finer) {
    const double value = double(x[i]), place = (value - low) * factor + 0.5;
    const double inside = finer(std::min(largest_place, std::max(0.0, place)));  // 0 for NaN
    const auto step = std::uint64_t(std::int32_t(value == value ? inside : missing_step));
    const std::uint64_t added = (step * square + linear) * step;
    sums[i] += std::int64_t((added & key_limit) + (added >> 31));
  };
  if (digit == 0) {
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) add(i, [](double place) { return place; });
    return;
  }
  for (std::int64_t i = 0; i < n; ++i)
    add(i, [=](double place) {
      for (int k = 0; k < digit; ++k) place = (place - std::floor(place)) * steps_of_range;
      return place;
    });
}

}  // namespace

template <typename Real>
std::vector<ColumnRange> column_ranges(const TableView<Real>& table, const double* counts) {
  std::vector<ColumnRange> ranges(std::size_t(table.columns), {infinite, -infinite, missing, 0, 0});
  Packed<Real> packed(table);
  by_blocks(table.rows, table.columns, [&](std::int64_t start, std::int64_t end, int j) {
    const Real* x = packed(start, end, j);
    if (counts)
      widen_counted(end - start, x, counts + start, ranges[std::size_t(j)]);
    else
      widen_plain(end - start, x, ranges[std::size_t(j)]);
  });
  return ranges;
}

template <typename Real>
void add_to_keys(const TableView<Real>& table, const std::vector<KeyColumn>& columns,
                 std::int64_t* sums) {
  Packed<Real> packed(table);
  by_blocks(table.rows, int(columns.size()), [&](std::int64_t start, std::int64_t end, int k) {
    const KeyColumn& column = columns[std::size_t(k)];
    add_steps(end - start, packed(start, end, column.column), column, sums + start);
  });
}

template std::vector<ColumnRange> column_ranges(const TableView<float>&, const double*);
template std::vector<ColumnRange> column_ranges(const TableView<double>&, const double*);
template void add_to_keys(const TableView<float>&, const std::vector<KeyColumn>&, std::int64_t*);
template void add_to_keys(const TableView<double>&, const std::vector<KeyColumn>&, std::int64_t*);

}  // namespace sorb
