// The standardised columns that a search reads, all of their values or some of them stored.
#pragma once
#include <cstdint>
#include <optional>
#include <utility>

#include "buffer.hpp"
#include "kept_memory.hpp"
#include "sparse_columns.hpp"

namespace sorb {

// A column-major matrix, or columns of which only some values are stored: most searches look at all
// values of few columns alone, and pass over those that are stored of all others.
template <typename Real>
class ColumnTable {
 public:
  ColumnTable(Buffer<Real> values, std::int64_t n, int d)
      : n(n), d(d), values_(std::move(values)) {}
  explicit ColumnTable(SparseColumns<Real> table)
      : n(table.n), d(table.d), sparse_(std::move(table)) {}

  std::int64_t n;  // rows
  int d;           // columns

  // The stored values, if not all of them are.
  const SparseColumns<Real>* sparse() const { return sparse_ ? &*sparse_ : nullptr; }

  // All values of a column, which are written into the room if they have no place of their own.
  const Real* column(int j, UnsetTemporary<Real>& room) const {
    if (!sparse_) return values_.data() + std::size_t(j) * std::size_t(n);
    room.resize(std::size_t(n));
    expand(*sparse_, j, room.data());
    return room.data();
  }

 private:
  Buffer<Real> values_;
  std::optional<SparseColumns<Real>> sparse_;
};

}  // namespace sorb
