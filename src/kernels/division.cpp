// A hash of the bits that say which rows are covered.
#include "division.hpp"

#include <algorithm>
#include <cstring>

#include "hash.hpp"

namespace sorb {

std::optional<std::uint64_t> division(const bool* covered, std::int64_t n) {
  std::uint64_t key = 0, any = 0;
  // Eight copies of the first row's byte: differences from it are the same for complements.
  const std::uint64_t first = n > 0 && covered[0] ? 0x0101010101010101u : 0;
  for (std::int64_t start = 0; start < n; start += 64) {
    std::uint64_t word = 0;
    for (std::int64_t i = start; i < std::min(start + 64, n); i += 8) {
      std::uint64_t eight = first;
      std::memcpy(&eight, covered + i, i + 8 <= n ? 8 : std::size_t(n - i));
      // The product brings the lowest bits of the eight bytes together in the highest byte.
      word |= ((eight ^ first) * 0x0102040810204080u >> 56) << (i - start);
    }
    key = mix(key ^ word) + 1;
    any |= word;
  }
  if (!any) return std::nullopt;
  return key;
}

}  // namespace sorb
