// Sorting by digits: faster than by comparisons, whose outcomes are unpredictable.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "row_numbers.hpp"

namespace sorb {

// A row, and a number that falls as its value rises; equal values have equal keys.
struct KeyedRow {
  std::uint64_t key;
  std::int64_t row;
};

inline std::uint64_t falling_key(double value) {
  value += 0.0;  // a negative zero equals zero
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits >> 63 ? bits : ~bits & ~(std::uint64_t(1) << 63);
}

inline double value_of_key(std::uint64_t key) {
  const std::uint64_t bits = key >> 63 ? key : ~key & ~(std::uint64_t(1) << 63);
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Rows by falling values, which are finite; among equals, the last row first.
inline Temporary<KeyedRow> falling_order(const RowNumbers& rows, const RowValues& values) {
  // The upper half of a key has the sign, the exponent and 20 bits of the digits. What it leaves
  // undecided is compared.
  constexpr int first_digit = 4, digits = 4;
  const std::size_t n = rows.size();
  Temporary<KeyedRow> order(n), room(n);
  std::array<std::array<std::uint32_t, 256>, digits> counts{};
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t key = falling_key(values[i]);
    order[n - 1 - i] = {key, rows[i]};
    for (int k = 0; k < digits; ++k) ++counts[k][key >> 8 * (first_digit + k) & 255];
  }
  for (int k = 0; k < digits; ++k) {
    const int shift = 8 * (first_digit + k);
    std::array<std::uint32_t, 256>& place = counts[k];
    // Keys that share the digit are in order.
    if (n == 0 || place[order[0].key >> shift & 255] == n) continue;
    std::uint32_t before = 0;
    for (std::uint32_t& count : place) before += std::exchange(count, before);
    for (const KeyedRow& keyed : order) room[place[keyed.key >> shift & 255]++] = keyed;
    order.swap(room);
  }
  const auto upper = [&](std::size_t i) { return order[i].key >> 8 * first_digit; };
  for (std::size_t first = 0, last; first < n; first = last) {
    bool sorted = true;
    for (last = first + 1; last < n && upper(last) == upper(first); ++last)
      sorted &= order[last - 1].key <= order[last].key;
    if (!sorted)
      std::stable_sort(order.begin() + first, order.begin() + last,
                       [](const KeyedRow& a, const KeyedRow& b) { return a.key < b.key; });
  }
  return order;
}

}  // namespace sorb
