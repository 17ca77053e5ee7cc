// Rows with a missing value are put beyond one end of the projection, and then cut as all others.
#include "missing_values.hpp"

#include <algorithm>
#include <cmath>

namespace sorb {
namespace {

struct Range {
  double low, high;
};

// Of the rows without a missing value. None if their projections are all the same.
std::optional<Range> known_range(const RowValues& projection, const Mask& missing) {
  Range range{INFINITY, -INFINITY};
  for (std::size_t i = 0; i < projection.size(); ++i) {
    // Branch-free: which values are missing is unpredictable.
    const double at_least = missing[i] ? INFINITY : projection[i];
    const double at_most = missing[i] ? -INFINITY : projection[i];
    range.low = at_least < range.low ? at_least : range.low;
    range.high = at_most > range.high ? at_most : range.high;
  }
  if (!(range.high > range.low)) return std::nullopt;
  return range;
}

}  // namespace

std::optional<Mask> missing_in_any(const ColumnInfo& info, const std::vector<int>& columns,
                                   const RowNumbers& rows) {
  Mask out;
  for (int j : columns) {
    const bool* missing = info.missing_in(j);
    if (!missing) continue;
    out.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) out[i] |= std::uint8_t(missing[rows[i]]);
  }
  if (std::find(out.begin(), out.end(), 1) == out.end()) return std::nullopt;
  return out;
}

CutsBySign best_cuts_with_missing(const Objective& objective, const RowNumbers& rows,
                                  RowValues& projection, const std::optional<Mask>& missing,
                                  bool keep_missing, const Signs& signs) {
  if (!missing) return objective.best_cuts(rows, projection, signs);
  const std::optional<Range> range = known_range(projection, *missing);
  if (!range) return {};
  const auto [low, high] = *range;
  const double beyond = keep_missing ? high + (high - low) : low - (high - low);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if ((*missing)[i]) projection[i] = beyond;
  CutsBySign cuts = objective.best_cuts(rows, projection, signs);
  for (std::optional<Cut>& cut : cuts)
    if (cut && !(cut->threshold > low && cut->threshold <= high)) cut.reset();
  return cuts;
}

}  // namespace sorb
