// Standardised columns and bags.
#include "table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "scaled_column.hpp"

namespace sorb {

template <typename Real>
bool copy_columns(const TableView<Real>& table, const std::vector<std::int64_t>& columns,
                  double* out) {
  constexpr double largest = std::numeric_limits<double>::max();
  const std::int64_t n = table.rows, d = std::int64_t(columns.size());
  bool finite = true;
  // Row by row, as most tables are laid out: each part of them is then waited for only once.
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < d; ++j) {
      const double value = table.at(i, columns[j]);
      out[j * n + i] = value;
      finite &= std::fabs(value) <= largest;
    }
  }
  return finite;
}

template <typename Real>
void standardise(const TableView<Real>& table, const RowNumbers& rows,
                 const std::vector<std::int64_t>& columns, const double* weight, Real* Z,
                 double* centre, double* scale) {
  const std::int64_t n = std::int64_t(rows.size());
  const int d = int(columns.size());
  by_blocks(n, d, [&](std::int64_t start, std::int64_t end, int j) {
    const Real* column = table.data + columns[j] * table.column_stride;
    for (std::int64_t i = start; i < end; ++i) Z[j * n + i] = column[rows[i] * table.row_stride];
  });
  double total = 0;
  for (std::int64_t i = 0; i < n; ++i) total += weight[i];
  for (int j = 0; j < d; ++j) {
    require_patience();
    Real* z = Z + j * n;
    const auto [low, high] = std::minmax_element(z, z + n);
    ScaledColumn column(*low, *high);
    for (std::int64_t i = 0; i < n; ++i) column.mean += weight[i] * (z[i] * column.power);
    column.mean /= total;
    double square = 0;
    for (std::int64_t i = 0; i < n; ++i) square = column.add_square(square, weight[i], z[i]);
    column.set_spread(square / total);
    for (std::int64_t i = 0; i < n; ++i) z[i] = column.standardised(z[i]);
    centre[j] = column.centre();
    scale[j] = column.scale();
  }
}

namespace {

constexpr int largest_count = 15;

// For each count, the least 53-bit number for which the count is larger.
std::array<std::uint64_t, largest_count> poisson_borders() {
  std::array<std::uint64_t, largest_count> borders;
  double term = std::exp(-1.0), cumulative = term;
  for (int count = 0; count < largest_count; cumulative += term /= ++count)
    borders[count] = std::uint64_t(std::ceil(cumulative * 0x1p53));
  return borders;
}

// A Poisson(1) count drawn from a scrambled hash.
int poisson_count(std::uint64_t hash) {
  static const std::array<std::uint64_t, largest_count> border = poisson_borders();
  const std::uint64_t uniform = hash >> 11;
  // The usual counts are branch-free: the outcome is unpredictable.
  int count = (uniform >= border[0]) + (uniform >= border[1]) + (uniform >= border[2]) +
              (uniform >= border[3]);
  while (count >= 4 && count < largest_count && uniform >= border[count]) ++count;
  return count;
}

}  // namespace

BagWeights draw_bag(const std::uint64_t* hashes, const double* weight, const std::int64_t* pieces,
                    std::size_t n, std::uint64_t seed, std::uint64_t turn) {
  BagWeights bag{std::vector<double>(n), std::vector<double>(n)};
  const std::uint64_t salt = mix(mix(seed) + turn), first = mix(salt);
  for (std::size_t i = 0; i < n; ++i) {
    const double part = pieces[i] == 1 ? weight[i] : weight[i] / double(pieces[i]);
    for (std::int64_t piece = 0; piece < pieces[i]; ++piece) {
      const std::uint64_t of_piece = piece == 0 ? first : mix(salt + std::uint64_t(piece));
      const int count = poisson_count(mix(hashes[i] ^ of_piece));
      bag.training[i] += part * count;
      bag.validation[i] += count == 0 ? part : 0;
    }
  }
  return bag;
}

template bool copy_columns(const TableView<float>&, const std::vector<std::int64_t>&, double*);
template bool copy_columns(const TableView<double>&, const std::vector<std::int64_t>&, double*);
template void standardise(const TableView<float>&, const RowNumbers&,
                          const std::vector<std::int64_t>&, const double*, float*, double*,
                          double*);
template void standardise(const TableView<double>&, const RowNumbers&,
                          const std::vector<std::int64_t>&, const double*, double*, double*,
                          double*);

}  // namespace sorb
