// The standardised columns that Python hands over: doubles, floats, or some values of either.
#pragma once
#include <nanobind/stl/variant.h>

#include <type_traits>
#include <variant>

#include "bind.hpp"
#include "checks.hpp"
#include "column_table.hpp"

namespace sorb {

using AnyTable = std::variant<Columns<double>, Columns<float>, SparseTable>;

template <typename Real>
ColumnTable<Real> columns_of(const Columns<Real>& Z) {
  return {share(Z), std::int64_t(Z.shape(0)), int_of(Z.shape(1), "columns")};
}

// Calls a function with the columns of a table.
template <typename Call>
auto with_columns(const AnyTable& Z, Call call) {
  if (const SparseTable* sparse = std::get_if<SparseTable>(&Z))
    return std::visit([&](const auto& columns) { return call(ColumnTable(columns)); },
                      sparse->columns);
  if (const Columns<float>* floats = std::get_if<Columns<float>>(&Z))
    return call(columns_of(*floats));
  return call(columns_of(std::get<Columns<double>>(Z)));
}

}  // namespace sorb
