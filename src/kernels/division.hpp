// How a condition divides the rows of a table.
#pragma once
#include <cstdint>
#include <optional>

namespace sorb {

// A key that is the same for a condition and its complement. None if all rows are on one side.
std::optional<std::uint64_t> division(const bool* covered, std::int64_t n);

}  // namespace sorb
