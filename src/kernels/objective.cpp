// Sums over rows, and cuts: by a histogram for the ratios of two sums, by sorting otherwise.
#include "objective.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "passes.hpp"

namespace sorb {
namespace {

double ratio(ObjectiveKind kind, double ridge, double gain, double mass) {
  if (!(gain > 0)) return 0;
  switch (kind) {
    case ObjectiveKind::gradient_boosting:
      return mass > 0 ? gain / std::sqrt(mass) : 0;
    case ObjectiveKind::second_order:
      return mass + ridge > 0 ? gain * gain / (mass + ridge) : 0;
    default:
      return gain;
  }
}

// `projected`: the coefficients of the indicator on the basis of the span.
double orthogonal(double epsilon, double gain, double mass, const std::vector<double>& projected) {
  if (!(gain > 0)) return 0;
  for (double x : projected) mass -= x * x;
  const double norm = std::sqrt(std::max(mass, 0.0));
  return norm > epsilon ? gain / (norm + epsilon) : 0;
}

// Four independent sums, so that no addition waits for the one before.
double sum_at(const Buffer<double>& values, const RowNumbers& rows) {
  double sum[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= rows.size(); i += 4)
    for (int k = 0; k < 4; ++k) sum[k] += values[rows[i + k]];
  for (; i < rows.size(); ++i) sum[0] += values[rows[i]];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// Half-way between the lowest kept and the highest dropped projection, so that no row is on it.
double threshold_below(double kept, const std::vector<double>& projection) {
  const double dropped = highest_below(std::int64_t(projection.size()), projection.data(), kept);
  const double middle = dropped + (kept - dropped) / 2;
  return middle > dropped ? middle : kept;
}

// Sums over the rows in a bin, and over those in all bins above.
struct Bin {
  double gain = 0, positive_gain = 0, mass = 0;
  double gain_above = 0, mass_above = 0;
};

// O(n) for most inputs: a histogram bounds the best cut within each bin, and only the rows of bins
// that may beat the best border between bins are sorted.
std::optional<Cut> ratio_cut(const Objective& objective, const RowNumbers& rows,
                             const std::vector<double>& projection, double low, double high,
                             int sign) {
  const std::int64_t n = std::int64_t(rows.size());
  const bool has_mass = objective.kind != ObjectiveKind::gradient_sum;
  const auto value_of = [&](double gain, double mass) {
    return ratio(objective.kind, objective.ridge, gain, mass);
  };
  // No value with at most this gain and at least this mass is larger.
  const auto bound = [&](double gain, double mass) {
    return gain > 0 && mass == 0 && has_mass ? INFINITY : value_of(gain, mass);
  };
  const int bins = int(std::clamp<std::int64_t>(n / 4, 8, 4096));
  // Finite even for a tiny range, so that no product below is NaN.
  const double per_unit = std::min(bins / (high - low), 1e300) * (1 - 1e-12);
  std::vector<Bin> bin(bins);
  std::vector<std::uint16_t> bin_of(n);
  find_bins(n, projection.data(), low, per_unit, bins, bin_of.data());
  for (std::int64_t i = 0; i < n; ++i) {
    const double gain = sign * objective.gain[rows[i]];
    bin[bin_of[i]].gain += gain;
    bin[bin_of[i]].positive_gain +=
        (gain + std::fabs(gain)) / 2;  // branch-free: the sign is unpredictable
  }
  double smallest_mass = INFINITY;
  for (std::int64_t i = 0; has_mass && i < n; ++i) {
    const double mass = objective.mass[rows[i]];
    bin[bin_of[i]].mass += mass;
    smallest_mass = std::min(smallest_mass, mass);
  }
  // Borders between bins, from the top: all rows of the bins above are kept. The first bin contains
  // the lowest row, which must be dropped.
  double best = 0, best_kept = 0, sum = 0, total = 0;
  std::optional<int> best_bin;
  for (int b = bins - 1; b >= 0; --b) {
    bin[b].gain_above = sum;
    bin[b].mass_above = total;
    sum += bin[b].gain;
    total += bin[b].mass;
    const double value = b > 0 ? value_of(sum, total) : 0;
    if (value > best) best = value, best_bin = b;
  }
  std::vector<std::uint8_t> may_win(bins);
  for (int b = 0; b < bins; ++b)
    may_win[b] = bound(bin[b].gain_above + bin[b].positive_gain,
                       bin[b].mass_above + (has_mass ? smallest_mass : 0)) > best;
  std::vector<std::int64_t> candidates;
  for (std::int64_t i = 0; i < n; ++i)
    if (may_win[bin_of[i]]) candidates.push_back(i);
  std::sort(candidates.begin(), candidates.end(),
            [&](std::int64_t i, std::int64_t j) { return projection[i] > projection[j]; });
  for (std::size_t a = 0; a < candidates.size(); ++a) {
    const int b = bin_of[candidates[a]];
    if (a == 0 || bin_of[candidates[a - 1]] != b)
      sum = bin[b].gain_above, total = bin[b].mass_above;
    sum += sign * objective.gain[rows[candidates[a]]];
    total += objective.mass[rows[candidates[a]]];
    const bool last_of_bin = a + 1 == candidates.size() || bin_of[candidates[a + 1]] != b;
    if (last_of_bin || projection[candidates[a + 1]] == projection[candidates[a]]) continue;
    const double value = value_of(sum, total);
    if (value > best) best = value, best_kept = projection[candidates[a]], best_bin.reset();
  }
  if (best_bin) best_kept = least_in_bin(n, projection.data(), bin_of.data(), *best_bin);
  if (!(best > 0)) return std::nullopt;
  return Cut{threshold_below(best_kept, projection), best};
}

// O(n log n + n k): each row that is added changes the projection of the indicator on the span.
std::optional<Cut> orthogonal_cut(const Objective& objective, const RowNumbers& rows,
                                  const std::vector<double>& projection, int sign) {
  std::vector<std::int64_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::int64_t i, std::int64_t j) { return projection[i] > projection[j]; });
  const Span& span = *objective.span;
  const int k = int(span.basis.columns);
  std::vector<double> projected(k);
  double best = 0, best_kept = 0, sum = 0, total = 0;
  for (std::size_t a = 0; a + 1 < order.size(); ++a) {
    const std::int64_t row = rows[order[a]];
    const double mass = objective.mass[row];
    const double* values = span.basis.row(span.pattern[row]);
    for (int c = 0; c < k; ++c) projected[c] += mass * values[c];
    sum += sign * objective.gain[row];
    total += mass;
    if (projection[order[a + 1]] == projection[order[a]]) continue;
    const double value = orthogonal(objective.ridge, sum, total, projected);
    if (value > best) best = value, best_kept = projection[order[a]];
  }
  if (!(best > 0)) return std::nullopt;
  return Cut{threshold_below(best_kept, projection), best};
}

}  // namespace

double Objective::score(const RowNumbers& rows, int sign) const {
  const double sum = sum_at(gain, rows);
  const double total = kind == ObjectiveKind::gradient_sum ? 0 : sum_at(mass, rows);
  if (!span) return ratio(kind, ridge, sign * sum, total);
  const Matrix<double>& basis = span->basis;
  const int P = int(basis.rows), k = int(basis.columns);
  std::vector<double> in_pattern(P), projected(k);
  for (std::int64_t row : rows) in_pattern[span->pattern[row]] += mass[row];
  for (int p = 0; p < P; ++p)
    for (int c = 0; in_pattern[p] != 0 && c < k; ++c)
      projected[c] += in_pattern[p] * basis.row(p)[c];
  return orthogonal(ridge, sign * sum, total, projected);
}

std::optional<Cut> Objective::best_cut(const RowNumbers& rows,
                                       const std::vector<double>& projection, int sign) const {
  if (rows.size() < 2) return std::nullopt;
  double ends[2];
  range(std::int64_t(projection.size()), projection.data(), ends);
  if (!(ends[1] > ends[0])) return std::nullopt;
  return span ? orthogonal_cut(*this, rows, projection, sign)
              : ratio_cut(*this, rows, projection, ends[0], ends[1], sign);
}

}  // namespace sorb
