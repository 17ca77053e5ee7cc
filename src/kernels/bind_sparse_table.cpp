// Binds tables of which only some values are stored, and their reading.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <limits>
#include <tuple>

#include "bind.hpp"
#include "checks.hpp"
#include "sparse_table.hpp"
#include "table_hashes.hpp"

namespace sorb {
namespace {

template <typename Real>
SparseTable make_table(std::int64_t n, const Array<std::int64_t>& starts,
                       const Array<std::int32_t>& rows, const Array<Real>& values,
                       const std::optional<Array<Real>>& others) {
  require_at_least(n, 0, "n_rows");
  require(n <= std::numeric_limits<std::int32_t>::max(), "a sparse table has too many rows");
  require(starts.size() > 0, "starts must have one more entry than there are columns");
  const int d = int_of(starts.size() - 1, "columns");
  require_size(values.size(), rows.size(), "values");
  if (others) require_size(others->size(), std::size_t(d), "others");
  // Python must not change any more what was checked.
  const Buffer<std::int64_t> start = keep(starts);
  const Buffer<std::int32_t> row = keep(rows);
  require(start[0] == 0 && start[d] == std::int64_t(rows.size()),
          "starts must begin with 0 and end with the number of values");
  require_range(row.data(), row.size(), n, "rows");
  for (int j = 0; j < d; ++j) {
    require(start[j] <= start[j + 1] && start[j + 1] <= start[d], "starts must be ascending");
    for (std::int64_t k = start[j] + 1; k < start[j + 1]; ++k)
      require(row[k - 1] < row[k], "rows must be ascending within each column");
  }
  const Buffer<Real> other = others ? keep(*others) : Buffer<Real>(std::vector<Real>(d));
  return {SparseColumns<Real>{n, d, start, row, share(values), other}};
}

template <typename Real>
void construct_table(SparseTable* self, std::int64_t n, const Array<std::int64_t>& starts,
                     const Array<std::int32_t>& rows, const Array<Real>& values,
                     const std::optional<Array<Real>>& others) {
  new (self) SparseTable(make_table<Real>(n, starts, rows, values, others));
}

nb::object state_of(const SparseTable& self) {
  return std::visit(
      [](const auto& table) -> nb::object {
        return nb::make_tuple(table.n, view(table.starts), view(table.rows), view(table.values),
                              view(table.others));
      },
      self.columns);
}

template <typename Real>
void set_state_of(SparseTable& self, const nb::tuple& state) {
  construct_table<Real>(&self, nb::cast<std::int64_t>(state[0]),
                        nb::cast<Array<std::int64_t>>(state[1]),
                        nb::cast<Array<std::int32_t>>(state[2]), nb::cast<Array<Real>>(state[3]),
                        nb::cast<Array<Real>>(state[4]));
}

void set_state(SparseTable& self, const nb::tuple& state) {
  require(state.size() == 5, "the state of a sparse table has five parts");
  Array<float> floats;
  nb::try_cast(state[3], floats, false) ? set_state_of<float>(self, state)
                                        : set_state_of<double>(self, state);
}

nb::object column_of(const SparseTable& self, int j) {
  require_range(&j, 1, self.d(), "the column");
  return std::visit(
      [&](const auto& table) {
        using Real = std::decay_t<decltype(table.values[0])>;
        std::unique_ptr<Real[]> values(new Real[table.n]);
        expand(table, j, values.get());
        return nb::cast(give(std::move(values), std::size_t(table.n)));
      },
      self.columns);
}

RowNumbers row_numbers(const SparseTable& table, const Array<std::int64_t>& rows) {
  require_range(rows.data(), rows.size(), table.n(), "rows");
  return copy_of<RowNumbers>(rows);
}

SparseTable take_rows(const SparseTable& self, Array<std::int64_t> rows) {
  const RowNumbers chosen = row_numbers(self, rows);
  nb::gil_scoped_release release;
  return std::visit([&](const auto& table) { return SparseTable{take(table, chosen)}; },
                    self.columns);
}

auto sparse_canonical_table(const SparseTable& X, Array<double> y, Array<double> weight,
                            Array<std::int64_t> rows, double seconds) {
  require_size(y.size(), std::size_t(X.n()), "y");
  require_size(weight.size(), std::size_t(X.n()), "weight");
  const RowNumbers present = row_numbers(X, rows);
  CanonicalTable found;
  {
    const PatientCall patient(seconds);
    nb::gil_scoped_release release;
    found = std::visit(
        [&](const auto& table) { return canonical_table(table, y.data(), weight.data(), present); },
        X.columns);
  }
  return std::make_tuple(give(std::move(found.hashes)), give(std::move(found.columns)));
}

NewVector<std::uint64_t> sparse_identify_rows(const SparseTable& X, Array<std::int64_t> rows) {
  const RowNumbers present = row_numbers(X, rows);
  std::vector<std::uint64_t> hashes;
  {
    nb::gil_scoped_release release;
    hashes =
        std::visit([&](const auto& table) { return identify_rows(table, present); }, X.columns);
  }
  return give(std::move(hashes));
}

// Each column at most once.
std::vector<std::int64_t> column_numbers(const SparseTable& table,
                                         const Array<std::int64_t>& columns) {
  require_range(columns.data(), columns.size(), table.d(), "columns");
  auto numbers = copy_of<std::vector<std::int64_t>>(columns);
  places_of({numbers.begin(), numbers.end()}, table.d());
  return numbers;
}

auto bound_canonical_rows(const SparseTable& X, Array<double> y, Array<std::int64_t> rows,
                          Array<std::uint64_t> hashes, Array<std::int64_t> columns) {
  require_size(y.size(), std::size_t(X.n()), "y");
  require_size(hashes.size(), rows.size(), "hashes");
  const RowNumbers given = row_numbers(X, rows);
  const std::vector<std::int64_t> ranked = column_numbers(X, columns);
  CanonicalRows found;
  {
    nb::gil_scoped_release release;
    found = std::visit(
        [&](const auto& table) {
          return canonical_rows(table, y.data(), given, hashes.data(), ranked);
        },
        X.columns);
  }
  const std::size_t size = found.differs.size();
  std::unique_ptr<bool[]> differs(new bool[size]);
  std::copy(found.differs.begin(), found.differs.end(), differs.get());
  return std::make_tuple(give(std::move(found.order)), give(std::move(differs), size));
}

auto sparse_standardise(const SparseTable& X, Array<std::int64_t> rows, Array<std::int64_t> columns,
                        Array<double> weight, double seconds) {
  const std::size_t n = rows.size(), d = columns.size();
  require(n > 0, "there are no rows to standardise");
  require_size(weight.size(), n, "weight");
  require_amounts(weight.data(), n, "weight");
  require(std::any_of(weight.data(), weight.data() + n, [](double w) { return w > 0; }),
          "weight must not be zero everywhere");
  const RowNumbers chosen = row_numbers(X, rows);
  const std::vector<std::int64_t> kept = column_numbers(X, columns);
  std::vector<double> centre(d), scale(d);
  SparseTable Z = std::visit(
      [&](const auto& table) {
        require(std::all_of(table.others.begin(), table.others.end(),
                            [](auto other) { return other == 0; }),
                "only zeros may be left out of a table to standardise");
        const PatientCall patient(seconds);
        nb::gil_scoped_release release;
        return SparseTable{
            standardise(table, chosen, kept, weight.data(), centre.data(), scale.data())};
      },
      X.columns);
  return std::make_tuple(std::move(Z), give(std::move(centre)), give(std::move(scale)));
}

}  // namespace

void bind_sparse_table(nb::module_& m) {
  using namespace nb::literals;
  const auto part = [](auto of) {
    return [of](const SparseTable& self) {
      return std::visit([&](const auto& table) { return nb::cast(view(of(table))); }, self.columns);
    };
  };
  nb::class_<SparseTable>(m, "SparseTable")
      .def("__init__", &construct_table<double>, "n_rows"_a, "starts"_a, "rows"_a,
           "values"_a.noconvert(), "others"_a = nb::none())
      .def("__init__", &construct_table<float>, "n_rows"_a, "starts"_a, "rows"_a,
           "values"_a.noconvert(), "others"_a = nb::none())
      .def_prop_ro("shape",
                   [](const SparseTable& self) { return std::make_tuple(self.n(), self.d()); })
      .def("__len__", &SparseTable::n)
      .def_prop_ro("starts", part([](const auto& table) { return table.starts; }))
      .def_prop_ro("rows", part([](const auto& table) { return table.rows; }))
      .def_prop_ro("values", part([](const auto& table) { return table.values; }))
      .def_prop_ro("others", part([](const auto& table) { return table.others; }))
      .def("column", &column_of, "j"_a)
      .def("take", &take_rows, "rows"_a)
      .def("__getstate__", &state_of)
      .def("__setstate__", &set_state);
  m.def("canonical_table", &sparse_canonical_table, "X"_a, "y"_a, "weight"_a, "rows"_a,
        "seconds"_a = no_limit);
  m.def("identify_rows", &sparse_identify_rows, "X"_a, "rows"_a);
  m.def("canonical_rows", &bound_canonical_rows, "X"_a, "y"_a, "rows"_a, "hashes"_a, "columns"_a);
  m.def("standardise", &sparse_standardise, "X"_a, "rows"_a, "columns"_a, "weight"_a,
        "seconds"_a = no_limit);
}

}  // namespace sorb
