// Binds the learning of sparse separators.
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bind_columns.hpp"
#include "checks.hpp"
#include "separator.hpp"

namespace sorb {
namespace {

// The given rows of Z as a problem; the label of a row is the sign of its weighted gradient.
template <typename Real>
Region<Real> region_of(ColumnTable<Real> Z, const Array<std::int64_t>& rows,
                       const Array<double>& weighted_gradient, int size) {
  const std::int64_t n = Z.n;
  const int d = Z.d;
  require_range(rows.data(), rows.size(), n, "rows");
  require_ascending(rows.data(), rows.size(), "rows");
  require_size(weighted_gradient.size(), std::size_t(n), "weighted_gradient");
  require_at_least(size, 1, "the number of columns");
  return Region<Real>(std::move(Z), 0, d, std::make_shared<RowNumbers>(copy_of<RowNumbers>(rows)),
                      weighted_gradient.data(), true);
}

std::vector<PathSolution> bound_lasso_path(const AnyTable& Z, Array<std::int64_t> rows,
                                           Array<double> weighted_gradient, int max_size) {
  return with_columns(Z, [&](auto table) {
    nb::gil_scoped_release release;
    return lasso_path(region_of(std::move(table), rows, weighted_gradient, max_size), max_size);
  });
}

std::vector<Separator> bound_separators(const AnyTable& Z, Array<std::int64_t> rows,
                                        Array<double> weighted_gradient, int max_size) {
  return with_columns(Z, [&](auto table) {
    nb::gil_scoped_release release;
    const int most = std::min(max_size, table.d);
    return SeparatorPath(region_of(std::move(table), rows, weighted_gradient, max_size), false)
        .up_to(most);
  });
}

std::vector<Separator> bound_separators_of_size(const AnyTable& Z, Array<std::int64_t> rows,
                                                Array<double> weighted_gradient, int size) {
  return with_columns(Z, [&](auto table) {
    nb::gil_scoped_release release;
    return SeparatorPath(region_of(std::move(table), rows, weighted_gradient, size), false)
        .of_size(size, false);
  });
}

}  // namespace

void bind_separators(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<Separator>(m, "Separator")
      .def_ro("support", &Separator::support)
      .def_ro("weights", &Separator::weights)
      .def_ro("intercept", &Separator::intercept);
  nb::class_<PathSolution, Separator>(m, "PathSolution")
      .def_ro("penalty", &PathSolution::penalty)
      .def_ro("passes", &PathSolution::passes);
  m.def("lasso_path", &bound_lasso_path, "Z"_a, "rows"_a, "weighted_gradient"_a, "max_size"_a);
  // Bound for the tests, which check them on their own; the searches call them within the kernels.
  m.def("separators", &bound_separators, "Z"_a, "rows"_a, "weighted_gradient"_a, "max_size"_a);
  m.def("separators_of_size", &bound_separators_of_size, "Z"_a, "rows"_a, "weighted_gradient"_a,
        "size"_a);
}

}  // namespace sorb
