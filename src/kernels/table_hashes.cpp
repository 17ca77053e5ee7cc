// One round of colour refinement: first rows are hashed by their values wherever these stand, then
// columns by their values in these rows, then rows again by their values in these columns.
#include "table_hashes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "hash.hpp"
#include "patience.hpp"
#include "scaling.hpp"

namespace sorb {
namespace {

using Hashes = std::vector<std::uint64_t>;

// A range is divided into grains, which are shifted by an irrational part of a grain, so that
// rounding hardly ever moves a value to the next one.
constexpr double shift = 0.3819660112501051;
constexpr double fine = 67108864.0;  // grains in a range, 2^26
// A column's hash changes all others, so rounding must change it even less often: 2^20.
constexpr double coarse = 1048576.0;
constexpr std::uint64_t of_position = 1, of_outcome = 2, of_weight = 3;  // salts

// The number of the grain at a place in the range, counted in grains; missing values share one that
// no place has.
std::uint64_t grain_at(double place) {
  constexpr std::uint64_t of_missing = ~std::uint64_t(0);
  return std::isnan(place) ? of_missing : std::uint64_t(std::int64_t(place + shift));
}

// The value x is at power·x - low of the width.
struct ColumnRange {
  double low = INFINITY, high = -INFINITY, width = 1, power = 1;
  std::int64_t known = 0;  // values that are not missing
  bool constant = true;

  void add(double x) {
    low = std::min(low, x);
    high = std::max(high, x);
    known += x == x;
  }

  // To be called when all of n values have been added.
  void finish(std::int64_t n) {
    constant = known == 0 || (low == high && known == n);
    power = power_of_two(std::max(std::fabs(low), std::fabs(high)));
    low *= power;
    width = high * power - low;
    if (!(width > 0)) width = 1;
  }

  std::uint64_t grain_of(double x, double per_unit) const {
    return grain_at((x * power - low) * per_unit);
  }
};

std::vector<std::int64_t> varying_columns(const std::vector<ColumnRange>& columns) {
  std::vector<std::int64_t> varying;
  for (std::size_t j = 0; j < columns.size(); ++j)
    if (!columns[j].constant) varying.push_back(std::int64_t(j));
  return varying;
}

// The columns of a table with their ranges over some rows.
template <typename Real>
class Ranges {
 public:
  Ranges(const TableView<Real>& table, const RowNumbers& rows)
      : table_(table), columns_(table.columns) {
    const std::int64_t n = std::int64_t(rows.size());
    by_blocks(n, table.columns, [&](std::int64_t start, std::int64_t end, int j) {
      ColumnRange column = columns_[j];
      for (std::int64_t i = start; i < end; ++i) column.add(table.at(rows[i], j));
      columns_[j] = column;
    });
    for (ColumnRange& column : columns_) column.finish(n);
  }

  int d() const { return table_.columns; }
  // The columns that are not constant.
  std::vector<std::int64_t> varying() const { return varying_columns(columns_); }

  // Calls visit(i, j, grain) for the value of each of these rows in each column that varies.
  template <typename Visit>
  void visit(const RowNumbers& rows, double grains, Visit visit) const {
    by_blocks(rows.size(), table_.columns, [&](std::int64_t start, std::int64_t end, int j) {
      const ColumnRange column = columns_[j];
      if (column.constant) return;
      const double per_unit = grains / column.width;
      for (std::int64_t i = start; i < end; ++i)
        visit(i, j, column.grain_of(table_.at(rows[i], j), per_unit));
    });
  }

  // Adds the values of these rows to their hashes, each along with the hash of its column.
  void add_to_rows(const RowNumbers& rows, double grains, const Hashes& of_columns,
                   Hashes& hashes) const {
    visit(rows, grains, [&](std::int64_t i, int j, std::uint64_t grain) {
      hashes[i] += mix(grain + of_columns[j]);
    });
  }

  // Adds the values of columns to their hashes, each along with the hash of its row.
  void add_to_columns(const RowNumbers& rows, double grains, const Hashes& of_rows,
                      Hashes& hashes) const {
    visit(rows, grains, [&](std::int64_t i, int j, std::uint64_t grain) {
      hashes[j] += mix(grain + of_rows[i]);
    });
  }

 private:
  TableView<Real> table_;
  std::vector<ColumnRange> columns_;
};

// The same, and the same hashes, where only some values are stored: what all rows would add if they
// had the other value of the column, and the difference for those that have not.
template <typename Real>
class SparseRanges {
 public:
  SparseRanges(const SparseColumns<Real>& table, const RowNumbers& rows)
      : table_(table), columns_(table.d), all_stored_(table.d) {
    const Temporary<std::int32_t> place = places_of(rows, table.n);
    const std::int64_t n = std::int64_t(rows.size());
    for (int j = 0; j < table.d; ++j) {
      ColumnRange& column = columns_[j];
      std::int64_t stored = 0;
      for (std::size_t k = table.begin(j); k < table.end(j); ++k)
        if (place[table.rows[k]] >= 0) ++stored, column.add(table.values[k]);
      if (stored < n) {
        column.add(table.others[j]);
        column.known += n - stored - 1;
      }
      all_stored_[j] = stored == n;
      column.finish(n);
    }
  }

  int d() const { return table_.d; }
  std::vector<std::int64_t> varying() const { return varying_columns(columns_); }

  void add_to_rows(const RowNumbers& rows, double grains, const Hashes& of_columns,
                   Hashes& hashes) const {
    std::uint64_t all_others = 0;
    visit(
        rows, grains, [&](int j, std::uint64_t other) { all_others += mix(other + of_columns[j]); },
        [&](std::int64_t i, int j, std::uint64_t grain, std::uint64_t other) {
          hashes[i] += mix(grain + of_columns[j]) - mix(other + of_columns[j]);
        });
    for (std::uint64_t& hash : hashes) hash += all_others;
  }

  void add_to_columns(const RowNumbers& rows, double grains, const Hashes& of_rows,
                      Hashes& hashes) const {
    std::unordered_map<std::uint64_t, std::uint64_t> known;  // by grain, mostly that of the lowest
    visit(
        rows, grains,
        [&](int j, std::uint64_t other) {
          const auto [found, is_new] = known.try_emplace(other);
          if (is_new)
            for (std::uint64_t of_row : of_rows) found->second += mix(other + of_row);
          hashes[j] += found->second;
        },
        [&](std::int64_t i, int j, std::uint64_t grain, std::uint64_t other) {
          hashes[j] += mix(grain + of_rows[i]) - mix(other + of_rows[i]);
        });
  }

 private:
  // Calls visit_column(j, grain) for each column that varies, with the grain of its other value,
  // and visit_stored(i, j, grain, that grain) for each of its stored values in these rows.
  template <typename VisitColumn, typename VisitStored>
  void visit(const RowNumbers& rows, double grains, VisitColumn visit_column,
             VisitStored visit_stored) const {
    const Temporary<std::int32_t> place = places_of(rows, table_.n);
    for (int j = 0; j < table_.d; ++j) {
      if (j % columns_per_task == 0) require_patience();
      const ColumnRange& column = columns_[j];
      if (column.constant) continue;
      const double per_unit = grains / column.width;
      // A value that no row has may be far beyond the range.
      const std::uint64_t other = all_stored_[j] ? 0 : column.grain_of(table_.others[j], per_unit);
      visit_column(j, other);
      for (std::size_t k = table_.begin(j); k < table_.end(j); ++k)
        if (const std::int32_t i = place[table_.rows[k]]; i >= 0)
          visit_stored(i, j, column.grain_of(table_.values[k], per_unit), other);
    }
  }

  const SparseColumns<Real>& table_;
  std::vector<ColumnRange> columns_;
  std::vector<std::uint8_t> all_stored_;  // in these rows
};

// The hash of one number for each of some rows.
Hashes hash_numbers(const double* numbers, const RowNumbers& rows, double grains,
                    std::uint64_t salt) {
  Hashes hashes(rows.size());
  const Ranges<double> range({numbers, 0, 1, 1, 1}, rows);
  range.visit(rows, grains, [&, mixed = mix(salt)](std::int64_t i, int, std::uint64_t grain) {
    hashes[i] = mix(grain + mixed);
  });
  return hashes;
}

// Adds the values of these rows to their hashes, each along with the hash of its column.
template <typename TableRanges>
void add_values(const TableRanges& ranges, const RowNumbers& rows, double grains,
                const Hashes& of_columns, Hashes& hashes) {
  ranges.add_to_rows(rows, grains, of_columns, hashes);
  for (std::uint64_t& hash : hashes) hash = mix(hash);
}

// The hashes of columns by their values, each along with the hash of its row.
template <typename TableRanges>
Hashes hash_columns(const TableRanges& ranges, const RowNumbers& rows, const Hashes& of_rows) {
  Hashes hashes(ranges.d());
  ranges.add_to_columns(rows, coarse, of_rows, hashes);
  return hashes;
}

Hashes hashes_of_positions(int d) {
  Hashes hashes(d);
  for (int j = 0; j < d; ++j) hashes[j] = mix(mix(of_position) + std::uint64_t(j));
  return hashes;
}

// Whether columns that vary have the same hash.
template <typename TableRanges>
bool alike(const TableRanges& ranges, const Hashes& of_columns) {
  Hashes sorted;
  for (std::int64_t j : ranges.varying()) sorted.push_back(of_columns[j]);
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
}

// For each hash, the place of the first one that is equal to it.
std::vector<std::size_t> first_equals(const Hashes& hashes) {
  std::size_t slots = 2;
  while (slots < 2 * hashes.size()) slots *= 2;
  const std::size_t none = hashes.size();
  std::vector<std::size_t> first(hashes.size()), in_slot(slots, none);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    std::size_t slot = hashes[i] & (slots - 1);
    while (in_slot[slot] != none && hashes[in_slot[slot]] != hashes[i])
      slot = (slot + 1) & (slots - 1);
    if (in_slot[slot] == none) in_slot[slot] = i;
    first[i] = in_slot[slot];
  }
  return first;
}

// Distinct rows of a table, one for all copies, and the hashes of their outcomes.
struct DistinctRows {
  RowNumbers rows;
  Hashes of_outcomes;
  std::vector<double> weight;
};

template <typename TableRanges>
DistinctRows distinct_rows(const TableRanges& ranges, const double* y, const double* weight,
                           const RowNumbers& rows) {
  const Hashes of_outcomes = hash_numbers(y, rows, coarse, of_outcome);
  Hashes identity = of_outcomes;
  add_values(ranges, rows, coarse, hashes_of_positions(ranges.d()), identity);
  const std::vector<std::size_t> first = first_equals(identity);
  std::vector<std::size_t> place(rows.size());
  DistinctRows distinct;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (first[i] == i) {
      place[i] = distinct.rows.size();
      distinct.rows.push_back(rows[i]);
      distinct.of_outcomes.push_back(of_outcomes[i]);
      distinct.weight.push_back(0);
    }
    distinct.weight[place[first[i]]] += weight[rows[i]];
  }
  return distinct;
}

// Tells columns apart in one round of colour refinement: rows are hashed by their values wherever
// these stand, then columns by their values in these rows. If columns are still alike, in a second
// round that also regards the weights.
template <typename TableRanges>
Hashes refined_columns(const TableRanges& ranges, const DistinctRows& distinct) {
  Hashes of_rows = distinct.of_outcomes;
  add_values(ranges, distinct.rows, coarse, Hashes(ranges.d()), of_rows);
  Hashes of_columns = hash_columns(ranges, distinct.rows, of_rows);
  if (!alike(ranges, of_columns)) return of_columns;
  RowNumbers all(distinct.rows.size());
  std::iota(all.begin(), all.end(), 0);
  of_rows = hash_numbers(distinct.weight.data(), all, coarse, of_weight);
  for (std::size_t i = 0; i < of_rows.size(); ++i) of_rows[i] += distinct.of_outcomes[i];
  add_values(ranges, distinct.rows, coarse, of_columns, of_rows);
  return hash_columns(ranges, distinct.rows, of_rows);
}

template <typename TableRanges>
CanonicalTable canonical_table(const TableRanges& ranges, const double* y, const double* weight,
                               const RowNumbers& rows) {
  const Hashes of_columns = refined_columns(ranges, distinct_rows(ranges, y, weight, rows));
  Hashes hashes = hash_numbers(y, rows, fine, of_outcome);
  add_values(ranges, rows, fine, of_columns, hashes);
  std::vector<std::int64_t> columns = ranges.varying();
  std::stable_sort(columns.begin(), columns.end(),
                   [&](auto j, auto k) { return of_columns[j] < of_columns[k]; });
  return {std::move(hashes), std::move(columns)};
}

template <typename TableRanges>
Hashes identify_rows(const TableRanges& ranges, const RowNumbers& rows) {
  Hashes hashes(rows.size());
  add_values(ranges, rows, fine, hashes_of_positions(ranges.d()), hashes);
  return hashes;
}

}  // namespace

template <typename Real>
CanonicalTable canonical_table(const TableView<Real>& table, const double* y, const double* weight,
                               const RowNumbers& rows) {
  return canonical_table(Ranges<Real>(table, rows), y, weight, rows);
}

template <typename Real>
CanonicalTable canonical_table(const SparseColumns<Real>& table, const double* y,
                               const double* weight, const RowNumbers& rows) {
  return canonical_table(SparseRanges<Real>(table, rows), y, weight, rows);
}

template <typename Real>
std::vector<std::uint64_t> identify_rows(const TableView<Real>& table, const RowNumbers& rows) {
  return identify_rows(Ranges<Real>(table, rows), rows);
}

template <typename Real>
std::vector<std::uint64_t> identify_rows(const SparseColumns<Real>& table, const RowNumbers& rows) {
  return identify_rows(SparseRanges<Real>(table, rows), rows);
}

#define SORB_INSTANTIATE(Table)                                                       \
  template CanonicalTable canonical_table(const Table&, const double*, const double*, \
                                          const RowNumbers&);                         \
  template std::vector<std::uint64_t> identify_rows(const Table&, const RowNumbers&);
SORB_INSTANTIATE(TableView<float>)
SORB_INSTANTIATE(TableView<double>)
SORB_INSTANTIATE(SparseColumns<float>)
SORB_INSTANTIATE(SparseColumns<double>)
#undef SORB_INSTANTIATE

}  // namespace sorb
