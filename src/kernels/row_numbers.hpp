// Numbers of rows, and how some of them are selected.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "buffer.hpp"
#include "kept_memory.hpp"

namespace sorb {

using RowNumbers = Temporary<std::int64_t>;  // ascending
using SharedRowNumbers = std::shared_ptr<const RowNumbers>;
using Mask = Temporary<std::uint8_t>;
using RowValues = Temporary<double>;

// The rows whose places in the list satisfy a predicate. Branch-free: its outcome is unpredictable.
template <typename Predicate>
RowNumbers rows_where(const RowNumbers& rows, Predicate predicate) {
  RowNumbers out(rows.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out[count] = rows[i];
    count += bool(predicate(i));
  }
  out.resize(count);
  return out;
}

// The values of some rows.
template <typename T>
Buffer<T> select(const Buffer<T>& values, const RowNumbers& rows) {
  std::unique_ptr<T[]> out(new T[rows.size()]);
  for (std::size_t i = 0; i < rows.size(); ++i) out[i] = values[std::size_t(rows[i])];
  return {std::move(out), rows.size()};
}

}  // namespace sorb
