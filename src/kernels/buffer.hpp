// Arrays that several structures share, and that live as long as one of them does.
#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace sorb {

// Contiguous read-only values together with a share in whatever owns them: a Python array, or
// memory that was allocated here. Copying a buffer copies no values.
template <typename T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(const T* data, std::size_t size, std::shared_ptr<const void> owner)
      : data_(data), size_(size), owner_(std::move(owner)) {}
  Buffer(std::unique_ptr<T[]> values, std::size_t size) : data_(values.get()), size_(size) {
    owner_ = std::shared_ptr<const T[]>(std::move(values));
  }

  explicit Buffer(std::vector<T> values) {
    auto owner = std::make_shared<const std::vector<T>>(std::move(values));
    data_ = owner->data();
    size_ = owner->size();
    owner_ = std::move(owner);
  }

  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  const std::shared_ptr<const void>& owner() const { return owner_; }

 private:
  const T* data_ = nullptr;
  std::size_t size_ = 0;
  std::shared_ptr<const void> owner_;
};

// A row-major matrix.
template <typename T>
struct Matrix {
  Buffer<T> values;
  std::int64_t rows = 0, columns = 0;

  const T* row(std::int64_t i) const { return values.data() + i * columns; }
};

}  // namespace sorb
