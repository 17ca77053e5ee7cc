// Sets of categories are cuts of an order of the categories by what their rows gain.
#include "category_sets.hpp"

#include <algorithm>
#include <cmath>

namespace sorb {
namespace {

// What the rows of each category sum up to.
class CategorySums {
 public:
  CategorySums(const CategoryColumn& column, const RowNumbers& rows, const Objective& objective,
               int sign)
      : gain_(column.n_categories + 1), mass_(column.n_categories + 1) {
    Mask seen(column.n_categories + 1);
    for (std::int64_t row : rows) {
      const int code = column.codes[row];
      gain_[code] += sign * objective.gain[row];
      mass_[code] += objective.mass[row];
      seen[code] = 1;
    }
    for (int code = 0; code <= column.n_categories; ++code)
      if (seen[code]) present_.push_back(code);
  }

  // Whether they can be compared.
  bool finite() const {
    const auto is_finite = [](double x) { return std::isfinite(x); };
    return std::all_of(gain_.begin(), gain_.end(), is_finite) &&
           std::all_of(mass_.begin(), mass_.end(), is_finite);
  }

  // The categories that some row has.
  const std::vector<int>& present() const { return present_; }

  // Those with the highest gain / mass^power first.
  std::vector<int> ordered(double power) const {
    std::vector<double> size(mass_);
    for (double& x : size) x = std::pow(x, power);
    std::vector<int> order = present_;
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return gain_[a] * size[b] > gain_[b] * size[a]; });
    return order;
  }

 private:
  std::vector<double> gain_, mass_;
  std::vector<int> present_;
};

// For each row, minus the place of its category in the order.
std::vector<double> negated_places(const CategoryColumn& column, const RowNumbers& rows,
                                   const std::vector<int>& order) {
  std::vector<double> place(column.n_categories + 1), out(rows.size());
  for (std::size_t a = 0; a < order.size(); ++a) place[order[a]] = -double(a);
  for (std::size_t i = 0; i < rows.size(); ++i) out[i] = place[column.codes[rows[i]]];
  return out;
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

std::vector<ScoredProposition> CategorySetSearch::new_sets(const Conjunction& conjunction,
                                                           const RowNumbers& rows, int most) const {
  std::vector<ScoredProposition> found;
  for (int column = 0; column < int(info_.categories.size()); ++column) {
    if (has_set_of(column, conjunction)) continue;
    std::optional<ScoredProposition> set = best(column, rows, 1, most);
    if (set) found.push_back(std::move(*set));
  }
  return found;
}

std::optional<ScoredProposition> CategorySetSearch::best(int column, const RowNumbers& rows,
                                                         int least, int most) const {
  const CategoryColumn& categories = info_.categories[column];
  const CategorySums sums(categories, rows, objective_, sign_);
  if (sums.present().size() < 2 || !sums.finite()) return std::nullopt;
  // The best of all sets covers one end of the order by the mean gain.
  const std::vector<int> order = sums.ordered(1);
  const std::optional<Cut> cut =
      objective_.best_cut(rows, negated_places(categories, rows, order), sign_);
  if (!cut) return std::nullopt;
  const std::size_t covered = std::size_t(std::floor(-cut->threshold)) + 1;
  CategorySet set = set_of_first(column, order, covered, categories.n_categories);
  if (least <= set.size() && set.size() <= most) return ScoredProposition{cut->value, set};
  // A few categories should be frequent as well: their sum then decides, rather than their mean.
  std::optional<ScoredProposition> best;
  for (double power : {1.0, 0.5, 0.0})
    consider_order(column, rows, sums.ordered(power), least, most, best);
  return best;
}

void CategorySetSearch::consider_order(int column, const RowNumbers& rows,
                                       const std::vector<int>& order, int least, int most,
                                       std::optional<ScoredProposition>& best) const {
  const CategoryColumn& categories = info_.categories[column];
  const std::vector<double> projection = negated_places(categories, rows, order);
  const std::size_t place_of_missing =
      std::size_t(std::find(order.begin(), order.end(), categories.n_categories) - order.begin());
  const std::size_t known = order.size() - (place_of_missing < order.size());
  for (std::size_t covered = 1; covered < order.size(); ++covered) {
    const std::size_t first = covered - (place_of_missing < covered);
    const int size = std::max(1, int(std::min(first, known - first)));
    if (size < least || size > most) continue;
    const double value = objective_.score(
        rows_where(rows, [&](std::size_t i) { return projection[i] > -double(covered); }), sign_);
    if (value > (best ? best->value * (1 + rounding) : 0))
      best = {value, set_of_first(column, order, covered, categories.n_categories)};
  }
}

}  // namespace sorb
