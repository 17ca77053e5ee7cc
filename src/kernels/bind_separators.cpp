// Binds the learning of sparse separators.
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bind_columns.hpp"
#include "bounded_minimum.hpp"
#include "checks.hpp"
#include "separator.hpp"

namespace sorb {
namespace {

// For each column, which sign of its weight is ruled out, if any; empty if none is.
using Direction = std::vector<int>;

// The given rows of Z as a problem; the label of a row is the sign of its weighted gradient.
template <typename Real>
Region<Real> region_of(ColumnTable<Real> Z, const Array<std::int64_t>& rows,
                       const Array<double>& weighted_gradient, int size,
                       const Direction& direction) {
  const std::int64_t n = Z.n;
  const int d = Z.d;
  require_range(rows.data(), rows.size(), n, "rows");
  require_ascending(rows.data(), rows.size(), "rows");
  require_size(weighted_gradient.size(), std::size_t(n), "weighted_gradient");
  require_at_least(size, 1, "the number of columns");
  if (!direction.empty()) require_size(direction.size(), std::size_t(d), "direction");
  Region<Real> region(std::move(Z), 0, d, std::make_shared<RowNumbers>(copy_of<RowNumbers>(rows)),
                      weighted_gradient.data(), true);
  region.limits.limits.direction = direction;
  return region;
}

std::vector<PathSolution> bound_lasso_path(const AnyTable& Z, Array<std::int64_t> rows,
                                           Array<double> weighted_gradient, int max_size,
                                           const Direction& direction) {
  return with_columns(Z, [&](auto table) {
    nb::gil_scoped_release release;
    return lasso_path(region_of(std::move(table), rows, weighted_gradient, max_size, direction),
                      max_size);
  });
}

std::vector<Separator> bound_separators(const AnyTable& Z, Array<std::int64_t> rows,
                                        Array<double> weighted_gradient, int max_size,
                                        const Direction& direction) {
  return with_columns(Z, [&](auto table) {
    nb::gil_scoped_release release;
    const int most = std::min(max_size, table.d);
    return SeparatorPath(region_of(std::move(table), rows, weighted_gradient, max_size, direction),
                         false)
        .up_to(most);
  });
}

std::vector<Separator> bound_separators_of_size(const AnyTable& Z, Array<std::int64_t> rows,
                                                Array<double> weighted_gradient, int size,
                                                const Direction& direction) {
  return with_columns(Z, [&](auto table) {
    nb::gil_scoped_release release;
    return SeparatorPath(region_of(std::move(table), rows, weighted_gradient, size, direction),
                         false)
        .of_size(size, false);
  });
}

std::vector<double> bound_minimum(const std::vector<double>& x, const std::vector<double>& gradient,
                                  const std::vector<double>& hessian,
                                  const std::vector<double>& lower,
                                  const std::vector<double>& upper) {
  require_size(gradient.size(), x.size(), "gradient");
  require_size(hessian.size(), x.size() * x.size(), "hessian");
  require_size(lower.size(), x.size(), "lower");
  require_size(upper.size(), x.size(), "upper");
  for (std::size_t m = 0; m < x.size(); ++m)
    require(lower[m] <= x[m] && x[m] <= upper[m], "x must be within the bounds");
  return bounded_minimum(x, gradient, hessian, {lower, upper});
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
  m.def("lasso_path", &bound_lasso_path, "Z"_a, "rows"_a, "weighted_gradient"_a, "max_size"_a,
        "direction"_a = Direction());
  // Bound for the tests, which check them on their own; the searches call them within the kernels.
  m.def("separators", &bound_separators, "Z"_a, "rows"_a, "weighted_gradient"_a, "max_size"_a,
        "direction"_a = Direction());
  m.def("separators_of_size", &bound_separators_of_size, "Z"_a, "rows"_a, "weighted_gradient"_a,
        "size"_a, "direction"_a = Direction());
  m.def("bounded_minimum", &bound_minimum, "x"_a, "gradient"_a, "hessian"_a, "lower"_a, "upper"_a);
}

}  // namespace sorb
