// Rows whose value is not stored are one block among the sorted values of a column.
#include "stored_cuts.hpp"

#include <algorithm>

#include "tasks.hpp"

namespace sorb {
namespace {

void add(const RowTotals& some, double sign, RowTotals& totals) {
  totals.gain += sign * some.gain;
  totals.mass += sign * some.mass;
  for (std::size_t c = 0; c < some.projected.size(); ++c)
    totals.projected[c] += sign * some.projected[c];
}

template <typename Real>
class StoredCuts {
 public:
  StoredCuts(const SearchProblem<Real>& problem, const RowNumbers& rows)
      : problem_(problem),
        table_(*problem.Z.sparse()),
        n_(std::int64_t(rows.size())),
        here_(problem.n),
        all_(problem.objective.no_rows()) {
    for (std::int64_t row : rows) {
      here_[row] = 1;
      problem.objective.add(row, all_);
    }
  }

  ValuesBySign best(int j) const {
    const Objective& objective = problem_.objective;
    const bool* is_missing = problem_.columns.missing_in(j);
    std::vector<Stored> stored;
    RowTotals in_stored = objective.no_rows(), missing = objective.no_rows();
    std::int64_t n_others = n_;
    for (std::size_t k = table_.begin(j); k < table_.end(j); ++k) {
      const std::int32_t row = table_.rows[k];
      if (!here_[row]) continue;
      --n_others;
      if (is_missing && is_missing[row])
        objective.add(row, missing);
      else
        stored.push_back({table_.values[k], row}), objective.add(row, in_stored);
    }
    std::sort(stored.begin(), stored.end());
    RowTotals known = all_;
    add(missing, -1, known);
    RowTotals others = known;
    add(in_stored, -1, others);
    Best best{objective, known, missing};
    RowTotals below = objective.no_rows();
    const Real other = table_.others[j];
    bool others_left = n_others > 0;
    for (std::size_t k = 0; k < stored.size() || others_left;) {
      const bool takes_others = others_left && (k == stored.size() || other <= stored[k].value);
      const Real value = takes_others ? other : stored[k].value;
      if (takes_others) add(others, 1, below), others_left = false;
      for (; k < stored.size() && stored[k].value == value; ++k)
        objective.add(stored[k].row, below);
      if (k < stored.size() || others_left) best.offer(below);
    }
    return best.values;
  }

 private:
  struct Stored {
    Real value;
    std::int32_t row;
    bool operator<(const Stored& other) const { return value < other.value; }
  };

  struct Best {
    const Objective& objective;
    const RowTotals &known, &missing;
    ValuesBySign values{};

    // The rows on one side of a cut.
    void offer(const RowTotals& side) {
      RowTotals other = known;
      add(side, -1, other);
      for (const RowTotals* totals : {&side, static_cast<const RowTotals*>(&other)}) {
        consider(*totals);
        if (missing.mass == 0 && missing.gain == 0) continue;
        RowTotals with_missing = *totals;
        add(missing, 1, with_missing);
        consider(with_missing);
      }
    }

    void consider(const RowTotals& totals) {
      const int which = totals.gain < 0;
      values[which] = std::max(values[which], objective.value_of(totals, which ? -1 : 1));
    }
  };

  const SearchProblem<Real>& problem_;
  const SparseColumns<Real>& table_;
  const std::int64_t n_;
  Mask here_;
  RowTotals all_;
};

}  // namespace

template <typename Real>
std::vector<ValuesBySign> best_stored_cuts(const SearchProblem<Real>& problem,
                                           const RowNumbers& rows, int threads) {
  const StoredCuts<Real> cuts(problem, rows);
  std::vector<ValuesBySign> values(problem.d);
  constexpr std::int64_t passes = 16;  // sorting included
  const auto stored = std::int64_t(problem.Z.sparse()->values.size());
  run_tasks((problem.d + columns_per_task - 1) / columns_per_task, threads, passes * stored,
            [&](std::int64_t task) {
              const int first = int(task) * columns_per_task;
              for (int j = first; j < std::min(first + columns_per_task, problem.d); ++j)
                values[j] = cuts.best(j);
            });
  return values;
}

template std::vector<ValuesBySign> best_stored_cuts(const SearchProblem<float>&, const RowNumbers&,
                                                    int);
template std::vector<ValuesBySign> best_stored_cuts(const SearchProblem<double>&, const RowNumbers&,
                                                    int);

}  // namespace sorb
