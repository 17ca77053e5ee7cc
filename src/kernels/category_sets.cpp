// Sets of categories are cuts of an order of the categories by what their rows gain.
#include "category_sets.hpp"

#include <algorithm>
#include <cmath>

namespace sorb {
namespace {

// The categories of a column that some row has. None if some sum is not finite, so that they cannot
// be compared.
std::vector<int> comparable(const CategorySums& sums, int column, int n_categories) {
  std::vector<int> found;
  for (int code = 0; code <= n_categories; ++code) {
    const CategorySums::Sums& of_code = sums.of(column, code);
    if (!std::isfinite(of_code.gain) || !std::isfinite(of_code.mass)) return {};
    if (of_code.count > 0) found.push_back(code);
  }
  return found;
}

// Covers the first categories of the order. Names these, or all others, whichever are fewer.
CategorySet set_of_first(int column, const std::vector<int>& order, std::size_t covered,
                         int missing_code) {
  CategorySet set{column};
  std::vector<int> first, others;
  for (std::size_t a = 0; a < order.size(); ++a) {
    if (order[a] == missing_code)
      set.covers_missing = a < covered;
    else
      (a < covered ? first : others).push_back(order[a]);
  }
  set.negated = others.size() < first.size();
  set.categories = std::move(set.negated ? others : first);
  std::sort(set.categories.begin(), set.categories.end());
  return set;
}

// Whether one of the parts is a set of categories of this column.
bool has_set_of(int column, const Conjunction& conjunction) {
  return std::any_of(conjunction.begin(), conjunction.end(), [&](const auto& part) {
    const CategorySet* set = std::get_if<CategorySet>(&part->proposition);
    return set && set->column == column;
  });
}

}  // namespace

std::vector<int> columns_without_set(const ColumnInfo& info, const Conjunction& conjunction,
                                     int d) {
  const std::vector<std::uint8_t> permitted = info.limits.beside(columns_of(conjunction, d));
  std::vector<int> columns;
  for (int column = 0; column < int(info.categories.size()); ++column)
    if (!has_set_of(column, conjunction) && (permitted.empty() || permitted[d + column]))
      columns.push_back(column);
  return columns;
}

std::optional<ScoredProposition> CategorySetSearch::best(int column, const CategorySums& sums,
                                                         int least, int most) const {
  const int missing_code = info_.categories[column].n_categories;
  const std::vector<int> categories = comparable(sums, column, missing_code);
  if (categories.size() < 2) return std::nullopt;
  const auto order_by = [&](double power) { return ordered(column, sums, categories, power); };
  // The best of all sets covers one end of the order by the mean gain.
  const std::vector<int> order = order_by(1);
  const std::vector<double> values = values_of_first(column, sums, order);
  const auto top = std::max_element(values.begin(), values.end());
  if (!(*top > 0)) return std::nullopt;
  const std::size_t covered = std::size_t(top - values.begin()) + 1;
  CategorySet set = set_of_first(column, order, covered, missing_code);
  if (least <= set.size() && set.size() <= most) return ScoredProposition{*top, set};
  // A few categories should be frequent as well: their sum then decides, rather than their mean.
  std::optional<ScoredProposition> best;
  for (double power : {1.0, 0.5, 0.0})
    consider_order(column, sums, order_by(power), least, most, best);
  return best;
}

std::vector<int> CategorySetSearch::ordered(int column, const CategorySums& sums,
                                            std::vector<int> categories, double power) const {
  std::vector<double> size(std::size_t(info_.categories[column].n_categories) + 1);
  for (int code : categories) size[code] = std::pow(sums.of(column, code).mass, power);
  std::stable_sort(categories.begin(), categories.end(), [&](int a, int b) {
    return sign_ * sums.of(column, a).gain * size[b] > sign_ * sums.of(column, b).gain * size[a];
  });
  return categories;
}

std::vector<double> CategorySetSearch::values_of_first(int column, const CategorySums& sums,
                                                       const std::vector<int>& order) const {
  std::vector<double> values;
  RowTotals totals = objective_.no_rows();
  const RowNumbers rows = objective_.span ? rows_in_order(column, sums, order) : RowNumbers();
  auto next = rows.begin();
  for (std::size_t a = 0; a + 1 < order.size(); ++a) {
    const CategorySums::Sums& added = sums.of(column, order[a]);
    if (objective_.span) {
      for (std::int64_t i = 0; i < added.count; ++i) objective_.add(*next++, totals);
    } else {
      totals.gain += added.gain;
      totals.mass += added.mass;
    }
    values.push_back(objective_.value_of(totals, sign_));
  }
  return values;
}

RowNumbers CategorySetSearch::rows_in_order(int column, const CategorySums& sums,
                                            const std::vector<int>& order) const {
  const CategoryColumn& categories = info_.categories[column];
  std::vector<std::size_t> end(std::size_t(categories.n_categories) + 1);
  std::size_t before = 0;
  for (int code : order) end[code] = before += std::size_t(sums.of(column, code).count);
  RowNumbers out(sums.rows().size());
  for (std::int64_t row : sums.rows()) out[--end[categories.codes[row]]] = row;
  return out;
}

void CategorySetSearch::consider_order(int column, const CategorySums& sums,
                                       const std::vector<int>& order, int least, int most,
                                       std::optional<ScoredProposition>& best) const {
  const int missing_code = info_.categories[column].n_categories;
  const std::vector<double> values = values_of_first(column, sums, order);
  const std::size_t place_of_missing =
      std::size_t(std::find(order.begin(), order.end(), missing_code) - order.begin());
  const std::size_t known = order.size() - (place_of_missing < order.size());
  for (std::size_t covered = 1; covered < order.size(); ++covered) {
    const std::size_t first = covered - (place_of_missing < covered);
    const int size = std::max(1, int(std::min(first, known - first)));
    if (size < least || size > most) continue;
    const double value = values[covered - 1];
    if (value > (best ? best->value * (1 + rounding) : 0))
      best = {value, set_of_first(column, order, covered, missing_code)};
  }
}

}  // namespace sorb
