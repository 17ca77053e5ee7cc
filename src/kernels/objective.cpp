// Sums over rows, and cuts: by a histogram for the ratios of two sums, by sorting otherwise.
#include "objective.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "falling_order.hpp"
#include "passes.hpp"

namespace sorb {
namespace {

constexpr double negligible_mass = 1e-9;  // the share that may be nothing but rounding

double ratio(ObjectiveKind kind, double ridge, double gain, double mass) {
  if (!(gain > 0)) return 0;
  switch (kind) {
    case ObjectiveKind::gradient_sum:
      return gain;
    case ObjectiveKind::gradient_boosting:
      return mass > 0 ? gain / std::sqrt(mass) : 0;
    case ObjectiveKind::second_order:
      return mass + ridge > 0 ? gain * gain / (mass + ridge) : 0;
    case ObjectiveKind::orthogonal:
      break;
  }
  throw std::logic_error("the objective is not a ratio of two sums");
}

// What is left off the span. `projected`: the coefficients of the indicator on its basis.
double off_span(ObjectiveKind kind, double ridge, double gain, double mass,
                const std::vector<double>& projected) {
  if (!(gain > 0)) return 0;
  double left = mass;
  for (double x : projected) left -= x * x;
  if (kind == ObjectiveKind::second_order)
    return left > negligible_mass * mass ? ratio(kind, ridge, gain, left) : 0;
  const double norm = std::sqrt(std::max(left, 0.0));
  return norm > ridge ? gain / (norm + ridge) : 0;
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
double threshold_below(double kept, const RowValues& projection) {
  const double dropped = highest_below(std::int64_t(projection.size()), projection.data(), kept);
  const double middle = dropped + (kept - dropped) / 2;
  return middle > dropped ? middle : kept;
}

// The best cut for the ratios of two sums. O(n) for most inputs: a histogram bounds the best cut
// within each bin, and only the rows of bins that may beat the best border between bins are sorted.
class RatioCut {
 public:
  RatioCut(const Objective& objective, const RowNumbers& rows, const RowValues& projection,
           int sign)
      : objective_(objective),
        rows_(rows),
        projection_(projection),
        sign_(sign),
        n_(std::int64_t(rows.size())),
        has_mass_(objective.kind != ObjectiveKind::gradient_sum),
        bins_(std::size_t(std::clamp<std::int64_t>(n_ / 4, 8, 4096))),
        bin_of_(n_) {}

  // `low` and `high` are the ends of the projection.
  std::optional<Cut> best(double low, double high) {
    fill_bins(low, high);
    const Border border = best_border();
    const std::optional<Place> within = best_within(rows_of_bins_above(border.value), border.value);
    if (within) return Cut{threshold_below(within->kept, projection_), within->value};
    if (!(border.value > 0)) return std::nullopt;
    const double kept = least_in_bin(n_, projection_.data(), bin_of_.data(), border.bin);
    return Cut{threshold_below(kept, projection_), border.value};
  }

 private:
  // Sums over the rows in a bin. When the borders have been compared, gain and mass are those of
  // all bins above: cuts within the bin start from there.
  struct Bin {
    double gain = 0, positive_gain = 0, mass = 0;
  };

  // Keeps the rows of this bin and of all above.
  struct Border {
    int bin = 0;
    double value = 0;
  };

  // Keeps the rows from this projection on.
  struct Place {
    double kept, value;
  };

  double value_of(double gain, double mass) const {
    return ratio(objective_.kind, objective_.ridge, gain, mass);
  }

  // No value with at most this gain and at least this mass is larger.
  double bound(double gain, double mass) const {
    return gain > 0 && mass == 0 && has_mass_ ? INFINITY : value_of(gain, mass);
  }

  void fill_bins(double low, double high) {
    const int bins = int(bins_.size());
    // Finite even for a tiny range, so that no product below is NaN.
    const double per_unit = std::min(bins / (high - low), 1e300) * (1 - 1e-12);
    find_bins(n_, projection_.data(), low, per_unit, bins, bin_of_.data());
    for (std::int64_t i = 0; i < n_; ++i) {
      const double gain = sign_ * objective_.gain[rows_[i]];
      bins_[bin_of_[i]].gain += gain;
      bins_[bin_of_[i]].positive_gain +=
          (gain + std::fabs(gain)) / 2;  // branch-free: the sign is unpredictable
    }
    if (!has_mass_) return;
    smallest_mass_ = INFINITY;
    for (std::int64_t i = 0; i < n_; ++i) {
      const double mass = objective_.mass[rows_[i]];
      bins_[bin_of_[i]].mass += mass;
      smallest_mass_ = std::min(smallest_mass_, mass);
    }
  }

  // From the top. The first bin contains the lowest row, which must be dropped.
  Border best_border() {
    Border best;
    double gain = 0, mass = 0;
    for (int b = int(bins_.size()) - 1; b >= 0; --b) {
      gain += std::exchange(bins_[b].gain, gain);
      mass += std::exchange(bins_[b].mass, mass);
      const double value = b > 0 ? value_of(gain, mass) : 0;
      if (value > best.value) best = {b, value};
    }
    return best;
  }

  // The rows, by falling projection, of the bins within which a cut may be worth more than this.
  RowNumbers rows_of_bins_above(double value) const {
    Mask may_win(bins_.size());
    for (std::size_t b = 0; b < bins_.size(); ++b)
      may_win[b] =
          bound(bins_[b].gain + bins_[b].positive_gain, bins_[b].mass + smallest_mass_) > value;
    RowNumbers found(n_);
    std::size_t count = 0;
    for (std::int64_t i = 0; i < n_; ++i) {
      found[count] = i;
      count += may_win[bin_of_[i]];  // branch-free: where a row falls is unpredictable
    }
    found.resize(count);
    return sorted(found);
  }

  // By falling projection: the bins are in order, so that only the rows of each must be compared.
  RowNumbers sorted(const RowNumbers& places) const {
    std::vector<std::size_t> end(bins_.size());
    for (std::int64_t i : places) ++end[bin_of_[i]];
    std::size_t before = 0;
    for (std::size_t b = end.size(); b-- > 0;) before += std::exchange(end[b], before);
    RowNumbers order(places.size());
    for (std::int64_t i : places) order[end[bin_of_[i]]++] = i;
    for (std::size_t first = 0; first < order.size();) {
      const std::size_t last = end[bin_of_[order[first]]];
      std::sort(order.begin() + first, order.begin() + last,
                [&](std::int64_t i, std::int64_t j) { return projection_[i] > projection_[j]; });
      first = last;
    }
    return order;
  }

  // The best cut between two of these rows in the same bin. None if none is worth more than this.
  std::optional<Place> best_within(const RowNumbers& candidates, double value_to_beat) const {
    std::optional<Place> best;
    double gain = 0, mass = 0;
    for (std::size_t a = 0; a < candidates.size(); ++a) {
      const int b = bin_of_[candidates[a]];
      if (a == 0 || bin_of_[candidates[a - 1]] != b) gain = bins_[b].gain, mass = bins_[b].mass;
      gain += sign_ * objective_.gain[rows_[candidates[a]]];
      mass += objective_.mass[rows_[candidates[a]]];
      const bool last_of_bin = a + 1 == candidates.size() || bin_of_[candidates[a + 1]] != b;
      if (last_of_bin || projection_[candidates[a + 1]] == projection_[candidates[a]]) continue;
      const double value = value_of(gain, mass);
      if (value > (best ? best->value : value_to_beat)) best = {projection_[candidates[a]], value};
    }
    return best;
  }

  const Objective& objective_;
  const RowNumbers& rows_;
  const RowValues& projection_;
  const int sign_;
  const std::int64_t n_;
  const bool has_mass_;
  double smallest_mass_ = 0;  // of a row
  std::vector<Bin> bins_;
  Temporary<std::uint16_t> bin_of_;
};

// O(n k): each row that is added changes the projection of the indicator on the span. The rows are
// sorted once for both signs.
CutsBySign off_span_cuts(const Objective& objective, const RowNumbers& rows,
                         const RowValues& projection, const Signs& signs) {
  const Temporary<KeyedRow> order = falling_order(rows, projection);
  RowTotals totals = objective.no_rows();
  struct {
    double value = 0;
    std::uint64_t kept = 0;
  } best[2];
  for (std::size_t a = 0; a + 1 < order.size(); ++a) {
    const auto [key, row] = order[a];
    objective.add(row, totals);
    const bool negative = totals.gain < 0;
    if (order[a + 1].key == key || !signs[negative]) continue;
    const double value = objective.value_of(totals, negative ? -1 : 1);
    if (value > best[negative].value) best[negative] = {value, key};
  }
  CutsBySign cuts;
  for (int which : {0, 1})
    if (const auto [value, kept] = best[which]; value > 0)
      cuts[which] = Cut{threshold_below(value_of_key(kept), projection), value};
  return cuts;
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
  return off_span(kind, ridge, sign * sum, total, projected);
}

RowTotals Objective::no_rows() const {
  return {0, 0, std::vector<double>(span ? std::size_t(span->basis.columns) : 0)};
}

double Objective::value_of(const RowTotals& totals, int sign) const {
  return span ? off_span(kind, ridge, sign * totals.gain, totals.mass, totals.projected)
              : ratio(kind, ridge, sign * totals.gain, totals.mass);
}

CutsBySign Objective::best_cuts(const RowNumbers& rows, const RowValues& projection,
                                const Signs& signs) const {
  if (rows.size() < 2) return {};
  double ends[2];
  const bool finite = range(std::int64_t(projection.size()), projection.data(), ends);
  if (!finite || !(ends[1] > ends[0])) return {};
  if (span) return off_span_cuts(*this, rows, projection, signs);
  CutsBySign cuts;
  for (int which : {0, 1})
    if (signs[which])
      cuts[which] = RatioCut(*this, rows, projection, which ? -1 : 1).best(ends[0], ends[1]);
  return cuts;
}

}  // namespace sorb
