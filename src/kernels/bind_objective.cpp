// Binds the objectives and the projection off the span of the rules so far.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bind.hpp"
#include "checks.hpp"
#include "objective.hpp"
#include "span.hpp"

namespace sorb {
namespace {

void make_objective(Objective* self, ObjectiveKind kind, double ridge, Array<double> gain,
                    Array<double> mass, const std::optional<Span>& span) {
  require_size(mass.size(), gain.size(), "mass");
  const bool orthogonal = kind == ObjectiveKind::orthogonal;
  require(span.has_value() ? orthogonal || kind == ObjectiveKind::second_order : !orthogonal,
          "the orthogonal objective needs a span, which only the second-order one may also have");
  if (span) require_size(span->pattern.size(), gain.size(), "the span");
  require_amounts(&ridge, 1, "ridge");
  new (self) Objective{kind, ridge, share(gain), share(mass), span};
}

double bound_score(const Objective& objective, Array<std::int64_t> rows, int sign) {
  require_range(rows.data(), rows.size(), std::int64_t(objective.gain.size()), "rows");
  require_sign(sign);
  nb::gil_scoped_release release;
  return objective.score(copy_of<RowNumbers>(rows), sign);
}

std::optional<Cut> bound_best_cut(const Objective& objective, Array<std::int64_t> rows,
                                  Array<double> projection, int sign) {
  require_range(rows.data(), rows.size(), std::int64_t(objective.gain.size()), "rows");
  require_size(projection.size(), rows.size(), "projection");
  require_sign(sign);
  nb::gil_scoped_release release;
  return objective.best_cut(copy_of<RowNumbers>(rows), copy_of<RowValues>(projection), sign);
}

auto bound_project_off(Table<std::uint8_t> table, Array<std::int32_t> pattern, Array<double> weight,
                       Array<double> weighted_gradient) {
  const int P = int_of(table.shape(0), "patterns"), r = int_of(table.shape(1), "rules");
  const std::size_t n = pattern.size();
  require_range(pattern.data(), n, P, "pattern");
  require_size(weight.size(), n, "weight");
  require_size(weighted_gradient.size(), n, "weighted_gradient");
  OffSpan found;
  {
    nb::gil_scoped_release release;
    found = project_off(P, r, table.data(), keep(pattern), weight.data(), weighted_gradient.data());
  }
  return std::make_tuple(give(std::move(found.gain)), std::move(found.span));
}

}  // namespace

void bind_objective(nb::module_& m) {
  using namespace nb::literals;
  nb::enum_<ObjectiveKind>(m, "ObjectiveKind")
      .value("gradient_sum", ObjectiveKind::gradient_sum)
      .value("gradient_boosting", ObjectiveKind::gradient_boosting)
      .value("second_order", ObjectiveKind::second_order)
      .value("orthogonal", ObjectiveKind::orthogonal);
  nb::class_<Span>(m, "Span");
  nb::class_<Cut>(m, "Cut").def_ro("threshold", &Cut::threshold).def_ro("value", &Cut::value);
  nb::class_<Objective>(m, "Objective")
      .def("__init__", &make_objective, "kind"_a, "ridge"_a, "gain"_a, "mass"_a,
           "span"_a = nb::none())
      .def("score", &bound_score, "rows"_a, "sign"_a)
      // Bound for the tests; the searches cut, and read these arrays, within the kernels.
      .def_ro("ridge", &Objective::ridge)
      .def_prop_ro(
          "gain", [](const Objective& o) { return view(o.gain); }, shared)
      .def_prop_ro(
          "mass", [](const Objective& o) { return view(o.mass); }, shared)
      .def("best_cut", &bound_best_cut, "rows"_a, "projection"_a, "sign"_a);
  m.def("project_off", &bound_project_off, "table"_a, "pattern"_a, "weight"_a,
        "weighted_gradient"_a);
}

}  // namespace sorb
