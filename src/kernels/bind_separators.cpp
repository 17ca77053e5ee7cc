// Binds the learning of sparse separators.
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bind.hpp"
#include "checks.hpp"
#include "separator.hpp"

namespace sorb {
namespace {

// The given rows of Z as a problem; the label of a row is the sign of its weighted gradient.
template <typename Real>
Region<Real> region_of(const Columns<Real>& Z, const Array<std::int64_t>& rows,
                       const Array<double>& weighted_gradient, int size) {
  const std::int64_t n = std::int64_t(Z.shape(0));
  require_range(rows.data(), rows.size(), n, "rows");
  require_ascending(rows.data(), rows.size(), "rows");
  require_size(weighted_gradient.size(), std::size_t(n), "weighted_gradient");
  require_at_least(size, 1, "the number of columns");
  const int d = int_of(Z.shape(1), "columns");
  return Region<Real>({share(Z), n, d}, 0, d,
                      std::make_shared<RowNumbers>(copy_of<RowNumbers>(rows)),
                      weighted_gradient.data(), true);
}

template <typename Real>
std::vector<PathSolution> bound_lasso_path(Columns<Real> Z, Array<std::int64_t> rows,
                                           Array<double> weighted_gradient, int max_size) {
  nb::gil_scoped_release release;
  return lasso_path(region_of(Z, rows, weighted_gradient, max_size), max_size);
}

template <typename Real>
std::vector<Separator> bound_separators(Columns<Real> Z, Array<std::int64_t> rows,
                                        Array<double> weighted_gradient, int max_size) {
  nb::gil_scoped_release release;
  return SeparatorPath<Real>(region_of(Z, rows, weighted_gradient, max_size), false)
      .up_to(int(std::min(std::size_t(max_size), Z.shape(1))));
}

template <typename Real>
std::vector<Separator> bound_separators_of_size(Columns<Real> Z, Array<std::int64_t> rows,
                                                Array<double> weighted_gradient, int size) {
  nb::gil_scoped_release release;
  return SeparatorPath<Real>(region_of(Z, rows, weighted_gradient, size), false)
      .of_size(size, false);
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
  define_for_reals(
      m, "lasso_path", [](auto real) { return &bound_lasso_path<decltype(real)>; }, "Z"_a, "rows"_a,
      "weighted_gradient"_a, "max_size"_a);
  // Bound for the tests, which check them on their own; the searches call them within the kernels.
  define_for_reals(
      m, "separators", [](auto real) { return &bound_separators<decltype(real)>; }, "Z"_a, "rows"_a,
      "weighted_gradient"_a, "max_size"_a);
  define_for_reals(
      m, "separators_of_size", [](auto real) { return &bound_separators_of_size<decltype(real)>; },
      "Z"_a, "rows"_a, "weighted_gradient"_a, "size"_a);
}

}  // namespace sorb
