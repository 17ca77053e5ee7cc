// The greedy loop that all searches share: a conjunction is refined step by step.
#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "conjunction.hpp"

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

// The conjunction after each step. `best_refinement` is given the conjunction and the number of
// weights that are left, and finds the next step or none.
template <typename Real, typename Find>
std::vector<Conjunction> greedy_chain(const SearchProblem<Real>& problem, int max_weights,
                                      Find best_refinement) {
  std::vector<Conjunction> levels;
  Conjunction conjunction;
  for (int left = max_weights; left > 0;) {
    std::optional<Refinement> next = best_refinement(conjunction, left);
    if (!next) break;
    left -= next->cost;
    conjunction =
        with(conjunction, next->place, make_part(problem, std::move(next->scored.proposition)));
    levels.push_back(conjunction);
  }
  return levels;
}

}  // namespace sorb
