// Copies the rows of the bag, so that a search reads contiguous memory.
#include "search_problem.hpp"

#include <numeric>

namespace sorb {
namespace {

Objective packed(Objective objective, const RowNumbers& rows) {
  objective.gain = select(objective.gain, rows);
  objective.mass = select(objective.mass, rows);
  if (objective.span) objective.span->pattern = select(objective.span->pattern, rows);
  return objective;
}

ColumnInfo packed(ColumnInfo info, const RowNumbers& rows) {
  for (auto& [column, missing] : info.missing) missing = select(missing, rows);
  for (CategoryColumn& column : info.categories) column.codes = select(column.codes, rows);
  return info;
}

template <typename Real>
ColumnTable<Real> packed(const ColumnTable<Real>& table, const RowNumbers& rows) {
  if (const SparseColumns<Real>* sparse = table.sparse())
    return ColumnTable<Real>(take(*sparse, rows));
  const std::size_t n = rows.size(), size = n * std::size_t(table.d);
  std::unique_ptr<Real[]> Z(new Real[size]);
  UnsetTemporary<Real> unused;
  for (int j = 0; j < table.d; ++j) {
    const Real* from = table.column(j, unused);
    Real* to = Z.get() + std::size_t(j) * n;
    for (std::size_t i = 0; i < n; ++i) to[i] = from[rows[i]];
  }
  return {{std::move(Z), size}, std::int64_t(n), table.d};
}

}  // namespace

template <typename Real>
SearchProblem<Real> packed(const SearchProblem<Real>& problem) {
  const RowNumbers& rows = *problem.bag;
  const std::size_t n = rows.size();
  auto all = std::make_shared<RowNumbers>(n);
  std::iota(all->begin(), all->end(), 0);
  std::optional<Objective> cutter;
  if (problem.cutter) cutter = packed(*problem.cutter, rows);
  return {packed(problem.Z, rows),
          std::int64_t(n),
          problem.d,
          std::move(all),
          packed(problem.objective, rows),
          std::move(cutter),
          select(problem.weighted_gradient, rows),
          packed(problem.columns, rows)};
}

template SearchProblem<float> packed(const SearchProblem<float>&);
template SearchProblem<double> packed(const SearchProblem<double>&);

}  // namespace sorb
