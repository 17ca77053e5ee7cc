// The paper's searches: conditions whose propositions weigh columns against each other.
#pragma once
#include <vector>

#include "level.hpp"
#include "search_problem.hpp"

namespace sorb {

// How one conjunction is made from another.
enum class Steps {
  // One part is learned again with one more column, or one of a single column is added.
  refine,
  // A part with the best number of columns is added, and none is ever changed.
  append,
};

// Of all steps, the one with the best objective is taken, up to a number of weights. One chain for
// each sign of the gradient, positive first.
template <typename Real>
std::vector<std::vector<Level>> oblique_levels(const SearchProblem<Real>& problem, int max_weights,
                                               Steps steps, int threads);

}  // namespace sorb
