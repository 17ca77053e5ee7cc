// Binds the searches, what they know about the columns, and what they find.
#include <nanobind/operators.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "axis_search.hpp"
#include "bind_columns.hpp"
#include "checks.hpp"
#include "division.hpp"
#include "oblique_search.hpp"
#include "patience.hpp"

namespace sorb {
namespace {

using LevelChains = std::vector<std::vector<Level>>;

void make_half_space(HalfSpace* self, std::vector<int> columns, std::vector<double> weights,
                     double threshold, bool covers_missing) {
  require_size(weights.size(), columns.size(), "weights");
  new (self) HalfSpace{std::move(columns), std::move(weights), threshold, covers_missing};
}

void make_category_column(CategoryColumn* self, Array<std::int32_t> codes, int n_categories) {
  require_range(&n_categories, 1, std::numeric_limits<int>::max(), "n_categories");
  // The number after the last one stands for "missing".
  require_range(codes.data(), codes.size(), std::int64_t(n_categories) + 1, "codes");
  new (self) CategoryColumn{keep(codes), n_categories};
}

void make_column_info(ColumnInfo* self, const std::map<int, Array<bool>>& missing,
                      std::vector<CategoryColumn> categories, std::optional<int> first_logarithm,
                      std::optional<Array<double>> scale, std::vector<int> direction,
                      std::optional<AllowedSets> allowed) {
  for (const auto& [column, values] : missing)
    require_flags(values.data(), values.size(), "missing");
  if (scale) require_amounts(scale->data(), scale->size(), "scale");
  new (self) ColumnInfo{{},
                        std::move(categories),
                        first_logarithm,
                        {},
                        {std::move(direction), allowed.value_or(AllowedSets())}};
  for (const auto& [column, values] : missing) self->missing.emplace(column, keep(values));
  if (scale) self->scale = keep(*scale);
}

std::map<int, View<bool>> missing_of(const ColumnInfo& info) {
  std::map<int, View<bool>> out;
  for (const auto& [column, values] : info.missing) out.emplace(column, view(values));
  return out;
}

void check(const ColumnInfo& info, std::size_t n, int d) {
  for (const auto& [column, missing] : info.missing) {
    require_range(&column, 1, d, "columns with missing values");
    require_size(missing.size(), n, "missing");
  }
  for (const CategoryColumn& column : info.categories)
    require_size(column.codes.size(), n, "codes");
  if (info.first_logarithm)
    require_range(&*info.first_logarithm, 1, std::int64_t(d) + 1, "first_logarithm");
  if (info.scale) require_size(info.scale->size(), std::size_t(d), "scale");
  const auto& [direction, allowed] = info.limits;
  if (!direction.empty()) require_size(direction.size(), std::size_t(d), "direction");
  if (!allowed.source.empty())
    require_size(allowed.source.size(), std::size_t(d) + info.categories.size(), "source");
}

// The rows of the bag: those with a weight.
SharedRowNumbers rows_with_weight(const Array<double>& weight) {
  const double *first = weight.data(), *last = first + weight.size();
  auto rows = std::make_shared<RowNumbers>(weight.size() - std::size_t(std::count(first, last, 0)));
  auto next = rows->begin();
  for (const double* w = first; w != last; ++w)
    if (*w != 0) *next++ = w - first;
  return rows;
}

// The bag consists of the rows whose weight, alone or times the gradient, is not zero.
template <typename Real>
SearchProblem<Real> problem_of(ColumnTable<Real> Z, const Objective& objective,
                               const Array<double>& weight, const char* name_of_weight,
                               const std::optional<ColumnInfo>& columns) {
  const std::int64_t n = Z.n;
  const int d = Z.d;
  require_size(objective.gain.size(), std::size_t(n), "the objective");
  require_size(weight.size(), std::size_t(n), name_of_weight);
  if (columns) check(*columns, std::size_t(n), d);
  return {std::move(Z), n,  d,  rows_with_weight(weight),
          objective,    {}, {}, columns ? *columns : ColumnInfo()};
}

LevelChains bound_oblique_levels(const AnyTable& Z, const Objective& objective,
                                 const std::optional<Objective>& cutter,
                                 Array<double> weighted_gradient, int max_weights, Steps steps,
                                 int threads, const std::optional<ColumnInfo>& columns,
                                 double seconds) {
  return with_columns(Z, [&](auto table) {
    auto problem =
        problem_of(std::move(table), objective, weighted_gradient, "weighted_gradient", columns);
    if (cutter) require_size(cutter->gain.size(), std::size_t(problem.n), "the cutter");
    problem.cutter = cutter;
    problem.weighted_gradient = share(weighted_gradient);
    const MemoryKeeper keeper;
    const PatientCall patient(seconds);
    nb::gil_scoped_release release;
    return oblique_levels(problem, max_weights, steps, threads);
  });
}

LevelChains bound_axis_levels(const AnyTable& Z, const Objective& objective, Array<double> weight,
                              int max_weights, int threads,
                              const std::optional<ColumnInfo>& columns, double seconds) {
  return with_columns(Z, [&](auto table) {
    const auto problem = problem_of(std::move(table), objective, weight, "weight", columns);
    const MemoryKeeper keeper;
    const PatientCall patient(seconds);
    nb::gil_scoped_release release;
    return axis_levels(problem, max_weights, threads);
  });
}

void bind_propositions(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<HalfSpace>(m, "HalfSpace")
      .def("__init__", &make_half_space, "columns"_a, "weights"_a, "threshold"_a,
           "covers_missing"_a = false)
      .def_ro("columns", &HalfSpace::columns)
      .def_ro("weights", &HalfSpace::weights)
      .def_ro("threshold", &HalfSpace::threshold)
      .def_ro("covers_missing", &HalfSpace::covers_missing)
      .def(nb::self == nb::self)
      .def("__repr__", [](const HalfSpace& half) {
        return nb::str("HalfSpace({}, {}, {}, {})")
            .format(half.columns, half.weights, half.threshold, half.covers_missing);
      });
  nb::class_<CategorySet>(m, "CategorySet")
      .def_ro("column", &CategorySet::column)
      .def_ro("categories", &CategorySet::categories)
      .def_ro("negated", &CategorySet::negated)
      .def_ro("covers_missing", &CategorySet::covers_missing)
      .def(nb::self == nb::self)
      .def("__repr__", [](const CategorySet& set) {
        return nb::str("CategorySet({}, {}, {}, {})")
            .format(set.column, set.categories, set.negated, set.covers_missing);
      });
}

void make_allowed_sets(AllowedSets* self, std::vector<int> source,
                       std::vector<std::vector<int>> groups, int most) {
  require_range(source.data(), source.size(), std::int64_t(source.size()), "source");
  for (const std::vector<int>& group : groups)
    require_range(group.data(), group.size(), std::numeric_limits<int>::max(), "groups");
  require_at_least(most, 1, "most");
  new (self) AllowedSets{std::move(source), std::move(groups), most};
}

void bind_columns(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<AllowedSets>(m, "AllowedSets")
      .def("__init__", &make_allowed_sets, "source"_a, "groups"_a, "most"_a);
  nb::class_<CategoryColumn>(m, "CategoryColumn")
      .def("__init__", &make_category_column, "codes"_a, "n_categories"_a)
      .def_prop_ro(
          "codes", [](const CategoryColumn& column) { return view(column.codes); }, shared)
      .def_ro("n_categories", &CategoryColumn::n_categories);
  nb::class_<ColumnInfo>(m, "ColumnInfo")
      .def("__init__", &make_column_info, nb::kw_only(), "missing"_a = std::map<int, Array<bool>>(),
           "categories"_a = std::vector<CategoryColumn>(), "first_logarithm"_a = nb::none(),
           "scale"_a = nb::none(), "direction"_a = std::vector<int>(), "allowed"_a = nb::none())
      .def_prop_ro("missing", &missing_of, shared)
      .def_ro("categories", &ColumnInfo::categories)
      .def_ro("first_logarithm", &ColumnInfo::first_logarithm)
      .def_prop_ro(
          "scale",
          [](const ColumnInfo& info) {
            return info.scale ? std::optional(view(*info.scale)) : std::nullopt;
          },
          shared);
}

}  // namespace

void bind_search(nb::module_& m) {
  using namespace nb::literals;
  nb::exception<OutOfTime>(m, "OutOfTimeError", PyExc_TimeoutError);
  bind_propositions(m);
  bind_columns(m);
  nb::class_<Level>(m, "Level")
      .def_ro("parts", &Level::parts)
      .def_prop_ro(
          "covered", [](const Level& level) { return view(level.covered); }, shared)
      .def_ro("division", &Level::division)
      .def_prop_ro("complexity", &Level::complexity);
  nb::enum_<Steps>(m, "Steps").value("refine", Steps::refine).value("append", Steps::append);
  m.def("oblique_levels", &bound_oblique_levels, "Z"_a, "objective"_a, "cutter"_a.none(),
        "weighted_gradient"_a, "max_weights"_a, "steps"_a, "threads"_a, "columns"_a = nb::none(),
        "seconds"_a = no_limit);
  m.def("axis_levels", &bound_axis_levels, "Z"_a, "objective"_a, "weight"_a, "max_weights"_a,
        "threads"_a, "columns"_a = nb::none(), "seconds"_a = no_limit);
  m.def(
      "division",
      [](Array<bool> covered) {
        require_flags(covered.data(), covered.size(), "covered");
        return division(covered.data(), std::int64_t(covered.size()));
      },
      "covered"_a);
}

}  // namespace sorb
