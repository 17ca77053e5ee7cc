// Adds the best threshold or set of categories until the objective stops growing.
#include "axis_search.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "category_sets.hpp"
#include "greedy_chain.hpp"
#include "missing_values.hpp"
#include "stored_cuts.hpp"
#include "tasks.hpp"

namespace sorb {
namespace {

using BestBySign = std::array<BestRefinement, 2>;

constexpr std::int64_t passes_per_column = 16;  // sorting included

struct SignedRefinement {
  int which;  // sign
  Refinement refinement;
};

// The best thresholds of one column, in both directions.
template <typename Real>
std::vector<SignedRefinement> thresholds(const SearchProblem<Real>& problem, const RowNumbers& rows,
                                         int j, const Signs& signs, std::size_t place) {
  std::vector<SignedRefinement> found;
  UnsetTemporary<Real> room;
  const Real* values = problem.Z.column(j, room);
  const std::optional<Mask> missing = missing_in_any(problem.columns, {j}, rows);
  const ColumnLimits& limits = problem.columns.limits;
  for (double direction : {1.0, -1.0}) {
    const Signs allowed{signs[0] && limits.allow_weight(j, direction, 1),
                        signs[1] && limits.allow_weight(j, direction, -1)};
    if (!allowed[0] && !allowed[1]) continue;
    RowValues projection(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) projection[i] = direction * values[rows[i]];
    for (bool covers_missing : {false, true}) {
      if (covers_missing && !missing) break;
      const CutsBySign cuts = best_cuts_with_missing(problem.objective, rows, projection, missing,
                                                     covers_missing, allowed);
      for (int which : {0, 1})
        if (const std::optional<Cut>& cut = cuts[which])
          found.push_back(
              {which,
               {{cut->value, HalfSpace{{j}, {direction}, cut->threshold, covers_missing}},
                place,
                1}});
    }
  }
  return found;
}

using FoundByColumn = std::vector<std::vector<SignedRefinement>>;

// The columns that may be used; empty if all may.
using Permitted = std::vector<std::uint8_t>;

// The thresholds of all columns that may be used.
template <typename Real>
FoundByColumn all_thresholds(const SearchProblem<Real>& problem, const RowNumbers& rows,
                             const Permitted& permitted, const Signs& signs, std::size_t place,
                             int threads) {
  FoundByColumn found(problem.d);
  const std::int64_t values = passes_per_column * std::int64_t(rows.size()) * problem.d;
  run_tasks(problem.d, threads, values, [&](std::int64_t j) {
    if (permitted.empty() || permitted[j])
      found[j] = thresholds(problem, rows, int(j), signs, place);
  });
  return found;
}

// The thresholds of those columns that may have the best one, if it is worth more than a value:
// stored values alone tell, up to rounding, what those of a column are worth at most.
template <typename Real>
FoundByColumn leading_thresholds(const SearchProblem<Real>& problem, const RowNumbers& rows,
                                 const Permitted& permitted, const Signs& signs, std::size_t place,
                                 double value, int threads) {
  constexpr double nearly = 1 - 1e-6;
  std::vector<ValuesBySign> at_most = best_stored_cuts(problem, rows, threads);
  for (std::size_t j = 0; j < permitted.size() && j < at_most.size(); ++j)
    if (!permitted[j]) at_most[j] = {};
  FoundByColumn found(problem.d);
  ValuesBySign best{value, value};
  for (;;) {
    ValuesBySign top{};
    for (const ValuesBySign& of_column : at_most)
      for (int which : {0, 1})
        if (signs[which]) top[which] = std::max(top[which], of_column[which]);
    std::vector<int> leading;
    for (int j = 0; j < problem.d; ++j)
      for (int which : {0, 1})
        if (at_most[j][which] > 0 && top[which] >= nearly * best[which] &&
            at_most[j][which] >= nearly * top[which]) {
          leading.push_back(j);
          break;
        }
    if (leading.empty()) return found;
    run_tasks(std::int64_t(leading.size()), threads,
              passes_per_column * std::int64_t(rows.size() * leading.size()), [&](std::int64_t k) {
                found[leading[k]] = thresholds(problem, rows, leading[k], signs, place);
              });
    for (int j : leading) {
      at_most[j] = {};
      for (const auto& [which, refinement] : found[j])
        best[which] = std::max(best[which], refinement.scored.value);
    }
  }
}

// The best step from a conjunction for each of these signs, if it is worth more than this value.
template <typename Real>
BestBySign best_steps(const SearchProblem<Real>& problem, const Conjunction& conjunction,
                      const Signs& signs, double value, int left, int threads) {
  const RowNumbers rows = covered_rows(conjunction, *problem.bag);
  const std::size_t place = conjunction.size();
  BestBySign best{BestRefinement(value), BestRefinement(value)};
  const Permitted permitted = problem.columns.limits.beside(columns_of(conjunction, problem.d));
  FoundByColumn found =
      problem.Z.sparse()
          ? leading_thresholds(problem, rows, permitted, signs, place, value, threads)
          : all_thresholds(problem, rows, permitted, signs, place, threads);
  for (std::vector<SignedRefinement>& of_column : found)
    for (auto& [which, refinement] : of_column) best[which].offer(std::move(refinement));
  const std::vector<int> columns = columns_without_set(problem.columns, conjunction, problem.d);
  const CategorySums sums(problem.columns, problem.objective, rows, columns);
  for (int which : {0, 1}) {
    if (!signs[which]) continue;
    const CategorySetSearch sets(problem.columns, problem.objective, which ? -1 : 1);
    for (int column : columns)
      if (const std::optional<ScoredProposition> set = sets.best(column, sums, 1, left))
        best[which].offer({*set, place, size_of(set->proposition)});
  }
  return best;
}

}  // namespace

template <typename Real>
std::vector<std::vector<Level>> axis_levels(const SearchProblem<Real>& problem, int max_weights,
                                            int threads) {
  std::optional<BestBySign> first;  // both signs begin with the same rows
  std::vector<std::vector<Level>> levels;
  for (int sign : {1, -1}) {
    double value = 0;
    const auto next_step = [&](const Conjunction& conjunction, int left) {
      if (!first) first = best_steps(problem, conjunction, {true, true}, value, left, threads);
      BestBySign best = conjunction.empty()
                            ? *first
                            : best_steps(problem, conjunction, only(sign), value, left, threads);
      std::optional<Refinement> next = best[sign < 0].take();
      if (next) value = next->scored.value;
      return next;
    };
    levels.push_back(dividing_levels(greedy_chain(problem, max_weights, next_step), problem.n));
  }
  return levels;
}

template std::vector<std::vector<Level>> axis_levels(const SearchProblem<float>&, int, int);
template std::vector<std::vector<Level>> axis_levels(const SearchProblem<double>&, int, int);

}  // namespace sorb
