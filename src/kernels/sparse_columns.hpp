// Tables of which most values are the same within each column, such as zero.
#pragma once
#include <cstdint>

#include "buffer.hpp"
#include "row_numbers.hpp"

namespace sorb {

// Columns of which only some values are stored; all others of a column are the same. Copying it
// copies no values.
template <typename Real>
struct SparseColumns {
  std::int64_t n;               // rows
  int d;                        // columns
  Buffer<std::int64_t> starts;  // of each column among the stored values, and the end
  Buffer<std::int32_t> rows;    // of each stored value, ascending within a column
  Buffer<Real> values;          // that are stored
  Buffer<Real> others;          // the value of each column that is not stored

  std::size_t begin(int j) const { return std::size_t(starts[j]); }
  std::size_t end(int j) const { return std::size_t(starts[j + 1]); }
};

// Writes all values of a column.
template <typename Real>
void expand(const SparseColumns<Real>& table, int j, Real* out);

// The table of some rows, in the given order, each only once.
template <typename Real>
SparseColumns<Real> take(const SparseColumns<Real>& table, const RowNumbers& rows);

// For each row of a table, its place in a list of rows; -1 if it is not there. Throws if a row is
// there more than once.
Temporary<std::int32_t> places_of(const RowNumbers& rows, std::int64_t n);

// The dot products of columns first … end - 1 with two vectors, whose values are paired.
template <typename Real>
void two_dots(const SparseColumns<Real>& table, int first, int end, const double* pairs,
              const double totals[2], double* out);

// For columns first … end - 1, the sums of v·(x - other) and v·(x - other)².
template <typename Real>
void moments(const SparseColumns<Real>& table, int first, int end, const double* v, double* out);

// Columns that are worth a task of their own.
constexpr int columns_per_task = 128;

}  // namespace sorb
