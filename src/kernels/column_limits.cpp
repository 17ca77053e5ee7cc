// The union of the groups that hold all that a rule uses so far.
#include "column_limits.hpp"

#include <algorithm>

namespace sorb {

std::vector<std::uint8_t> AllowedSets::beside(const std::vector<int>& used) const {
  const int n_sources = source.empty() ? 0 : 1 + *std::max_element(source.begin(), source.end());
  std::vector<std::uint8_t> is_used(n_sources), may_join(n_sources, groups.empty());
  for (int column : used) is_used[source[column]] = 1;
  const auto count = [&](const std::vector<int>& group) {
    return std::count_if(group.begin(), group.end(),
                         [&](int s) { return s < n_sources && is_used[s]; });
  };
  const auto n_used = std::count(is_used.begin(), is_used.end(), 1);
  for (const std::vector<int>& group : groups)
    if (count(group) == n_used)
      for (int s : group)
        if (s < n_sources) may_join[s] = 1;
  if (n_used >= most)
    for (int s = 0; s < n_sources; ++s) may_join[s] = may_join[s] && is_used[s];
  std::vector<std::uint8_t> out;
  for (int s : source) out.push_back(may_join[s]);
  return out;
}

std::vector<std::uint8_t> SeparatorLimits::beside(const std::vector<int>& support) const {
  if (limits.allowed.source.empty()) return {};
  std::vector<int> used = others_use;
  for (int j : support) used.push_back(first + j);
  std::vector<std::uint8_t> all = limits.beside(used);
  return {all.begin() + first, all.end()};
}

}  // namespace sorb
