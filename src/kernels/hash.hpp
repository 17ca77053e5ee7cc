// The scrambling of 64 bits, which all random draws are based on.
#pragma once
#include <cstdint>

namespace sorb {

// The finaliser of SplitMix64.
inline std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

}  // namespace sorb
