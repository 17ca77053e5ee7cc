// Adds the best threshold or set of categories until the objective stops growing.
#include "axis_search.hpp"

#include "category_sets.hpp"
#include "greedy_chain.hpp"
#include "missing_values.hpp"

namespace sorb {
namespace {

// The best thresholds of one column, in both directions.
template <typename Real>
void consider_column(const SearchProblem<Real>& problem, const RowNumbers& rows, int j, int sign,
                     std::size_t place, BestRefinement& best) {
  const Real* values = problem.column(j);
  const std::optional<Mask> missing = missing_in_any(problem.columns, {j}, rows);
  for (double direction : {1.0, -1.0}) {
    std::vector<double> projection(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) projection[i] = direction * values[rows[i]];
    for (bool covers_missing : {false, true}) {
      if (covers_missing && !missing) break;
      const std::optional<Cut> cut =
          best_cut_with_missing(problem.objective, rows, projection, missing, covers_missing, sign);
      if (cut)
        best.offer(
            {{cut->value, HalfSpace{{j}, {direction}, cut->threshold, covers_missing}}, place, 1});
    }
  }
}

template <typename Real>
std::vector<Conjunction> axis_chain(const SearchProblem<Real>& problem, int max_weights, int sign) {
  const CategorySetSearch sets(problem.columns, problem.objective, sign);
  double value = 0;
  return greedy_chain(problem, max_weights, [&](const Conjunction& conjunction, int left) {
    const RowNumbers rows = covered_rows(conjunction, *problem.bag);
    const std::size_t place = conjunction.size();
    BestRefinement best(value);
    for (int j = 0; j < problem.d; ++j) consider_column(problem, rows, j, sign, place, best);
    for (const ScoredProposition& set : sets.new_sets(conjunction, rows, left))
      best.offer({set, place, size_of(set.proposition)});
    std::optional<Refinement> next = best.take();
    if (next) value = next->scored.value;
    return next;
  });
}

}  // namespace

template <typename Real>
std::vector<std::vector<Level>> axis_levels(const SearchProblem<Real>& problem, int max_weights) {
  return {dividing_levels(axis_chain(problem, max_weights, 1), problem.n),
          dividing_levels(axis_chain(problem, max_weights, -1), problem.n)};
}

template std::vector<std::vector<Level>> axis_levels(const SearchProblem<float>&, int);
template std::vector<std::vector<Level>> axis_levels(const SearchProblem<double>&, int);

}  // namespace sorb
