// What the best threshold of a column is worth, found from its stored values alone.
#pragma once
#include <array>
#include <vector>

#include "objective.hpp"
#include "row_numbers.hpp"
#include "search_problem.hpp"

namespace sorb {

// For each sign of the gradient, positive first.
using ValuesBySign = std::array<double, 2>;

// For each column of a table of which only some values are stored, what its best cut of these rows
// is worth at most, up to rounding: in either direction, and with missing values on either side.
template <typename Real>
std::vector<ValuesBySign> best_stored_cuts(const SearchProblem<Real>& problem,
                                           const RowNumbers& rows, int threads);

}  // namespace sorb
