// Compares rows and standardises columns by their stored values.
#include "sparse_table.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "patience.hpp"
#include "scaled_column.hpp"

namespace sorb {
namespace {

// A stored value of a row, and the rank of its column.
template <typename Real>
struct RankedValue {
  std::int64_t rank;
  Real value;
};

// The stored values of some rows, sorted by the rank of their columns.
template <typename Real>
class RankedRows {
 public:
  // Columns that are not ranked come last, in their order.
  RankedRows(const SparseColumns<Real>& table, const RowNumbers& rows,
             const std::vector<std::int64_t>& ranked)
      : next_(rows.size() + 1), others_(table.others) {
    std::vector<std::uint8_t> is_ranked(table.d);
    order_ = ranked;
    for (std::int64_t j : ranked) is_ranked[j] = 1;
    for (int j = 0; j < table.d; ++j)
      if (!is_ranked[j]) order_.push_back(j);
    const Temporary<std::int32_t> place = places_of(rows, table.n);
    for (std::size_t k = 0; k < table.rows.size(); ++k)
      if (const std::int32_t i = place[table.rows[k]]; i >= 0) ++next_[i + 1];
    std::partial_sum(next_.begin(), next_.end(), next_.begin());
    values_.resize(next_.back());
    std::vector<std::size_t> at(next_.begin(), next_.end() - 1);
    for (std::size_t rank = 0; rank < order_.size(); ++rank) {
      const int j = int(order_[rank]);
      for (std::size_t k = table.begin(j); k < table.end(j); ++k)
        if (const std::int32_t i = place[table.rows[k]]; i >= 0)
          values_[at[i]++] = {std::int64_t(rank), table.values[k]};
    }
  }

  // Negative if the first row comes before the other one, zero if they have the same values.
  int compare(std::size_t a, std::size_t b) const {
    std::size_t i = next_[a], j = next_[b];
    while (i < next_[a + 1] || j < next_[b + 1]) {
      const std::int64_t of_a = i < next_[a + 1] ? values_[i].rank : std::int64_t(order_.size());
      const std::int64_t of_b = j < next_[b + 1] ? values_[j].rank : std::int64_t(order_.size());
      const Real other = others_[order_[std::min(of_a, of_b)]];
      const Real x = of_a <= of_b ? values_[i++].value : other;
      const Real y = of_b <= of_a ? values_[j++].value : other;
      if (const int order = compare_values(x, y)) return order;
    }
    return 0;
  }

 private:
  static int compare_values(Real x, Real y) {
    if (x < y) return -1;
    if (x > y) return 1;
    return int(std::isnan(x)) - int(std::isnan(y));
  }

  std::vector<std::size_t> next_;
  Buffer<Real> others_;
  std::vector<std::int64_t> order_;  // of the columns
  std::vector<RankedValue<Real>> values_;
};

// Adds the same number to a sum many times, one after the other, exactly as a loop would: as long
// as the exponent of the sum stays the same, it grows by the same amount each time.
template <typename Add>
double add_repeatedly(double sum, std::int64_t times, Add add) {
  while (times > 2) {
    const double start = sum, once = add(start), twice = add(once), step = twice - once;
    int exponent, exponent_before;
    std::frexp(start, &exponent_before);
    std::frexp(twice, &exponent);
    sum = twice;
    times -= 2;
    if (!(start > 0) || exponent != exponent_before || once - start != step) continue;
    if (step == 0) return sum;
    // The differences are whole numbers of units of the last place, and so is this product.
    const double room = (std::ldexp(1.0, exponent) - sum) / step - 1;
    const double skipped = std::floor(std::min(room, double(times)));
    if (skipped > 0) {
      sum += skipped * step;
      times -= std::int64_t(skipped);
    }
  }
  for (; times > 0; --times) sum = add(sum);
  return sum;
}

// The stored values of a column, and the value of all others.
template <typename Real>
struct StoredColumn {
  std::size_t count;
  const std::int32_t* rows;
  const Real* values;
  Real other;
};

// Row weights, with their sum, and whether they are all the same.
struct RowWeights {
  const double* weight;
  std::int64_t n;
  double total;
  bool equal;

  RowWeights(const double* weight, std::int64_t n)
      : weight(weight), n(n), total(std::accumulate(weight, weight + n, 0.0)) {
    equal = std::all_of(weight, weight + n, [=](double w) { return w == *weight; });
  }
};

// How a column is standardised whose other values are zero, by the same sums as of all values.
template <typename Real>
ScaledColumn scaled_column(const StoredColumn<Real>& stored, const RowWeights& weights) {
  const auto [count, rows, x, other] = stored;
  double low = INFINITY, high = -INFINITY;
  if (std::int64_t(count) < weights.n) low = high = other;
  for (std::size_t k = 0; k < count; ++k) {
    low = std::min(low, double(x[k]));
    high = std::max(high, double(x[k]));
  }
  ScaledColumn column(low, high);
  // Zeros add nothing to the mean.
  for (std::size_t k = 0; k < count; ++k)
    column.mean += weights.weight[rows[k]] * (x[k] * column.power);
  column.mean /= weights.total;
  double square = 0;
  const auto add_zeros = [&](std::int64_t from, std::int64_t to) {
    const auto add = [&](double sum) { return column.add_square(sum, weights.weight[from], 0); };
    if (weights.equal)
      square = add_repeatedly(square, to - from, add);
    else
      for (; from < to; ++from) square = add(square);
  };
  std::int64_t next = 0;
  for (std::size_t k = 0; k < count; next = rows[k++] + 1) {
    add_zeros(next, rows[k]);
    square = column.add_square(square, weights.weight[rows[k]], x[k]);
  }
  add_zeros(next, weights.n);
  column.set_spread(square / weights.total);
  return column;
}

}  // namespace

template <typename Real>
CanonicalRows canonical_rows(const SparseColumns<Real>& table, const double* y,
                             const RowNumbers& rows, const std::uint64_t* hashes,
                             const std::vector<std::int64_t>& columns) {
  const std::size_t n = rows.size();
  CanonicalRows found{{rows.begin(), rows.end()}, std::vector<std::uint8_t>(n, 1)};
  if (std::adjacent_find(hashes, hashes + n) == hashes + n) return found;
  const RankedRows<Real> ranked(table, rows, columns);
  std::vector<std::size_t> place(n);
  std::iota(place.begin(), place.end(), 0);
  const auto compare = [&](std::size_t a, std::size_t b) {
    const double of_a = y[rows[a]], of_b = y[rows[b]];
    return of_a != of_b ? (of_a < of_b ? -1 : 1) : ranked.compare(a, b);
  };
  for (std::size_t first = 0, last; first < n; first = last) {
    for (last = first + 1; last < n && hashes[last] == hashes[first];) ++last;
    std::stable_sort(place.begin() + first, place.begin() + last,
                     [&](std::size_t a, std::size_t b) { return compare(a, b) < 0; });
    for (std::size_t i = first; i < last; ++i) {
      found.order[i] = rows[place[i]];
      if (i > first) found.differs[i] = compare(place[i - 1], place[i]) != 0;
    }
  }
  return found;
}

template <typename Real>
SparseColumns<Real> standardise(const SparseColumns<Real>& table, const RowNumbers& rows,
                                const std::vector<std::int64_t>& columns, const double* weight,
                                double* centre, double* scale) {
  const SparseColumns<Real> taken = take(table, rows);
  const RowWeights weights(weight, taken.n);
  const int d = int(columns.size());
  std::vector<std::int64_t> starts(1);
  for (std::int64_t j : columns)
    starts.push_back(starts.back() + taken.starts[j + 1] - taken.starts[j]);
  const std::size_t size = std::size_t(starts.back());
  std::unique_ptr<std::int32_t[]> out_rows(new std::int32_t[size]);
  std::unique_ptr<Real[]> values(new Real[size]), others(new Real[d]);
  for (int a = 0; a < d; ++a) {
    if (a % columns_per_task == 0) require_patience();
    const int j = int(columns[a]);
    const StoredColumn<Real> stored{taken.end(j) - taken.begin(j),
                                    taken.rows.data() + taken.begin(j),
                                    taken.values.data() + taken.begin(j), taken.others[j]};
    const ScaledColumn column = scaled_column(stored, weights);
    for (std::size_t k = 0; k < stored.count; ++k)
      values[std::size_t(starts[a]) + k] = column.standardised(stored.values[k]);
    std::copy_n(stored.rows, stored.count, out_rows.get() + starts[a]);
    others[a] = column.standardised(stored.other);
    centre[a] = column.centre();
    scale[a] = column.scale();
  }
  return {taken.n,
          d,
          Buffer(std::move(starts)),
          {std::move(out_rows), size},
          {std::move(values), size},
          {std::move(others), std::size_t(d)}};
}

#define SORB_INSTANTIATE(Real)                                                              \
  template CanonicalRows canonical_rows(const SparseColumns<Real>&, const double*,          \
                                        const RowNumbers&, const std::uint64_t*,            \
                                        const std::vector<std::int64_t>&);                  \
  template SparseColumns<Real> standardise(const SparseColumns<Real>&, const RowNumbers&,   \
                                           const std::vector<std::int64_t>&, const double*, \
                                           double*, double*);
SORB_INSTANTIATE(float)
SORB_INSTANTIATE(double)
#undef SORB_INSTANTIATE

}  // namespace sorb
