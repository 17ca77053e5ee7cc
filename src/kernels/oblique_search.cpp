// The chain of conjunctions for each sign, whose half-spaces are learned as separators.
#include "oblique_search.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>

#include "category_sets.hpp"
#include "greedy_chain.hpp"
#include "missing_values.hpp"
#include "separator_learner.hpp"
#include "tasks.hpp"
#include "whole_weights.hpp"

namespace sorb {
namespace {

// The search for gradients of one sign.
template <typename Real>
class ObliqueChain {
 public:
  using SharedLearner = std::shared_ptr<SeparatorLearner<Real>>;

  ObliqueChain(const SearchProblem<Real>& problem, SharedLearner for_bag,
               const CategorySums& sums_of_bag, int sign, Steps steps, int threads)
      : problem_(problem),
        cutter_(problem.cutter),
        for_bag_(std::move(for_bag)),
        sums_of_bag_(sums_of_bag),
        sign_(sign),
        sets_(problem.columns, problem.objective, sign),
        steps_(steps),
        threads_(threads) {
    // The separator's own threshold belongs to its own weights.
    if (!cutter_ && problem.columns.scale) cutter_ = problem.objective;
  }

  std::vector<Conjunction> levels(int max_weights) {
    return greedy_chain(problem_, max_weights, [&](const Conjunction& conjunction, int left) {
      best_ = BestRefinement();
      steps_ == Steps::refine ? consider_refining(conjunction) : consider_adding(conjunction, left);
      std::optional<Refinement> next = best_.take();
      if (next) recent_ = {without(conjunction, next->place), std::move(best_learner_)};
      return next;
    });
  }

 private:
  // Learns each part again with one more column or category, on the rows that all others cover, or
  // adds a part.
  void consider_refining(const Conjunction& conjunction) {
    for (std::size_t place = 0; place < conjunction.size(); ++place) {
      const Proposition& part = conjunction[place]->proposition;
      const int size = size_of(part) + 1;
      if (const CategorySet* set = std::get_if<CategorySet>(&part))
        consider_sets(learner(without(conjunction, place)), place, {set->column}, size, size);
      else if (size <= problem_.d)
        consider_half_spaces(learner(without(conjunction, place)), place, size);
    }
    const SharedLearner added = learner(conjunction);
    consider_half_spaces(added, conjunction.size(), 1);
    consider_new_sets(added, conjunction, 1);
  }

  // Adds a half-space or a set of any size that is left.
  void consider_adding(const Conjunction& conjunction, int left) {
    const SharedLearner where = learner(conjunction);
    for (const Separator& separator : where->up_to(std::min(left, problem_.d)))
      consider(where, conjunction.size(), best_half_space(*where, separator));
    consider_new_sets(where, conjunction, left);
  }

  void consider_half_spaces(const SharedLearner& where, std::size_t place, int size) {
    for (const Separator& separator : where->of_size(size, cutter_.has_value()))
      consider(where, place, best_half_space(*where, separator));
  }

  // Adds a set of up to `most` categories of a column that has none yet.
  void consider_new_sets(const SharedLearner& where, const Conjunction& conjunction, int most) {
    consider_sets(where, conjunction.size(),
                  columns_without_set(problem_.columns, conjunction, problem_.d), 1, most);
  }

  void consider_sets(const SharedLearner& where, std::size_t place, const std::vector<int>& columns,
                     int least, int most) {
    std::optional<CategorySums> own;
    if (where != for_bag_)
      own.emplace(problem_.columns, problem_.objective, where->rows(), columns);
    for (int column : columns)
      consider(where, place, sets_.best(column, own ? *own : sums_of_bag_, least, most));
  }

  void consider(const SharedLearner& where, std::size_t place,
                std::optional<ScoredProposition> found) {
    if (!found) return;
    const int cost = steps_ == Steps::refine ? 1 : size_of(found->proposition);
    if (best_.offer({std::move(*found), place, cost}))
      best_learner_ = where->small() ? where : nullptr;
  }

  std::optional<ScoredProposition> best_half_space(const SeparatorLearner<Real>& where,
                                                   const Separator& separator) const {
    return problem_.columns.scale ? with_whole_weights(where, separator) : along(where, separator);
  }

  // The best whole weights on a climb that starts near the separator's own.
  std::optional<ScoredProposition> with_whole_weights(const SeparatorLearner<Real>& where,
                                                      const Separator& separator) const {
    const Buffer<double>& scale = *problem_.columns.scale;
    WholeWeightClimb climb(separator, scale);
    std::optional<ScoredProposition> best;
    while (const std::optional<std::vector<int>> weights = climb.next()) {
      Separator rounded = separator;
      for (std::size_t a = 0; a < weights->size(); ++a)
        rounded.weights[a] = (*weights)[a] * scale[separator.support[a]];
      if (!problem_.columns.limits.allow_weights(rounded.support, rounded.weights, 1)) continue;
      std::optional<ScoredProposition> found = along(where, rounded);
      if (!found) continue;
      climb.report(*weights, found->value);
      if (!best || found->value > best->value * (1 + rounding)) best = std::move(found);
    }
    return best;
  }

  // The half-space on the separator's side of this sign that treats missing values best.
  std::optional<ScoredProposition> along(const SeparatorLearner<Real>& where,
                                         const Separator& separator) const {
    RowValues projection = where.projection(separator);
    if (problem_.columns.scale && separator.weights.size() > 1) merge_equal(projection);
    HalfSpace half{separator.support, separator.weights, -sign_ * separator.intercept};
    if (sign_ < 0) {
      for (double& x : projection) x = -x;
      for (double& x : half.weights) x = -x;
    }
    const std::optional<Mask> missing =
        missing_in_any(problem_.columns, half.columns, where.rows());
    std::optional<ScoredProposition> best;
    for (bool covers_missing : {false, true}) {
      if (covers_missing && !missing) break;
      half.covers_missing = covers_missing;
      std::optional<ScoredProposition> found = cut(where.rows(), projection, missing, half);
      if (found && (!best || found->value > best->value)) best = std::move(found);
    }
    return best;
  }

  // With the threshold that the cutter places, if there is one. None if it divides no rows.
  std::optional<ScoredProposition> cut(const RowNumbers& rows, RowValues& projection,
                                       const std::optional<Mask>& missing, HalfSpace half) const {
    if (cutter_) {
      const std::optional<Cut> cut = best_cuts_with_missing(
          *cutter_, rows, projection, missing, half.covers_missing, only(sign_))[sign_ < 0];
      if (!cut) return std::nullopt;
      half.threshold = cut->threshold;
    }
    const RowNumbers covered = rows_where(rows, [&](std::size_t i) {
      return missing && (*missing)[i] ? half.covers_missing : projection[i] >= half.threshold;
    });
    if (covered.empty() || covered.size() == rows.size()) return std::nullopt;
    return ScoredProposition{problem_.objective.score(covered, sign_), std::move(half)};
  }

  // The learner for the rows that these parts cover; that of the last step may be needed again.
  SharedLearner learner(const Conjunction& others) {
    if (others.empty()) return for_bag_;
    if (recent_.learner && others == recent_.others) return recent_.learner;
    return std::make_shared<SeparatorLearner<Real>>(
        problem_, std::make_shared<RowNumbers>(covered_rows(others, *problem_.bag)), threads_,
        columns_of(others, problem_.d));
  }

  const SearchProblem<Real>& problem_;
  std::optional<Objective> cutter_;
  const SharedLearner for_bag_;
  const CategorySums& sums_of_bag_;
  const int sign_;
  const CategorySetSearch sets_;
  const Steps steps_;
  const int threads_;
  BestRefinement best_;
  SharedLearner best_learner_;  // that learned the best refinement, if it is small
  struct {
    Conjunction others;
    SharedLearner learner;
  } recent_;
};

constexpr std::int64_t passes_per_chain = 16;  // over all columns, at least

// For the positive and for the negative sign of the gradient.
using ConjunctionChains = std::array<std::vector<Conjunction>, 2>;

template <typename Real>
ConjunctionChains both_chains(const SearchProblem<Real>& problem, int max_weights, Steps steps,
                              int threads) {
  // Each chain has its share of the threads, also where it learns on the whole bag.
  const auto for_bag = std::make_shared<SeparatorLearner<Real>>(problem, problem.bag, threads / 2);
  const CategorySums sums_of_bag(problem.columns, problem.objective, *problem.bag,
                                 columns_without_set(problem.columns, {}, problem.d));
  ConjunctionChains chains;
  const std::int64_t values = passes_per_chain * std::int64_t(problem.bag->size()) * problem.d;
  run_tasks(2, threads, values, [&](std::int64_t which) {
    const int sign = which == 0 ? 1 : -1, share = which == 0 ? threads - threads / 2 : threads / 2;
    ObliqueChain<Real> chain(problem, for_bag, sums_of_bag, sign, steps, share);
    chains[which] = chain.levels(max_weights);
  });
  return chains;
}

// The same conjunctions, with the rows of this problem that they cover.
template <typename Real>
void cover_again(const SearchProblem<Real>& problem, ConjunctionChains& chains) {
  std::map<std::shared_ptr<const Part>, std::shared_ptr<const Part>> known;
  for (std::vector<Conjunction>& chain : chains)
    for (Conjunction& conjunction : chain)
      for (std::shared_ptr<const Part>& part : conjunction) {
        std::shared_ptr<const Part>& again = known[part];
        if (!again) again = make_part(problem, part->proposition);
        part = again;
      }
}

}  // namespace

template <typename Real>
std::vector<std::vector<Level>> oblique_levels(const SearchProblem<Real>& problem, int max_weights,
                                               Steps steps, int threads) {
  ConjunctionChains chains;
  if (worth_copying(problem, problem.bag->size())) {
    chains = both_chains(packed(problem), max_weights, steps, threads);
    cover_again(problem, chains);
  } else {
    chains = both_chains(problem, max_weights, steps, threads);
  }
  return {dividing_levels(chains[0], problem.n), dividing_levels(chains[1], problem.n)};
}

template std::vector<std::vector<Level>> oblique_levels(const SearchProblem<float>&, int, Steps,
                                                        int);
template std::vector<std::vector<Level>> oblique_levels(const SearchProblem<double>&, int, Steps,
                                                        int);

}  // namespace sorb
