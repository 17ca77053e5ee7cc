// One round of colour refinement: first rows are hashed by their values wherever these stand, then
// columns by their values in these rows, then rows again by their values in these columns.
#include "table_hashes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "hash.hpp"
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

// The columns of a table with their ranges over some rows.
template <typename Real>
class Ranges {
 public:
  Ranges(const TableView<Real>& table, const RowNumbers& rows)
      : table_(table), columns_(table.columns) {
    const std::int64_t n = std::int64_t(rows.size());
    by_blocks(n, table.columns, [&](std::int64_t start, std::int64_t end, int j) {
      Column column = columns_[j];
      for (std::int64_t i = start; i < end; ++i) {
        const double x = table.at(rows[i], j);
        column.low = std::min(column.low, x);
        column.high = std::max(column.high, x);
        column.known += x == x;
      }
      columns_[j] = column;
    });
    for (Column& column : columns_) {
      column.constant = column.known == 0 || (column.low == column.high && column.known == n);
      column.power = power_of_two(std::max(std::fabs(column.low), std::fabs(column.high)));
      column.low *= column.power;
      column.width = column.high * column.power - column.low;
      if (!(column.width > 0)) column.width = 1;
    }
  }

  // The columns that are not constant.
  std::vector<std::int64_t> varying() const {
    std::vector<std::int64_t> varying;
    for (std::size_t j = 0; j < columns_.size(); ++j)
      if (!columns_[j].constant) varying.push_back(std::int64_t(j));
    return varying;
  }

  // Calls visit(i, j, grain) for the value of each of these rows in each column that varies.
  template <typename Visit>
  void visit(const RowNumbers& rows, double grains, Visit visit) const {
    by_blocks(rows.size(), table_.columns, [&](std::int64_t start, std::int64_t end, int j) {
      const Column column = columns_[j];
      if (column.constant) return;
      const double per_unit = grains / column.width;
      for (std::int64_t i = start; i < end; ++i) {
        const double along = table_.at(rows[i], j) * column.power - column.low;
        visit(i, j, grain_at(along * per_unit));
      }
    });
  }

 private:
  // The value x is at power·x - low of the width.
  struct Column {
    double low = INFINITY, high = -INFINITY, width = 1, power = 1;
    std::int64_t known = 0;  // values that are not missing
    bool constant = true;
  };

  TableView<Real> table_;
  std::vector<Column> columns_;
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
template <typename Real>
void add_values(const Ranges<Real>& ranges, const RowNumbers& rows, double grains,
                const Hashes& of_columns, Hashes& hashes) {
  ranges.visit(rows, grains, [&](std::int64_t i, int j, std::uint64_t grain) {
    hashes[i] += mix(grain + of_columns[j]);
  });
  for (std::uint64_t& hash : hashes) hash = mix(hash);
}

// The hashes of columns by their values, each along with the hash of its row.
template <typename Real>
Hashes hash_columns(const Ranges<Real>& ranges, int d, const RowNumbers& rows,
                    const Hashes& of_rows) {
  Hashes hashes(d);
  ranges.visit(rows, coarse, [&](std::int64_t i, int j, std::uint64_t grain) {
    hashes[j] += mix(grain + of_rows[i]);
  });
  return hashes;
}

Hashes hashes_of_positions(int d) {
  Hashes hashes(d);
  for (int j = 0; j < d; ++j) hashes[j] = mix(mix(of_position) + std::uint64_t(j));
  return hashes;
}

// Whether columns that vary have the same hash.
template <typename Real>
bool alike(const Ranges<Real>& ranges, const Hashes& of_columns) {
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

template <typename Real>
DistinctRows distinct_rows(const Ranges<Real>& ranges, int d, const double* y, const double* weight,
                           const RowNumbers& rows) {
  const Hashes of_outcomes = hash_numbers(y, rows, coarse, of_outcome);
  Hashes identity = of_outcomes;
  add_values(ranges, rows, coarse, hashes_of_positions(d), identity);
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
template <typename Real>
Hashes refined_columns(const Ranges<Real>& ranges, int d, const DistinctRows& distinct) {
  Hashes of_rows = distinct.of_outcomes;
  add_values(ranges, distinct.rows, coarse, Hashes(d), of_rows);
  Hashes of_columns = hash_columns(ranges, d, distinct.rows, of_rows);
  if (!alike(ranges, of_columns)) return of_columns;
  RowNumbers all(distinct.rows.size());
  std::iota(all.begin(), all.end(), 0);
  of_rows = hash_numbers(distinct.weight.data(), all, coarse, of_weight);
  for (std::size_t i = 0; i < of_rows.size(); ++i) of_rows[i] += distinct.of_outcomes[i];
  add_values(ranges, distinct.rows, coarse, of_columns, of_rows);
  return hash_columns(ranges, d, distinct.rows, of_rows);
}

}  // namespace

template <typename Real>
CanonicalTable canonical_table(const TableView<Real>& table, const double* y, const double* weight,
                               const RowNumbers& rows) {
  const Ranges<Real> ranges(table, rows);
  const Hashes of_columns =
      refined_columns(ranges, table.columns, distinct_rows(ranges, table.columns, y, weight, rows));
  Hashes hashes = hash_numbers(y, rows, fine, of_outcome);
  add_values(ranges, rows, fine, of_columns, hashes);
  std::vector<std::int64_t> columns = ranges.varying();
  std::stable_sort(columns.begin(), columns.end(),
                   [&](auto j, auto k) { return of_columns[j] < of_columns[k]; });
  return {std::move(hashes), std::move(columns)};
}

template <typename Real>
std::vector<std::uint64_t> identify_rows(const TableView<Real>& table, const RowNumbers& rows) {
  Hashes hashes(rows.size());
  add_values(Ranges<Real>(table, rows), rows, fine, hashes_of_positions(table.columns), hashes);
  return hashes;
}

template CanonicalTable canonical_table(const TableView<float>&, const double*, const double*,
                                        const RowNumbers&);
template CanonicalTable canonical_table(const TableView<double>&, const double*, const double*,
                                        const RowNumbers&);
template std::vector<std::uint64_t> identify_rows(const TableView<float>&, const RowNumbers&);
template std::vector<std::uint64_t> identify_rows(const TableView<double>&, const RowNumbers&);

}  // namespace sorb
