// Checks of what Python hands over: no kernel reads beyond an array, whatever it is given.
//
// Numbers that are only added and multiplied may be anything, since kernels expect sums to
// overflow.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace sorb {

// Becomes a ValueError in Python.
inline void require(bool condition, const std::string& message) {
  if (!condition) throw std::invalid_argument(message);
}

inline void require_size(std::size_t size, std::size_t expected, const char* name) {
  if (size != expected)
    throw std::invalid_argument(std::string(name) + " must have length " +
                                std::to_string(expected) + ", not " + std::to_string(size));
}

inline void require_at_least(std::int64_t value, std::int64_t least, const char* name) {
  if (value < least)
    throw std::invalid_argument(std::string(name) + " must be at least " + std::to_string(least) +
                                ", not " + std::to_string(value));
}

// A length that the kernels count in int.
inline int int_of(std::size_t size, const char* name) {
  constexpr int most = std::numeric_limits<int>::max();
  require(size <= std::size_t(most),
          std::string("there are more than ") + std::to_string(most) + " " + name);
  return int(size);
}

// The number of values in a table that is about to be made.
inline std::size_t product_of(std::size_t rows, std::size_t columns) {
  require(columns == 0 || rows <= std::numeric_limits<std::size_t>::max() / columns,
          "the table is too large");
  return rows * columns;
}

// Requires all numbers to be in 0 … end - 1.
template <typename Integer>
void require_range(const Integer* values, std::size_t size, std::int64_t end, const char* name) {
  Integer least = 0, most = 0;
  for (std::size_t i = 0; i < size; ++i) {
    least = std::min(least, values[i]);
    most = std::max(most, values[i]);
  }
  if (size > 0 && (least < 0 || std::int64_t(most) >= end))
    throw std::invalid_argument(std::string(name) + " must be in 0 … " + std::to_string(end - 1) +
                                ", but one is " + std::to_string(least < 0 ? least : most));
}

// NumPy can view any bytes as truth values, but C++ must not read others than 0 and 1.
inline void require_flags(const bool* values, std::size_t size, const char* name) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(values);
  unsigned char any = 0;
  for (std::size_t i = 0; i < size; ++i) any |= bytes[i];
  require(any <= 1, std::string(name) + " must hold the bytes 0 and 1 only");
}

inline void require_ascending(const std::int64_t* values, std::size_t size, const char* name) {
  bool ascending = true;
  for (std::size_t i = 1; i < size; ++i) ascending &= values[i - 1] < values[i];
  require(ascending, std::string(name) + " must be in ascending order, each only once");
}

inline void require_sign(int sign) {
  require(sign == 1 || sign == -1, "sign must be 1 or -1, not " + std::to_string(sign));
}

// Requires finite numbers that are not negative.
inline void require_amounts(const double* values, std::size_t size, const char* name) {
  bool valid = true;
  for (std::size_t i = 0; i < size; ++i)
    valid &= values[i] >= 0 && values[i] <= std::numeric_limits<double>::max();
  require(valid, std::string(name) + " must be finite and non-negative");
}

// Requires outcomes to be class indices, if there is more than one output.
inline void require_classes(const double* y, std::size_t size, int n_outputs) {
  bool valid = true;
  for (std::size_t i = 0; n_outputs > 1 && i < size; ++i) valid &= y[i] >= 0 && y[i] < n_outputs;
  require(valid, "y must hold class indices in 0 … " + std::to_string(n_outputs - 1));
}

}  // namespace sorb
