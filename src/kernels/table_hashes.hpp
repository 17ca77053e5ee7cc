// Hashes of the rows and columns of a table by their contents.
//
// A value counts by its place in its column's range, so scaling or shifting a column changes no
// hash. Constant columns, and those without any known value, count for nothing.
#pragma once
#include <cstdint>
#include <vector>

#include "row_numbers.hpp"
#include "sparse_columns.hpp"
#include "table.hpp"

namespace sorb {

// Hashes of some rows, and the columns that vary among them in an order given by their own hashes.
struct CanonicalTable {
  std::vector<std::uint64_t> hashes;
  std::vector<std::int64_t> columns;
};

// Depends neither on the order of the rows nor on that of the columns; a weight of k is k copies of
// a row. Columns are told apart by their values, along with the outcomes, the weights and whatever
// else is in the same rows. Those that nothing tells apart stay in their order, and rows that
// differ in such columns alone may have the same hash.
template <typename Real>
CanonicalTable canonical_table(const TableView<Real>& table, const double* y, const double* weight,
                               const RowNumbers& rows);
// The same for a table of which only some values are stored; each row is given only once.
template <typename Real>
CanonicalTable canonical_table(const SparseColumns<Real>& table, const double* y,
                               const double* weight, const RowNumbers& rows);

// Hashes that are equal for rows with the same values in the same columns.
template <typename Real>
std::vector<std::uint64_t> identify_rows(const TableView<Real>& table, const RowNumbers& rows);
template <typename Real>
std::vector<std::uint64_t> identify_rows(const SparseColumns<Real>& table, const RowNumbers& rows);

}  // namespace sorb
