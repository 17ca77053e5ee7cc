// Loops over the stored values of a table.
#include "sparse_columns.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "checks.hpp"

namespace sorb {

template <typename Real>
void expand(const SparseColumns<Real>& table, int j, Real* out) {
  std::fill_n(out, table.n, table.others[j]);
  for (std::size_t k = table.begin(j); k < table.end(j); ++k) out[table.rows[k]] = table.values[k];
}

Temporary<std::int32_t> places_of(const RowNumbers& rows, std::int64_t n) {
  Temporary<std::int32_t> place(n, -1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    require(place[rows[i]] < 0, "rows must be given once each");
    place[rows[i]] = std::int32_t(i);
  }
  return place;
}

template <typename Real>
SparseColumns<Real> take(const SparseColumns<Real>& table, const RowNumbers& rows) {
  struct Stored {
    std::int32_t column;
    Real value;
  };
  const Temporary<std::int32_t> place = places_of(rows, table.n);
  // Sorted by row first and then by column again, so that rows are ascending within columns.
  std::vector<std::int64_t> next(rows.size() + 1), starts(std::size_t(table.d) + 1);
  for (int j = 0; j < table.d; ++j)
    for (std::size_t k = table.begin(j); k < table.end(j); ++k)
      if (const std::int32_t i = place[table.rows[k]]; i >= 0) ++next[i + 1], ++starts[j + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  const std::size_t size = std::size_t(starts[table.d]);
  std::unique_ptr<Stored[]> by_row(new Stored[size]);
  for (int j = 0; j < table.d; ++j)
    for (std::size_t k = table.begin(j); k < table.end(j); ++k)
      if (const std::int32_t i = place[table.rows[k]]; i >= 0)
        by_row[next[i]++] = {j, table.values[k]};
  std::unique_ptr<std::int32_t[]> out_rows(new std::int32_t[size]);
  std::unique_ptr<Real[]> values(new Real[size]);
  std::vector<std::int64_t> at(starts.begin(), starts.end() - 1);
  for (std::size_t i = 0, k = 0; i < rows.size(); ++i)
    for (; k < std::size_t(next[i]); ++k) {
      const std::int64_t to = at[by_row[k].column]++;
      out_rows[to] = std::int32_t(i);
      values[to] = by_row[k].value;
    }
  return {std::int64_t(rows.size()), table.d,
          Buffer(std::move(starts)), {std::move(out_rows), size},
          {std::move(values), size}, table.others};
}

template <typename Real>
void two_dots(const SparseColumns<Real>& table, int first, int end, const double* pairs,
              const double totals[2], double* out) {
  const std::int32_t* rows = table.rows.data();
  const Real* values = table.values.data();
  for (int j = first; j < end; ++j) {
    const double other = table.others[j];
    double one[4] = {0, 0, 0, 0}, two[4] = {0, 0, 0, 0};  // so that no addition waits for another
    const auto add = [&](std::size_t k, int at) {
      const double x = double(values[k]) - other;
      const double* pair = pairs + 2 * std::size_t(rows[k]);
      one[at] += x * pair[0];
      two[at] += x * pair[1];
    };
    std::size_t k = table.begin(j);
    for (; k + 4 <= table.end(j); k += 4)
      for (int at = 0; at < 4; ++at) add(k + at, at);
    for (; k < table.end(j); ++k) add(k, 0);
    *out++ = (one[0] + one[1]) + (one[2] + one[3]) + other * totals[0];
    *out++ = (two[0] + two[1]) + (two[2] + two[3]) + other * totals[1];
  }
}

template <typename Real>
void moments(const SparseColumns<Real>& table, int first, int end, const double* v, double* out) {
  for (int j = first; j < end; ++j) {
    const double other = table.others[j];
    double sum = 0, squares = 0;
    for (std::size_t k = table.begin(j); k < table.end(j); ++k) {
      const double x = double(table.values[k]) - other, weighted = v[table.rows[k]] * x;
      sum += weighted;
      squares += weighted * x;
    }
    *out++ = sum;
    *out++ = squares;
  }
}

#define SORB_INSTANTIATE(Real)                                                               \
  template void expand(const SparseColumns<Real>&, int, Real*);                              \
  template SparseColumns<Real> take(const SparseColumns<Real>&, const RowNumbers&);          \
  template void two_dots(const SparseColumns<Real>&, int, int, const double*, const double*, \
                         double*);                                                           \
  template void moments(const SparseColumns<Real>&, int, int, const double*, double*);
SORB_INSTANTIATE(float)
SORB_INSTANTIATE(double)
#undef SORB_INSTANTIATE

}  // namespace sorb
