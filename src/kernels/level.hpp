// What a search found: one condition for each level of complexity.
#pragma once
#include <cstdint>
#include <vector>

#include "buffer.hpp"
#include "conjunction.hpp"

namespace sorb {

struct Level {
  std::vector<Proposition> parts;
  Buffer<bool> covered;  // whether all parts cover each row of the table
  std::uint64_t division;

  int complexity() const;  // of a rule with this condition
};

// The levels of a chain that divide the n rows of the table.
std::vector<Level> dividing_levels(const std::vector<Conjunction>& chain, std::int64_t n);

}  // namespace sorb
