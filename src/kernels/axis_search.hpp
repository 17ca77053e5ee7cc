// The axis-parallel search: propositions of one column each.
#pragma once
#include <vector>

#include "level.hpp"
#include "search_problem.hpp"

namespace sorb {

// The best proposition is added as long as the objective grows, up to a number of weights. One
// chain for each sign of the gradient, positive first.
template <typename Real>
std::vector<std::vector<Level>> axis_levels(const SearchProblem<Real>& problem, int max_weights,
                                            int threads);

}  // namespace sorb
