// The Python face of the kernels: arrays in, arrays out, the GIL released while they work.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>

#include "axis_search.hpp"
#include "division.hpp"
#include "objective.hpp"
#include "oblique_search.hpp"
#include "separator.hpp"
#include "span.hpp"
#include "table.hpp"
#include "weights.hpp"

namespace nb = nanobind;
using namespace sorb;

namespace {

template <typename T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Columns = nb::ndarray<const T, nb::ndim<2>, nb::f_contig, nb::device::cpu>;
template <typename T>
using Strided = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;
template <typename T>
using Vector = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <typename T>
Vector<T> give(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Vector<T>(kept->data(), {kept->size()}, owner);
}

// The values of a Python array, which live as long as the buffer.
template <typename T, typename... Options>
Buffer<T> share(const nb::ndarray<const T, Options...>& array) {
  using Kept = nb::ndarray<const T, Options...>;
  return {array.data(), array.size(), std::make_shared<const Kept>(array)};
}

template <typename T>
std::vector<T> copy_of(const Array<T>& values) {
  return {values.data(), values.data() + values.size()};
}

// ---- the table ----------------------------------------------------------------------------------

template <typename Real>
TableView<Real> view_of(const Strided<Real>& X) {
  return {X.data(), std::int64_t(X.shape(0)), X.stride(0), X.stride(1), int(X.shape(1))};
}

template <typename Real>
Vector<std::uint64_t> bound_hash_rows(Strided<Real> X, Array<double> y, Array<std::int64_t> rows) {
  std::vector<std::uint64_t> hashes(rows.size());
  {
    nb::gil_scoped_release release;
    const std::vector<std::int64_t> chosen = copy_of(rows);
    add_hashes(view_of(X), chosen, 1, hashes);
    add_hashes(TableView<double>{y.data(), std::int64_t(y.size()), 1, 1, 1}, chosen, 2, hashes);
    for (std::uint64_t& hash : hashes) hash = mix(hash);
  }
  return give(std::move(hashes));
}

template <typename Real>
auto bound_standardise(Strided<Real> X, Array<std::int64_t> rows, Array<double> weight) {
  const std::size_t n = rows.size(), d = X.shape(1);
  Real* Z = new Real[n * d];
  nb::capsule owner(Z, [](void* p) noexcept { delete[] static_cast<Real*>(p); });
  std::vector<double> centre(d), scale(d);
  {
    nb::gil_scoped_release release;
    standardise(view_of(X), copy_of(rows), weight.data(), Z, centre.data(), scale.data());
  }
  nb::ndarray<nb::numpy, Real, nb::ndim<2>, nb::f_contig> columns(
      Z, {n, d}, owner, {std::int64_t(1), std::int64_t(n)});
  return std::make_tuple(columns, give(std::move(centre)), give(std::move(scale)));
}

auto bound_draw(Array<std::uint64_t> hashes, Array<double> weight, Array<std::int64_t> pieces,
                std::uint64_t seed, std::uint64_t turn) {
  BagWeights bag;
  {
    nb::gil_scoped_release release;
    bag = draw_bag(hashes.data(), weight.data(), pieces.data(), hashes.size(), seed, turn);
  }
  return std::make_tuple(give(std::move(bag.training)), give(std::move(bag.validation)));
}

// ---- separators ---------------------------------------------------------------------------------

using Found = std::tuple<std::vector<int>, std::vector<double>, double, double, int>;

std::vector<Found> give(const std::vector<Separator>& separators) {
  std::vector<Found> out;
  for (const Separator& s : separators)
    out.emplace_back(s.support, s.weights, s.intercept, s.penalty, s.passes);
  return out;
}

template <typename Real>
Region<Real> region_of(const Columns<Real>& Z, const Array<std::int64_t>& rows,
                       const Array<double>& strength) {
  return Region<Real>(Z.data(), std::int64_t(Z.shape(0)), int(Z.shape(1)),
                      std::make_shared<const std::vector<std::int64_t>>(copy_of(rows)),
                      strength.data(), true);
}

template <typename Real>
std::vector<Found> bound_path(Columns<Real> Z, Array<std::int64_t> rows, Array<double> strength,
                              int max_size) {
  std::vector<Separator> found;
  {
    nb::gil_scoped_release release;
    found = lasso_path(region_of(Z, rows, strength), max_size);
  }
  return give(found);
}

template <typename Real>
std::vector<Found> bound_separators(Columns<Real> Z, Array<std::int64_t> rows,
                                    Array<double> strength, int max_size) {
  std::vector<Separator> found;
  {
    nb::gil_scoped_release release;
    found = SeparatorPath<Real>(region_of(Z, rows, strength), false).up_to(max_size);
  }
  return give(found);
}

template <typename Real>
std::vector<Found> bound_separators_of_size(Columns<Real> Z, Array<std::int64_t> rows,
                                            Array<double> strength, int size) {
  std::vector<Separator> found;
  {
    nb::gil_scoped_release release;
    found = SeparatorPath<Real>(region_of(Z, rows, strength), false).of_size(size, false);
  }
  return give(found);
}

// ---- objectives and searches ------------------------------------------------------------------

// kind, ridge, gain, mass, pattern, basis: see objective.hpp.
using ObjectiveArrays =
    std::tuple<int, double, Array<double>, Array<double>, Array<std::int32_t>, Table<double>>;

Objective objective_of(const ObjectiveArrays& arrays) {
  const auto& [kind, ridge, gain, mass, pattern, basis] = arrays;
  return {ObjectiveKind(kind),
          ridge,
          share(gain),
          share(mass),
          share(pattern),
          {share(basis), std::int64_t(basis.shape(0)), std::int64_t(basis.shape(1))}};
}

// The rows of the bag: those that count.
SharedRowNumbers counted(const double* weight, std::int64_t n) {
  auto rows = std::make_shared<RowNumbers>();
  for (std::int64_t i = 0; i < n; ++i)
    if (weight[i] != 0) rows->push_back(i);
  rows->shrink_to_fit();
  return rows;
}

// Columns, weights, threshold; which way missing values go; categories, and whether it is none of
// them.
using Half =
    std::tuple<std::vector<int>, std::vector<double>, double, bool, std::vector<int>, bool>;
using Members = nb::ndarray<nb::numpy, bool, nb::ndim<1>>;
// A level: its half-spaces, the rows inside, and how they divide the table.
using LevelFound = std::tuple<std::vector<Half>, Members, std::uint64_t>;

Half give(const HalfSpace& half) {
  return {half.columns, half.weights, half.threshold, half.covers_missing, {}, false};
}

Half give(const CategorySet& set) {
  return {{set.column}, {}, 0, set.covers_missing, set.categories, set.negated};
}

std::vector<std::vector<LevelFound>> give(const std::vector<std::vector<Level>>& chains) {
  std::vector<std::vector<LevelFound>> out;
  for (const std::vector<Level>& chain : chains) {
    out.emplace_back();
    for (const Level& level : chain) {
      std::vector<Half> halves;
      for (const Proposition& part : level.parts)
        halves.push_back(std::visit([](const auto& p) { return give(p); }, part));
      auto* kept = new std::shared_ptr<const void>(level.covered.owner());
      nb::capsule owner(
          kept, [](void* p) noexcept { delete static_cast<std::shared_ptr<const void>*>(p); });
      Members covered(const_cast<bool*>(level.covered.data()), {level.covered.size()}, owner);
      out.back().emplace_back(std::move(halves), std::move(covered), level.division);
    }
  }
  return out;
}

// What the columns mean: which values of some of them are missing; the codes of those that hold
// categories, and how many there are; the first logarithm; the scales, for whole weights.
using MeaningArrays =
    std::tuple<std::vector<std::pair<int, Array<bool>>>,
               std::vector<std::pair<Array<std::int32_t>, int>>, int, std::optional<Array<double>>>;

ColumnInfo column_info_of(const std::optional<MeaningArrays>& arrays) {
  ColumnInfo out;
  if (!arrays) return out;
  const auto& [missing, categories, first_logarithm, scale] = *arrays;
  for (const auto& [column, values] : missing) out.missing[column] = share(values);
  for (const auto& [codes, count] : categories) out.categories.push_back({share(codes), count});
  out.first_logarithm = first_logarithm;
  if (scale) out.scale = share(*scale);
  return out;
}

template <typename Real>
std::vector<std::vector<LevelFound>> bound_oblique(Columns<Real> Z, ObjectiveArrays objective,
                                                   std::optional<ObjectiveArrays> cutter,
                                                   Array<double> strength, int max_weights,
                                                   bool refine, int threads,
                                                   std::optional<MeaningArrays> meaning) {
  const std::int64_t n = std::int64_t(Z.shape(0));
  SearchProblem<Real> problem{share(Z),
                              n,
                              int(Z.shape(1)),
                              nullptr,
                              objective_of(objective),
                              {},
                              share(strength),
                              column_info_of(meaning)};
  if (cutter) problem.cutter = objective_of(*cutter);
  std::vector<std::vector<Level>> chains;
  {
    nb::gil_scoped_release release;
    problem.bag = counted(strength.data(), n);
    chains = oblique_levels(problem, max_weights, refine ? Steps::refine : Steps::append, threads);
  }
  return give(chains);
}

template <typename Real>
std::vector<std::vector<LevelFound>> bound_axis(Columns<Real> Z, ObjectiveArrays objective,
                                                Array<double> weight, int max_weights,
                                                std::optional<MeaningArrays> meaning) {
  const std::int64_t n = std::int64_t(Z.shape(0));
  SearchProblem<Real> problem{
      share(Z), n,  int(Z.shape(1)),        nullptr, objective_of(objective),
      {},       {}, column_info_of(meaning)};
  std::vector<std::vector<Level>> chains;
  {
    nb::gil_scoped_release release;
    problem.bag = counted(weight.data(), n);
    chains = axis_levels(problem, max_weights);
  }
  return give(chains);
}

// ---- rule weights -----------------------------------------------------------------------------

Patterns patterns_of(const Table<std::uint8_t>& table, const Array<std::int32_t>& outputs, int K) {
  return {int(table.shape(0)), int(table.shape(1)), K, table.data(), outputs.data()};
}

Sums sums_of(const Array<double>& weight, const Table<double>& outcome) {
  return {{weight.data(), weight.data() + weight.size()},
          {outcome.data(), outcome.data() + outcome.size()}};
}

}  // namespace

NB_MODULE(_kernels, m) {
  using namespace nb::literals;

  m.def("hash_rows", &bound_hash_rows<double>, "X"_a, "y"_a, "rows"_a);
  m.def("hash_rows", &bound_hash_rows<float>, "X"_a, "y"_a, "rows"_a);
  m.def("standardise", &bound_standardise<double>, "X"_a, "rows"_a, "weight"_a);
  m.def("standardise", &bound_standardise<float>, "X"_a, "rows"_a, "weight"_a);
  m.def("draw", &bound_draw, "hashes"_a, "weight"_a, "pieces"_a, "seed"_a, "turn"_a);
  m.def(
      "scramble",
      [](Array<std::uint64_t> hashes, std::uint64_t salt) {
        std::vector<std::uint64_t> out = copy_of(hashes);
        for (std::uint64_t& hash : out) hash = mix(hash ^ mix(salt));
        return give(std::move(out));
      },
      "hashes"_a, "salt"_a);

  m.def("path", &bound_path<double>, "Z"_a, "rows"_a, "strength"_a, "max_size"_a);
  m.def("path", &bound_path<float>, "Z"_a, "rows"_a, "strength"_a, "max_size"_a);
  m.def("separators", &bound_separators<double>, "Z"_a, "rows"_a, "strength"_a, "max_size"_a);
  m.def("separators", &bound_separators<float>, "Z"_a, "rows"_a, "strength"_a, "max_size"_a);
  m.def("separators_of_size", &bound_separators_of_size<double>, "Z"_a, "rows"_a, "strength"_a,
        "size"_a);
  m.def("separators_of_size", &bound_separators_of_size<float>, "Z"_a, "rows"_a, "strength"_a,
        "size"_a);

  m.def(
      "best_cut",
      [](ObjectiveArrays objective, Array<std::int64_t> rows, Array<double> projection, int sign) {
        nb::gil_scoped_release release;
        const Cut cut = objective_of(objective)
                            .best_cut(copy_of(rows), copy_of(projection), sign)
                            .value_or(Cut{0, 0});
        return std::make_tuple(cut.threshold, cut.value);
      },
      "objective"_a, "rows"_a, "projection"_a, "sign"_a);
  m.def(
      "score",
      [](ObjectiveArrays objective, Array<std::int64_t> rows, int sign) {
        const Objective shared = objective_of(objective);
        nb::gil_scoped_release release;
        return shared.score(copy_of(rows), sign);
      },
      "objective"_a, "rows"_a, "sign"_a);
  m.def(
      "project_off",
      [](Table<std::uint8_t> table, Array<std::int32_t> pattern, Array<double> weight,
         Array<double> strength) {
        OffSpan found;
        {
          nb::gil_scoped_release release;
          found =
              project_off(int(table.shape(0)), int(table.shape(1)), table.data(), pattern.data(),
                          std::int64_t(pattern.size()), weight.data(), strength.data());
        }
        return std::make_tuple(give(std::move(found.gain)), give(std::move(found.basis)));
      },
      "table"_a, "pattern"_a, "weight"_a, "strength"_a);
  m.def("oblique_levels", &bound_oblique<double>, "Z"_a, "objective"_a, "cutter"_a.none(),
        "strength"_a, "max_weights"_a, "refine"_a, "threads"_a, "meaning"_a = nb::none());
  m.def("oblique_levels", &bound_oblique<float>, "Z"_a, "objective"_a, "cutter"_a.none(),
        "strength"_a, "max_weights"_a, "refine"_a, "threads"_a, "meaning"_a = nb::none());
  m.def(
      "division",
      [](Array<bool> members) {
        return division(members.data(), std::int64_t(members.size())).value_or(0);
      },
      "members"_a);
  m.def("axis_levels", &bound_axis<double>, "Z"_a, "objective"_a, "weight"_a, "max_weights"_a,
        "meaning"_a = nb::none());
  m.def("axis_levels", &bound_axis<float>, "Z"_a, "objective"_a, "weight"_a, "max_weights"_a,
        "meaning"_a = nb::none());

  m.def(
      "pattern_sums",
      [](Array<std::int32_t> pattern, int count, int outputs, Array<double> weight,
         Array<double> y) {
        Sums sums;
        {
          nb::gil_scoped_release release;
          sums = sums_over_rows(pattern.data(), std::int64_t(pattern.size()), count, outputs,
                                weight.data(), y.data());
        }
        return std::make_tuple(give(std::move(sums.weight)), give(std::move(sums.outcome)));
      },
      "pattern"_a, "count"_a, "outputs"_a, "weight"_a, "y"_a);

  m.def(
      "refit_weights",
      [](int loss, Table<std::uint8_t> table, Array<std::int32_t> outputs, Array<double> weight,
         Table<double> outcome, double reg_lambda, Array<double> start) {
        Fit fit;
        {
          nb::gil_scoped_release release;
          fit = refit_weights(Loss(loss), patterns_of(table, outputs, int(outcome.shape(1))),
                              sums_of(weight, outcome), reg_lambda, copy_of(start));
        }
        return std::make_tuple(give(std::move(fit.theta)), fit.losses);
      },
      "loss"_a, "table"_a, "outputs"_a, "weight"_a, "outcome"_a, "reg_lambda"_a, "start"_a);

  m.def(
      "pattern_scores",
      [](Table<std::uint8_t> table, Array<std::int32_t> outputs, int n_outputs,
         Array<double> theta) {
        return give(scores_of(patterns_of(table, outputs, n_outputs), theta.data()));
      },
      "table"_a, "outputs"_a, "n_outputs"_a, "theta"_a);

  m.def(
      "divide_patterns",
      [](Array<std::int32_t> pattern, Table<std::uint8_t> table, Array<bool> members) {
        Divided divided;
        {
          nb::gil_scoped_release release;
          divided = divide({int(table.shape(0)), int(table.shape(1)), 1, table.data(), nullptr},
                           pattern.data(), std::int64_t(pattern.size()), members.data());
        }
        return std::make_tuple(give(std::move(divided.pattern)), give(std::move(divided.table)));
      },
      "pattern"_a, "table"_a, "members"_a);

  m.def(
      "judge_rules",
      [](int loss, Table<std::uint8_t> table, Array<std::int32_t> outputs, int classes,
         Array<std::int32_t> pattern, std::vector<Array<bool>> members,
         std::vector<int> member_outputs, Array<double> in_bag, Array<double> out_of_bag,
         Array<double> y, double reg_lambda, Array<double> theta) {
        nb::gil_scoped_release release;
        std::vector<CandidateRule> rules;
        for (std::size_t c = 0; c < members.size(); ++c)
          rules.push_back({members[c].data(), member_outputs[c]});
        return validation_losses(Loss(loss), patterns_of(table, outputs, classes), pattern.data(),
                                 std::int64_t(pattern.size()), rules,
                                 {in_bag.data(), out_of_bag.data()}, y.data(), reg_lambda,
                                 copy_of(theta));
      },
      "loss"_a, "table"_a, "outputs"_a, "classes"_a, "pattern"_a, "members"_a, "member_outputs"_a,
      "in_bag"_a, "out_of_bag"_a, "y"_a, "reg_lambda"_a, "theta"_a);

  m.def(
      "cumulant",
      [](int loss, Table<double> scores) {
        const std::size_t n = scores.shape(0), K = scores.shape(1);
        std::vector<double> value(n), mean(n * K);
        {
          nb::gil_scoped_release release;
          for (std::size_t i = 0; i < n; ++i)
            value[i] = cumulant(Loss(loss), scores.data() + i * K, int(K), &mean[i * K]);
        }
        return std::make_tuple(give(std::move(value)), give(std::move(mean)));
      },
      "loss"_a, "scores"_a);
}
