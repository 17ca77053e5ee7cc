// Turns the conjunctions that a search went through into what it reports.
#include "level.hpp"

#include <algorithm>

#include "division.hpp"

namespace sorb {

int Level::complexity() const {
  int sum = 1;
  for (const Proposition& part : parts) sum += 1 + size_of(part);
  return sum;
}

std::vector<Level> dividing_levels(const std::vector<Conjunction>& chain, std::int64_t n) {
  std::vector<Level> levels;
  for (const Conjunction& conjunction : chain) {
    std::unique_ptr<bool[]> covered(new bool[n]);
    std::fill_n(covered.get(), n, true);
    std::vector<Proposition> parts;
    for (const auto& part : conjunction) {
      parts.push_back(part->proposition);
      for (std::int64_t i = 0; i < n; ++i) covered[i] = covered[i] & bool(part->covered[i]);
    }
    const std::optional<std::uint64_t> key = division(covered.get(), n);
    if (key) levels.push_back({std::move(parts), {std::move(covered), std::size_t(n)}, *key});
  }
  return levels;
}

}  // namespace sorb
