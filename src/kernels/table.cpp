// Passes over a table of any layout, in blocks of rows.
#include "table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "scaling.hpp"

namespace sorb {
namespace {

constexpr double grains = 67108864.0;  // 2^26
constexpr double shift = 0.3819660112501051;
constexpr std::int64_t block =
    128;  // rows that are read together, so that any layout of the table is read efficiently

// The number of the grain at a place in 0 … 1; missing values share one that no place has.
std::uint64_t grain_at(double place) {
  constexpr std::uint64_t of_missing = ~std::uint64_t(0);
  return std::isnan(place) ? of_missing : std::uint64_t(std::int64_t(place * grains + shift));
}

template <typename Visit>
void by_blocks(std::int64_t n, int d, Visit visit) {
  for (std::int64_t start = 0; start < n; start += block)
    for (int j = 0; j < d; ++j) visit(start, std::min(start + block, n), j);
}

}  // namespace

template <typename Real>
void add_hashes(const TableView<Real>& table, const RowNumbers& rows, std::uint64_t salt,
                std::vector<std::uint64_t>& hashes) {
  const std::int64_t n = std::int64_t(rows.size());
  const int d = table.columns;
  std::vector<double> low(d, INFINITY), high(d, -INFINITY), power(d), per_grain(d);
  by_blocks(n, d, [&](std::int64_t start, std::int64_t end, int j) {
    for (std::int64_t i = start; i < end; ++i) {
      const double x = table.at(rows[i], j);
      low[j] = std::min(low[j], x);
      high[j] = std::max(high[j], x);
    }
  });
  std::vector<std::uint64_t> salts(d);
  for (int j = 0; j < d; ++j) {
    power[j] = power_of_two(std::max(std::fabs(low[j]), std::fabs(high[j])));
    low[j] *= power[j];
    const double width = high[j] * power[j] - low[j];
    per_grain[j] = width > 0 ? width : 1;
    salts[j] = mix(mix(salt) + std::uint64_t(j));
  }
  by_blocks(n, d, [&](std::int64_t start, std::int64_t end, int j) {
    for (std::int64_t i = start; i < end; ++i) {
      const double place = (table.at(rows[i], j) * power[j] - low[j]) / per_grain[j];
      hashes[i] += mix(grain_at(place) + salts[j]);
    }
  });
}

template <typename Real>
void standardise(const TableView<Real>& table, const RowNumbers& rows, const double* weight,
                 Real* Z, double* centre, double* scale) {
  const std::int64_t n = std::int64_t(rows.size());
  by_blocks(n, table.columns, [&](std::int64_t start, std::int64_t end, int j) {
    for (std::int64_t i = start; i < end; ++i)
      Z[j * n + i] = table.data[rows[i] * table.row_stride + j * table.column_stride];
  });
  double total = 0;
  for (std::int64_t i = 0; i < n; ++i) total += weight[i];
  for (int j = 0; j < table.columns; ++j) {
    Real* z = Z + j * n;
    const auto [low, high] = std::minmax_element(z, z + n);
    const double power = power_of_two(std::max(std::fabs(*low), std::fabs(*high)));
    double mean = 0, square = 0;
    for (std::int64_t i = 0; i < n; ++i) mean += weight[i] * (z[i] * power);
    mean /= total;
    for (std::int64_t i = 0; i < n; ++i) {
      const double x = z[i] * power - mean;
      square += weight[i] * x * x;
    }
    double spread = std::sqrt(square / total);
    // Where only rows of next to no weight differ, there is no spread either.
    const bool constant = *low == *high || !(spread > 0);
    if (constant) spread = 1;
    for (std::int64_t i = 0; i < n; ++i)
      z[i] = constant ? Real(0) : Real((z[i] * power - mean) / spread);
    centre[j] = mean / power;
    // Positive even if the spread of subnormal numbers rounds to zero.
    scale[j] = std::max(spread / power, std::numeric_limits<double>::denorm_min());
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

template void add_hashes(const TableView<float>&, const RowNumbers&, std::uint64_t,
                         std::vector<std::uint64_t>&);
template void add_hashes(const TableView<double>&, const RowNumbers&, std::uint64_t,
                         std::vector<std::uint64_t>&);
template void standardise(const TableView<float>&, const RowNumbers&, const double*, float*,
                          double*, double*);
template void standardise(const TableView<double>&, const RowNumbers&, const double*, double*,
                          double*, double*);

}  // namespace sorb
