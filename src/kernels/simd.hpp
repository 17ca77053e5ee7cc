// Vector loops: run-time dispatch to AVX2 from one portable binary, and an exp() that vectorises.
#pragma once
#include <cstdint>
#include <cstring>

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12 && defined(__x86_64__) && \
    defined(__linux__) && !defined(SORB_NO_DISPATCH)
#define SORB_DISPATCH __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define SORB_DISPATCH
#endif

#if defined(__GNUC__)
#define SORB_INLINE inline __attribute__((always_inline))
#else
#define SORB_INLINE inline
#endif

namespace sorb {

// e^x for -708 <= x <= 0, to about one unit in the last place, without branches or table look-ups.
// x = k ln 2 + r with |r| <= ln 2 / 2; e^r by its Taylor series, 2^k by writing the exponent bits.
SORB_INLINE double exp_nonpositive(double x) {
  constexpr double log2_e = 1.4426950408889634074;
  constexpr double ln2_high = 6.93145751953125e-1, ln2_low = 1.42860682030941723212e-6;
  constexpr double round_to_integer = 6755399441055744.0;  // 1.5 * 2^52
  x = x < -708.0 ? -708.0 : x;
  const double shifted = x * log2_e + round_to_integer;
  const double k = shifted - round_to_integer;
  const double r = (x - k * ln2_high) - k * ln2_low;
  double series = 1.0 / 6227020800.0;
  series = series * r + 1.0 / 479001600.0;
  series = series * r + 1.0 / 39916800.0;
  series = series * r + 1.0 / 3628800.0;
  series = series * r + 1.0 / 362880.0;
  series = series * r + 1.0 / 40320.0;
  series = series * r + 1.0 / 5040.0;
  series = series * r + 1.0 / 720.0;
  series = series * r + 1.0 / 120.0;
  series = series * r + 1.0 / 24.0;
  series = series * r + 1.0 / 6.0;
  series = series * r + 0.5;
  series = series * r + 1.0;
  series = series * r + 1.0;
  std::uint64_t bits;
  std::memcpy(&bits, &shifted, sizeof bits);
  bits = (bits + 1023) << 52;
  double power;
  std::memcpy(&power, &bits, sizeof power);
  return series * power;
}

}  // namespace sorb
