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

// The number of the grain at a place in 0 … 1; missing values share one that no place has.
std::uint64_t grain_at(double place, double grains) {
  constexpr std::uint64_t of_missing = ~std::uint64_t(0);
  return std::isnan(place) ? of_missing : std::uint64_t(std::int64_t(place * grains + shift));
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

  bool constant(int j) const { return columns_[j].constant; }

  // Calls visit(i, j, grain) for the value of each of these rows in each column that varies.
  template <typename Visit>
  void visit(const RowNumbers& rows, double grains, Visit visit) const {
    by_blocks(rows.size(), table_.columns, [&](std::int64_t start, std::int64_t end, int j) {
      const Column column = columns_[j];
      if (column.constant) return;
      for (std::int64_t i = start; i < end; ++i) {
        const double place = (table_.at(rows[i], j) * column.power - column.low) / column.width;
        visit(i, j, grain_at(place, grains));
      }
    });
  }

 private:
  // A value x has the place (power·x - low) / width.
  struct Column {
    double low = INFINITY, high = -INFINITY, width = 1, power = 1;
    std::int64_t known = 0;  // values that are not missing
    bool constant = true;
  };

  TableView<Real> table_;
  std::vector<Column> columns_;
};

// Hashes of one number for each of some rows.
Hashes hash_numbers(const double* numbers, const RowNumbers& rows, double grains,
                    std::uint64_t salt) {
  Hashes hashes(rows.size());
  const Ranges<double> range({numbers, 0, 1, 1, 1}, rows);
  range.visit(rows, grains, [&, mixed = mix(salt)](std::int64_t i, int, std::uint64_t grain) {
    hashes[i] = mix(grain + mixed);
  });
  return hashes;
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

// An odd factor for each column.
Hashes factors_by_position(int d) {
  Hashes factors(d);
  for (int j = 0; j < d; ++j) factors[j] = mix(mix(of_position) + std::uint64_t(j)) | 1;
  return factors;
}

// Distinct rows of a table, one for all copies, and hashes of their values wherever these stand.
struct DistinctRows {
  RowNumbers rows;
  Hashes hashes;
};

template <typename Real>
DistinctRows distinct_rows(const Ranges<Real>& ranges, int d, const double* y, const double* weight,
                           const RowNumbers& rows) {
  Hashes values = hash_numbers(y, rows, coarse, of_outcome), identity = values;
  ranges.visit(rows, coarse,
               [&, factors = factors_by_position(d)](std::int64_t i, int j, std::uint64_t grain) {
                 const std::uint64_t mixed = mix(grain);
                 values[i] += mixed;
                 identity[i] += mixed * factors[j];
               });
  const std::vector<std::size_t> first = first_equals(identity);
  std::vector<double> total;
  std::vector<std::size_t> place(rows.size());
  DistinctRows distinct;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (first[i] == i) {
      place[i] = total.size();
      total.push_back(0);
      distinct.rows.push_back(rows[i]);
      distinct.hashes.push_back(values[i]);
    }
    total[place[first[i]]] += weight[rows[i]];
  }
  RowNumbers all(total.size());
  std::iota(all.begin(), all.end(), 0);
  const Hashes of_total = hash_numbers(total.data(), all, coarse, of_weight);
  for (std::size_t i = 0; i < all.size(); ++i)
    distinct.hashes[i] = mix(distinct.hashes[i] + of_total[i]);
  return distinct;
}

template <typename Real>
Hashes hash_columns(const Ranges<Real>& ranges, int d, const double* y, const double* weight,
                    const RowNumbers& rows) {
  Hashes hashes(d);
  const DistinctRows distinct = distinct_rows(ranges, d, y, weight, rows);
  ranges.visit(distinct.rows, coarse, [&](std::int64_t i, int j, std::uint64_t grain) {
    hashes[j] += mix(grain + distinct.hashes[i]);
  });
  return hashes;
}

}  // namespace

template <typename Real>
CanonicalTable canonical_table(const TableView<Real>& table, const double* y, const double* weight,
                               const RowNumbers& rows) {
  const Ranges<Real> ranges(table, rows);
  const Hashes of_columns = hash_columns(ranges, table.columns, y, weight, rows);
  Hashes hashes = hash_numbers(y, rows, fine, of_outcome);
  ranges.visit(rows, fine, [&](std::int64_t i, int j, std::uint64_t grain) {
    hashes[i] += mix(grain + of_columns[j]);
  });
  for (std::uint64_t& hash : hashes) hash = mix(hash);
  std::vector<std::int64_t> columns;
  for (int j = 0; j < table.columns; ++j)
    if (!ranges.constant(j)) columns.push_back(j);
  std::stable_sort(columns.begin(), columns.end(),
                   [&](auto j, auto k) { return of_columns[j] < of_columns[k]; });
  return {std::move(hashes), std::move(columns)};
}

template <typename Real>
std::vector<std::uint64_t> identify_rows(const TableView<Real>& table, const RowNumbers& rows) {
  Hashes hashes(rows.size());
  Ranges<Real>(table, rows)
      .visit(rows, fine,
             [&, factors = factors_by_position(table.columns)](std::int64_t i, int j,
                                                               std::uint64_t grain) {
               hashes[i] += mix(grain) * factors[j];
             });
  return hashes;
}

template CanonicalTable canonical_table(const TableView<float>&, const double*, const double*,
                                        const RowNumbers&);
template CanonicalTable canonical_table(const TableView<double>&, const double*, const double*,
                                        const RowNumbers&);
template std::vector<std::uint64_t> identify_rows(const TableView<float>&, const RowNumbers&);
template std::vector<std::uint64_t> identify_rows(const TableView<double>&, const RowNumbers&);

}  // namespace sorb
