// What a proposition tests of a row: which side of a plane it lies on, or what its category is.
#pragma once
#include <algorithm>
#include <tuple>
#include <variant>
#include <vector>

namespace sorb {

// Covers the rows with weights · values of the columns >= threshold.
struct HalfSpace {
  std::vector<int> columns;
  std::vector<double> weights;
  double threshold;
  bool covers_missing = false;  // whether it covers rows in which one of the values is missing

  int size() const { return int(weights.size()); }
  bool operator==(const HalfSpace& other) const {
    return std::tie(columns, weights, threshold, covers_missing) ==
           std::tie(other.columns, other.weights, other.threshold, other.covers_missing);
  }
};

// Covers the rows whose category is one of these or, if negated, another one.
struct CategorySet {
  int column;  // its number among the columns of categories
  std::vector<int> categories{};
  bool negated = false;
  bool covers_missing = false;  // whether it covers rows whose category is missing

  int size() const { return std::max(1, int(categories.size())); }
  bool operator==(const CategorySet& other) const {
    return std::tie(column, categories, negated, covers_missing) ==
           std::tie(other.column, other.categories, other.negated, other.covers_missing);
  }
};

using Proposition = std::variant<HalfSpace, CategorySet>;

// The number of weights or categories in it.
inline int size_of(const Proposition& proposition) {
  return std::visit([](const auto& p) { return p.size(); }, proposition);
}

// A proposition, and the objective of the rows that it covers.
struct ScoredProposition {
  double value;
  Proposition proposition;
};

constexpr double rounding = 1e-9;  // values that differ by a smaller share are equal

}  // namespace sorb
