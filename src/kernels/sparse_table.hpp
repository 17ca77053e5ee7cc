// Reading a table of which only some values are stored: rows in canonical order, standardised
// columns.
#pragma once
#include <cstdint>
#include <vector>

#include "row_numbers.hpp"
#include "sparse_columns.hpp"

namespace sorb {

// Rows by their hashes and, among equal hashes, by outcome and values; and which of them differ
// from the previous one.
struct CanonicalRows {
  std::vector<std::int64_t> order;
  std::vector<std::uint8_t> differs;
};

// Sorts rows with the same hash, which is given for each of them in ascending order, by their
// outcomes and then by their values in these columns. Missing values come last.
template <typename Real>
CanonicalRows canonical_rows(const SparseColumns<Real>& table, const double* y,
                             const RowNumbers& rows, const std::uint64_t* hashes,
                             const std::vector<std::int64_t>& columns);

// The columns of a table in another order, of some rows and standardised with row weights, exactly
// as if all values were stored.
template <typename Real>
SparseColumns<Real> standardise(const SparseColumns<Real>& table, const RowNumbers& rows,
                                const std::vector<std::int64_t>& columns, const double* weight,
                                double* centre, double* scale);

}  // namespace sorb
