// The greedy loop that all searches share: a conjunction is refined step by step.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "conjunction.hpp"
#include "search_problem.hpp"

namespace sorb {

// A step from one conjunction to the next: a proposition that replaces a part, or is added.
struct Refinement {
  ScoredProposition scored;
  std::size_t place;
  int cost;  // the number of weights that it uses up
};

// The best of the refinements offered; among equals up to rounding, the first.
class BestRefinement {
 public:
  // A value to beat, if there is one.
  explicit BestRefinement(std::optional<double> to_beat = std::nullopt) : to_beat_(to_beat) {}

  // Whether it is the best so far.
  bool offer(Refinement refinement) {
    if (to_beat_ && !(refinement.scored.value > *to_beat_ * (1 + rounding))) return false;
    to_beat_ = refinement.scored.value;
    best_ = std::move(refinement);
    return true;
  }

  std::optional<Refinement> take() { return std::move(best_); }

 private:
  std::optional<double> to_beat_;
  std::optional<Refinement> best_;
};

// A condition of a rule has no more propositions, see sorb/rules/redundancy.py.
constexpr std::size_t most_parts = 100;

// The number of weights that so many parts can have. Where parts that are learned again do not get
// larger, only this ends the loop.
template <typename Real>
std::int64_t most_weights(const SearchProblem<Real>& problem) {
  std::int64_t widest = problem.d;
  for (const CategoryColumn& column : problem.columns.categories)
    widest = std::max<std::int64_t>(widest, column.n_categories);
  return most_parts * widest;
}

// The conjunction after each step. `best_refinement` is given the conjunction and the number of
// weights that are left, and finds the next step or none.
template <typename Real, typename Find>
std::vector<Conjunction> greedy_chain(const SearchProblem<Real>& problem, int max_weights,
                                      Find best_refinement) {
  std::vector<Conjunction> levels;
  Conjunction conjunction;
  for (auto left = int(std::min<std::int64_t>(max_weights, most_weights(problem))); left > 0;) {
    std::optional<Refinement> next = best_refinement(conjunction, left);
    if (!next || next->place >= most_parts) break;
    left -= next->cost;
    conjunction =
        with(conjunction, next->place, make_part(problem, std::move(next->scored.proposition)));
    levels.push_back(conjunction);
  }
  return levels;
}

}  // namespace sorb
