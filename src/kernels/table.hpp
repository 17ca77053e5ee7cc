// Reading the user's table: hashes of the rows' contents, and standardised columns.
#pragma once
#include <cstdint>
#include <vector>

namespace sorb {

// A table with any strides, counted in numbers.
template <typename Real>
struct TableView {
  const Real* data;
  std::int64_t rows, row_stride, column_stride;
  int columns;
  double at(std::int64_t i, int j) const { return double(data[i * row_stride + j * column_stride]); }
};

// Scrambles 64 bits (the finaliser of SplitMix64).
inline std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

// Adds to each hash the scrambled contents of one row. A value counts by its place in its column's
// range, in grains of 2^-26 of it that are shifted by an irrational part of a grain: so a stretched
// or shifted column hashes alike, rounding errors notwithstanding.
template <typename Real>
void add_hashes(const TableView<Real>& table, const std::vector<std::int64_t>& rows,
                std::uint64_t salt, std::vector<std::uint64_t>& hashes);

// Copies some rows into a column-major matrix and standardises its columns in place, with row
// weights; a constant column becomes zero. Column j is then (x_j - centre_j) / scale_j.
template <typename Real>
void standardise(const TableView<Real>& table, const std::vector<std::int64_t>& rows,
                 const double* weight, Real* Z, double* centre, double* scale);

// A Poisson(1) count drawn from a scrambled hash.
int poisson_count(std::uint64_t hash);

}  // namespace sorb
