// What a rule may do with the columns: the signs of their weights, and which may stand together.
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

namespace sorb {

// Which columns one rule may use. Columns are numbered with the columns of categories last; several
// may come from one column of the user's, such as its values and whether they are missing.
struct AllowedSets {
  std::vector<int> source;               // the user's column behind each column
  std::vector<std::vector<int>> groups;  // all of a rule's are in one of these; no groups: any
  int most = std::numeric_limits<int>::max();  // that a rule may use of the user's columns

  // For each column, whether a rule that uses some others may use it, too.
  std::vector<std::uint8_t> beside(const std::vector<int>& used) const;
};

struct ColumnLimits {
  // For each numeric column: 1 if the score must not fall as it grows, -1 if it must not rise, else
  // 0. Empty if there are no such columns.
  std::vector<int> direction;
  AllowedSets allowed;  // without sources: no set is ruled out

  // Whether a rule for rows whose gradients have this sign, so that it votes the other way, may
  // give a column this weight.
  bool allow_weight(int column, double weight, int sign) const {
    const int of_column = direction.empty() ? 0 : direction[column];
    return of_column == 0 || of_column * sign * weight <= 0;
  }
  bool allow_weights(const std::vector<int>& columns, const std::vector<double>& weights,
                     int sign) const {
    bool allowed = true;
    for (std::size_t a = 0; a < columns.size(); ++a)
      allowed = allowed && allow_weight(columns[a], weights[a], sign);
    return allowed;
  }
  // For each column, whether it may join these; empty if all may.
  std::vector<std::uint8_t> beside(const std::vector<int>& used) const {
    return allowed.source.empty() ? std::vector<std::uint8_t>() : allowed.beside(used);
  }
};

// The limits of a separator over neighbouring columns, on the rows that the rest of a rule covers.
struct SeparatorLimits {
  ColumnLimits limits{};
  int first = 0;                  // the first of the columns
  std::vector<int> others_use{};  // the columns that the rest of the rule uses

  // Separators tell rows with positive gradients from the others.
  bool allow_weight(int j, int sign_of_weight) const {
    return limits.allow_weight(first + j, sign_of_weight, 1);
  }
  // Whether one of these columns needs a weight of a certain sign.
  bool bind_any(const std::vector<int>& support) const {
    for (int j : support)
      if (!allow_weight(j, 1) || !allow_weight(j, -1)) return true;
    return false;
  }
  // For each column, whether it may join a support; empty if all may.
  std::vector<std::uint8_t> beside(const std::vector<int>& support) const;
};

}  // namespace sorb
