// Which rows propositions cover, and how a conjunction changes by one of them.
#include "conjunction.hpp"

#include <algorithm>
#include <cmath>

#include "passes.hpp"

namespace sorb {
namespace {

template <typename Real>
Mask covered_by(const HalfSpace& half, const SearchProblem<Real>& problem) {
  RowValues sums(problem.n);
  UnsetTemporary<Real> room;
  for (std::size_t a = 0; a < half.columns.size(); ++a)
    add_multiple(problem.n, half.weights[a], problem.Z.column(half.columns[a], room), sums.data());
  Mask covered(problem.n);
  for (std::int64_t i = 0; i < problem.n; ++i) covered[i] = sums[i] >= half.threshold;
  for (int j : half.columns)
    if (const bool* missing = problem.columns.missing_in(j))
      for (std::int64_t i = 0; i < problem.n; ++i)
        if (missing[i]) covered[i] = half.covers_missing;
  return covered;
}

template <typename Real>
Mask covered_by(const CategorySet& set, const SearchProblem<Real>& problem) {
  const CategoryColumn& column = problem.columns.categories[set.column];
  Mask covers(column.n_categories + 1, set.negated);
  for (int category : set.categories) covers[category] = !set.negated;
  covers[column.n_categories] = set.covers_missing;
  Mask covered(problem.n);
  for (std::int64_t i = 0; i < problem.n; ++i) covered[i] = covers[column.codes[i]];
  return covered;
}

// Whether a half-space of one column follows from another one of the same column and direction.
bool follows(const HalfSpace& weak, const HalfSpace& strong) {
  return weak.size() == 1 && strong.size() == 1 && weak.columns == strong.columns &&
         weak.weights[0] * strong.weights[0] > 0 && weak.covers_missing >= strong.covers_missing &&
         weak.threshold / std::fabs(weak.weights[0]) <=
             strong.threshold / std::fabs(strong.weights[0]);
}

bool follows(const Proposition& weak, const Proposition& strong) {
  const HalfSpace *one = std::get_if<HalfSpace>(&weak), *other = std::get_if<HalfSpace>(&strong);
  return one && other && follows(*one, *other);
}

}  // namespace

template <typename Real>
std::shared_ptr<const Part> make_part(const SearchProblem<Real>& problem, Proposition proposition) {
  Mask covered = std::visit([&](const auto& p) { return covered_by(p, problem); }, proposition);
  return std::make_shared<const Part>(Part{std::move(proposition), std::move(covered)});
}

RowNumbers covered_rows(const Conjunction& conjunction, const RowNumbers& rows) {
  if (conjunction.empty()) return rows;
  Mask all = conjunction[0]->covered;
  for (std::size_t h = 1; h < conjunction.size(); ++h)
    for (std::size_t i = 0; i < all.size(); ++i) all[i] &= conjunction[h]->covered[i];
  return rows_where(rows, [&](std::size_t i) { return all[rows[i]]; });
}

std::vector<int> columns_of(const Conjunction& conjunction, int d) {
  std::vector<int> columns;
  for (const auto& part : conjunction) {
    if (const HalfSpace* half = std::get_if<HalfSpace>(&part->proposition))
      columns.insert(columns.end(), half->columns.begin(), half->columns.end());
    else
      columns.push_back(d + std::get<CategorySet>(part->proposition).column);
  }
  return columns;
}

Conjunction without(const Conjunction& conjunction, std::size_t place) {
  Conjunction others = conjunction;
  if (place < conjunction.size()) others.erase(others.begin() + std::ptrdiff_t(place));
  return others;
}

Conjunction with(const Conjunction& conjunction, std::size_t place,
                 std::shared_ptr<const Part> part) {
  Conjunction out;
  for (std::size_t i = 0; i < conjunction.size(); ++i)
    if (i != place && !follows(conjunction[i]->proposition, part->proposition))
      out.push_back(conjunction[i]);
  out.insert(out.begin() + std::ptrdiff_t(std::min(place, out.size())), std::move(part));
  return out;
}

template std::shared_ptr<const Part> make_part(const SearchProblem<float>&, Proposition);
template std::shared_ptr<const Part> make_part(const SearchProblem<double>&, Proposition);

}  // namespace sorb
