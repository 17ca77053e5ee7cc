// Conjunctions of propositions, with the rows that they cover.
#pragma once
#include <memory>
#include <vector>

#include "proposition.hpp"
#include "row_numbers.hpp"
#include "search_problem.hpp"

namespace sorb {

// A proposition of a conjunction, and which rows of the table it covers.
struct Part {
  Proposition proposition;
  Mask covered;
};

// Conjunctions of neighbouring levels share most of their parts.
using Conjunction = std::vector<std::shared_ptr<const Part>>;

// The proposition with the rows that it covers, by the same sums as the separators' projections.
template <typename Real>
std::shared_ptr<const Part> make_part(const SearchProblem<Real>& problem, Proposition proposition);

// The rows that all parts cover, among some rows.
RowNumbers covered_rows(const Conjunction& conjunction, const RowNumbers& rows);

// The columns that the parts use, each perhaps several times; columns of categories are numbered
// after `d` numeric ones.
std::vector<int> columns_of(const Conjunction& conjunction, int d);

// All parts but the one with this number, if there is one.
Conjunction without(const Conjunction& conjunction, std::size_t place);

// The conjunction with the part at this place replaced, or with one more at the end, without the
// parts that follow from the new one.
Conjunction with(const Conjunction& conjunction, std::size_t place,
                 std::shared_ptr<const Part> part);

}  // namespace sorb
