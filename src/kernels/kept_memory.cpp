// A pool that all threads share: there are few large temporaries, so that none waits for another.
#include "kept_memory.hpp"

#include <iterator>
#include <map>
#include <mutex>
#include <new>

namespace sorb {
namespace {

constexpr std::size_t least_kept = std::size_t(1) << 18;  // bytes; the system is quick with fewer

// In front of each large temporary, which stays aligned to a line of the cache.
struct alignas(64) Header {
  std::size_t capacity;
};

class Pool {
 public:
  void add_keeper() {
    std::lock_guard<std::mutex> lock(mutex_);
    ++keepers_;
  }

  void remove_keeper() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (--keepers_ > 0) return;
    for (const auto& [capacity, block] : blocks_) delete_block(block);
    blocks_.clear();
  }

  // The smallest block that is large enough. If there is none, the largest ones make way for it, so
  // that what is kept takes no memory beyond what was once in use.
  Header* take(std::size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = blocks_.lower_bound(bytes);
    if (found != blocks_.end()) {
      Header* block = found->second;
      blocks_.erase(found);
      return block;
    }
    for (std::size_t freed = 0; freed < bytes && !blocks_.empty();) {
      found = std::prev(blocks_.end());
      freed += found->first;
      delete_block(found->second);
      blocks_.erase(found);
    }
    void* memory = ::operator new(sizeof(Header) + bytes, std::align_val_t(alignof(Header)));
    return new (memory) Header{bytes};
  }

  void leave(Header* block) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (keepers_ > 0)
      blocks_.emplace(block->capacity, block);
    else
      delete_block(block);
  }

 private:
  static void delete_block(Header* block) {
    ::operator delete(block, std::align_val_t(alignof(Header)));
  }

  std::mutex mutex_;
  int keepers_ = 0;
  std::multimap<std::size_t, Header*> blocks_;  // by their capacities
};

// Never destroyed, since threads may outlive what is destroyed at the end.
Pool& pool() {
  static Pool* const pool = new Pool;
  return *pool;
}

}  // namespace

MemoryKeeper::MemoryKeeper() { pool().add_keeper(); }
MemoryKeeper::~MemoryKeeper() { pool().remove_keeper(); }

void* take_memory(std::size_t bytes) {
  return bytes < least_kept ? ::operator new(bytes) : pool().take(bytes) + 1;
}

void leave_memory(void* memory, std::size_t bytes) {
  if (bytes < least_kept)
    ::operator delete(memory);
  else
    pool().leave(static_cast<Header*>(memory) - 1);
}

}  // namespace sorb
