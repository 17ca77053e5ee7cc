// Memory that large temporaries leave to the next ones.
//
// A system maps and clears the pages of a large array anew whenever one is allocated, which took a
// third of the time of a search in millions of rows.
#pragma once
#include <cstddef>
#include <new>
#include <vector>

namespace sorb {

// While one exists, memory that large temporaries free is kept; with the last one it is all freed.
class MemoryKeeper {
 public:
  MemoryKeeper();
  ~MemoryKeeper();
  MemoryKeeper(const MemoryKeeper&) = delete;
  MemoryKeeper& operator=(const MemoryKeeper&) = delete;
};

void* take_memory(std::size_t bytes);
void leave_memory(void* memory, std::size_t bytes);

template <typename T>
struct KeptMemory {
  using value_type = T;

  KeptMemory() = default;
  template <typename Other>
  KeptMemory(const KeptMemory<Other>&) {}

  T* allocate(std::size_t count) { return static_cast<T*>(take_memory(count * sizeof(T))); }
  void deallocate(T* values, std::size_t count) { leave_memory(values, count * sizeof(T)); }

  friend bool operator==(const KeptMemory&, const KeptMemory&) { return true; }
  friend bool operator!=(const KeptMemory&, const KeptMemory&) { return false; }
};

// For about as many values as there are rows.
template <typename T>
using Temporary = std::vector<T, KeptMemory<T>>;

template <typename T>
struct UnsetMemory : KeptMemory<T> {
  template <typename Other>
  struct rebind {
    using other = UnsetMemory<Other>;
  };
  template <typename U>
  void construct(U* value) noexcept {
    new (static_cast<void*>(value)) U;
  }
};

// The same, but values are not set to zero.
template <typename T>
using UnsetTemporary = std::vector<T, UnsetMemory<T>>;

}  // namespace sorb
