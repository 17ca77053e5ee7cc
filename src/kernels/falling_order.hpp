// Sorting by digits: faster than by comparisons, whose outcomes are unpredictable.
#pragma once
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
  const std::size_t n = rows.size();
  Temporary<KeyedRow> order(n), room(n);
  std::array<std::array<std::uint32_t, 256>, 8> counts{};
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t key = falling_key(values[i]);
    order[n - 1 - i] = {key, rows[i]};
    for (int digit = 0; digit < 8; ++digit) ++counts[digit][key >> 8 * digit & 255];
  }
  for (int digit = 0; digit < 8; ++digit) {
    std::array<std::uint32_t, 256>& place = counts[digit];
    // Keys that share the digit are in order.
    if (n == 0 || place[order[0].key >> 8 * digit & 255] == n) continue;
    std::uint32_t before = 0;
    for (std::uint32_t& count : place) before += std::exchange(count, before);
    for (const KeyedRow& keyed : order) room[place[keyed.key >> 8 * digit & 255]++] = keyed;
    order.swap(room);
  }
  return order;
}

}  // namespace sorb
