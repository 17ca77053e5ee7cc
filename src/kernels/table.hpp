// Reading the user's table: hashes of the rows' contents, standardised columns, and bags.
#pragma once
#include <cstdint>
#include <vector>

#include "hash.hpp"
#include "row_numbers.hpp"

namespace sorb {

// A table with any strides, counted in values.
template <typename Real>
struct TableView {
  const Real* data;
  std::int64_t rows, row_stride, column_stride;
  int columns;
  double at(std::int64_t i, int j) const {
    return double(data[i * row_stride + j * column_stride]);
  }
};

// Adds to each hash the scrambled contents of one row. A value counts by its place in its column's
// range, in grains of 2^-26 of it that are shifted by an irrational part of a grain: so scaling
// or shifting a column does not change its hashes, in spite of rounding.
template <typename Real>
void add_hashes(const TableView<Real>& table, const RowNumbers& rows, std::uint64_t salt,
                std::vector<std::uint64_t>& hashes);

// Copies some rows into a column-major matrix and standardises its columns in place, with row
// weights; a constant column becomes zero. Column j is then (x_j - centre_j) / scale_j.
template <typename Real>
void standardise(const TableView<Real>& table, const RowNumbers& rows, const double* weight,
                 Real* Z, double* centre, double* scale);

// The weight of each row in the training rows (in the bag) and in the validation rows (out of it).
struct BagWeights {
  std::vector<double> training, validation;
};

// Draws a bag. Row i stands for pieces[i] observations of equal weight. How often each is in the
// bag is a Poisson(1) count, drawn from the row's hash, the seed and the turn.
BagWeights draw_bag(const std::uint64_t* hashes, const double* weight, const std::int64_t* pieces,
                    std::size_t n, std::uint64_t seed, std::uint64_t turn);

}  // namespace sorb
