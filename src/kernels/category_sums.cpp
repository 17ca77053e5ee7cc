// One pass over the rows for all columns, whose additions do not wait for each other.
#include "category_sums.hpp"

namespace sorb {

CategorySums::CategorySums(const ColumnInfo& info, const Objective& objective,
                           const RowNumbers& rows, const std::vector<int>& columns)
    : rows_(rows), start_(info.categories.size()) {
  if (columns.empty()) return;
  struct Source {
    const std::int32_t* codes;
    Sums* sums;
  };
  std::size_t end = 0;
  for (int column : columns) {
    start_[column] = end;
    end += std::size_t(info.categories[column].n_categories) + 1;
  }
  cells_.resize(end);
  std::vector<Source> sources;
  for (int column : columns)
    sources.push_back({info.categories[column].codes.data(), &cells_[start_[column]]});
  for (std::int64_t row : rows) {
    const double gain = objective.gain[row], mass = objective.mass[row];
    for (const auto& [codes, sums] : sources) {
      Sums& of_category = sums[codes[row]];
      of_category.gain += gain;
      of_category.mass += mass;
      ++of_category.count;
    }
  }
}

}  // namespace sorb
