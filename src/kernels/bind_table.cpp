// Binds the reading of tables and the drawing of bags.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>

#include "bind.hpp"
#include "checks.hpp"
#include "hash.hpp"
#include "row_keys.hpp"
#include "table.hpp"
#include "table_hashes.hpp"

namespace sorb {
namespace {

template <typename Real>
TableView<Real> view_of(const Strided<Real>& X) {
  return {X.data(), std::int64_t(X.shape(0)), X.stride(0), X.stride(1),
          int_of(X.shape(1), "columns")};
}

template <typename Real>
auto bound_canonical_table(Strided<Real> X, Array<double> y, Array<double> weight,
                           Array<std::int64_t> rows, double seconds) {
  require_size(y.size(), X.shape(0), "y");
  require_size(weight.size(), X.shape(0), "weight");
  require_range(rows.data(), rows.size(), std::int64_t(X.shape(0)), "rows");
  const TableView<Real> table = view_of(X);
  CanonicalTable found;
  {
    const PatientCall patient(seconds);
    nb::gil_scoped_release release;
    found = canonical_table(table, y.data(), weight.data(), copy_of<RowNumbers>(rows));
  }
  return std::make_tuple(give(std::move(found.hashes)), give(std::move(found.columns)));
}

template <typename Real>
NewVector<std::uint64_t> bound_identify_rows(Strided<Real> X, Array<std::int64_t> rows) {
  require_range(rows.data(), rows.size(), std::int64_t(X.shape(0)), "rows");
  const TableView<Real> table = view_of(X);
  std::vector<std::uint64_t> hashes;
  {
    const PatientCall patient(no_limit);
    nb::gil_scoped_release release;
    hashes = identify_rows(table, copy_of<RowNumbers>(rows));
  }
  return give(std::move(hashes));
}

template <typename Real>
auto bound_copy_columns(Strided<Real> X, Array<std::int64_t> columns) {
  const std::size_t n = X.shape(0), d = columns.size();
  require_range(columns.data(), d, std::int64_t(X.shape(1)), "columns");
  const TableView<Real> table = view_of(X);
  double* values = new double[product_of(n, d)];
  nb::capsule owner(values, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  bool finite;
  {
    nb::gil_scoped_release release;
    finite = copy_columns(table, copy_of<std::vector<std::int64_t>>(columns), values);
  }
  return std::make_tuple(NewMatrix<double>(values, {d, n}, owner), finite);
}

template <typename Real>
auto bound_standardise(Strided<Real> X, Array<std::int64_t> rows, Array<std::int64_t> columns,
                       Array<double> weight, double seconds) {
  const std::size_t n = rows.size(), d = columns.size();
  require(n > 0, "there are no rows to standardise");
  require_range(rows.data(), n, std::int64_t(X.shape(0)), "rows");
  require_range(columns.data(), d, std::int64_t(X.shape(1)), "columns");
  require_size(weight.size(), n, "weight");
  require_amounts(weight.data(), n, "weight");
  require(std::any_of(weight.data(), weight.data() + n, [](double w) { return w > 0; }),
          "weight must not be zero everywhere");
  const TableView<Real> table = view_of(X);
  Real* Z = new Real[product_of(n, d)];
  nb::capsule owner(Z, [](void* p) noexcept { delete[] static_cast<Real*>(p); });
  std::vector<double> centre(d), scale(d);
  {
    const PatientCall patient(seconds);
    nb::gil_scoped_release release;
    standardise(table, copy_of<RowNumbers>(rows), copy_of<std::vector<std::int64_t>>(columns),
                weight.data(), Z, centre.data(), scale.data());
  }
  nb::ndarray<nb::numpy, Real, nb::ndim<2>, nb::f_contig> matrix(
      Z, {n, d}, owner, {std::int64_t(1), std::int64_t(n)});
  return std::make_tuple(matrix, give(std::move(centre)), give(std::move(scale)));
}

// The least and the largest known value of each column, their sum and their number.
template <typename Real>
auto bound_column_ranges(Strided<Real> X, const std::optional<Array<double>>& counts,
                         double seconds) {
  if (counts) require_size(counts->size(), X.shape(0), "counts");
  const TableView<Real> table = view_of(X);
  std::vector<ColumnRange> ranges;
  {
    const PatientCall patient(seconds);
    nb::gil_scoped_release release;
    ranges = column_ranges(table, counts ? counts->data() : nullptr);
  }
  std::vector<double> low, high, excess;
  for (const ColumnRange& range : ranges) {
    low.push_back(range.low);
    high.push_back(range.high);
    excess.push_back(range.excess());
  }
  return std::make_tuple(give(std::move(low)), give(std::move(high)), give(std::move(excess)));
}

template <typename Real>
NewVector<std::int64_t> bound_key_sums(Strided<Real> X, Array<std::int64_t> columns,
                                       Array<double> low, Array<double> factor,
                                       Array<std::int64_t> square, Array<std::int64_t> linear,
                                       int digit) {
  const std::size_t d = columns.size();
  require(digit >= 0 && digit < key_digits, "digit must be 0, 1 or 2");
  require_range(columns.data(), d, std::int64_t(X.shape(1)), "columns");
  require_size(low.size(), d, "low");
  require_size(factor.size(), d, "factor");
  require_size(square.size(), d, "square");
  require_size(linear.size(), d, "linear");
  require_range(square.data(), d, std::int64_t(1) << 21, "square");
  require_range(linear.data(), d, std::int64_t(key_limit), "linear");
  std::vector<KeyColumn> added;
  for (std::size_t k = 0; k < d; ++k)
    added.push_back({columns.data()[k], low.data()[k], factor.data()[k], digit,
                     std::uint64_t(square.data()[k]), std::uint64_t(linear.data()[k])});
  const TableView<Real> table = view_of(X);
  std::vector<std::int64_t> sums(X.shape(0));
  {
    nb::gil_scoped_release release;
    add_to_keys(table, added, sums.data());
  }
  return give(std::move(sums));
}

auto bound_draw_bag(Array<std::uint64_t> hashes, Array<double> weight, Array<std::int64_t> pieces,
                    std::uint64_t seed, std::uint64_t turn) {
  const std::size_t n = hashes.size();
  require_size(weight.size(), n, "weight");
  require_size(pieces.size(), n, "pieces");
  require_range(pieces.data(), n, std::int64_t(1) << 31, "pieces");
  BagWeights bag;
  {
    nb::gil_scoped_release release;
    bag = draw_bag(hashes.data(), weight.data(), pieces.data(), n, seed, turn);
  }
  return std::make_tuple(give(std::move(bag.training)), give(std::move(bag.validation)));
}

NewVector<std::uint64_t> bound_scramble(Array<std::uint64_t> hashes, std::uint64_t salt) {
  auto out = copy_of<std::vector<std::uint64_t>>(hashes);
  for (std::uint64_t& hash : out) hash = mix(hash ^ mix(salt));
  return give(std::move(out));
}

}  // namespace

void bind_table(nb::module_& m) {
  using namespace nb::literals;
  define_for_reals(
      m, "canonical_table", [](auto real) { return &bound_canonical_table<decltype(real)>; }, "X"_a,
      "y"_a, "weight"_a, "rows"_a, "seconds"_a = no_limit);
  define_for_reals(
      m, "identify_rows", [](auto real) { return &bound_identify_rows<decltype(real)>; }, "X"_a,
      "rows"_a);
  define_for_reals(
      m, "copy_columns", [](auto real) { return &bound_copy_columns<decltype(real)>; }, "X"_a,
      "columns"_a);
  define_for_reals(
      m, "standardise", [](auto real) { return &bound_standardise<decltype(real)>; }, "X"_a,
      "rows"_a, "columns"_a, "weight"_a, "seconds"_a = no_limit);
  define_for_reals(
      m, "column_ranges", [](auto real) { return &bound_column_ranges<decltype(real)>; }, "X"_a,
      "counts"_a.none(), "seconds"_a = no_limit);
  define_for_reals(
      m, "key_sums", [](auto real) { return &bound_key_sums<decltype(real)>; }, "X"_a, "columns"_a,
      "low"_a, "factor"_a, "square"_a, "linear"_a, "digit"_a);
  m.def("draw_bag", &bound_draw_bag, "hashes"_a, "weight"_a, "pieces"_a, "seed"_a, "turn"_a);
  m.def("scramble", &bound_scramble, "hashes"_a, "salt"_a);
}

}  // namespace sorb
