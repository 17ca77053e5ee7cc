// Reading the user's table: its columns, as they are or standardised, and bags.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "hash.hpp"
#include "patience.hpp"
#include "row_numbers.hpp"

namespace sorb {

// A table with any strides, counted in values.
template <typename Real>
struct TableView {
  const Real* data;
  std::int64_t rows, row_stride, column_stride;
  int columns;
  double at(std::int64_t i, std::int64_t j) const {
    return double(data[i * row_stride + j * column_stride]);
  }
};

constexpr std::int64_t rows_at_a_time = 32;

// Calls visit(start, end, j) for each column of each block of rows that are read together, so that
// any layout of the table is read efficiently. Ends early if patience does.
template <typename Visit>
void by_blocks(std::int64_t n, int d, Visit visit) {
  constexpr std::int64_t between_checks = 128 * rows_at_a_time;
  for (std::int64_t start = 0; start < n; start += rows_at_a_time) {
    if (start % between_checks == 0) require_patience();
    for (int j = 0; j < d; ++j) visit(start, std::min(start + rows_at_a_time, n), j);
  }
}

// Copies some columns, one after the other. Returns whether all their values are finite.
template <typename Real>
bool copy_columns(const TableView<Real>& table, const std::vector<std::int64_t>& columns,
                  double* out);

// Copies some columns of some rows into a column-major matrix and standardises them in place, with
// row weights; a constant column becomes zero. Column j is then (x - centre_j) / scale_j, where x
// is column columns[j] of the table.
template <typename Real>
void standardise(const TableView<Real>& table, const RowNumbers& rows,
                 const std::vector<std::int64_t>& columns, const double* weight, Real* Z,
                 double* centre, double* scale);

// The weight of each row in the training rows (in the bag) and in the validation rows (out of it).
struct BagWeights {
  std::vector<double> training, validation;
};

// Draws a bag. Row i stands for pieces[i] observations of equal weight. How often each is in the
// bag is a Poisson(1) count, drawn from the row's hash, the seed and the turn.
BagWeights draw_bag(const std::uint64_t* hashes, const double* weight, const std::int64_t* pieces,
                    std::size_t n, std::uint64_t seed, std::uint64_t turn);

}  // namespace sorb
