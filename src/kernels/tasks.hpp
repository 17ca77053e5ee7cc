// Independent tasks on several threads. Each task writes to a place of its own, so that no result
// depends on the number of threads.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "patience.hpp"

namespace sorb {

// Starting a thread takes as long as reading about a tenth as many values.
constexpr std::int64_t worth_a_thread = std::int64_t(1) << 19;

// Runs task(0) … task(count - 1), which read about so many values together, on up to so many
// threads, this one included. Throws the first error of a task, when all have ended.
template <typename Task>
void run_tasks(std::int64_t count, int threads, std::int64_t values, Task task) {
  const std::int64_t useful = std::min({count, std::int64_t(threads), values / worth_a_thread});
  if (useful <= 1) {
    for (std::int64_t k = 0; k < count; ++k) {
      if (values >= worth_a_thread) require_patience();
      task(k);
    }
    return;
  }
  std::atomic<std::int64_t> next{0};
  std::exception_ptr error;
  std::mutex mutex;
  Patience* const patience = PatienceOfThread::current();
  const auto work = [&] {
    try {
      for (std::int64_t k; (k = next++) < count;) {
        require_patience();
        task(k);
      }
    } catch (...) {
      next = count;  // nobody needs the other results
      if (patience) patience->give_up();
      std::lock_guard<std::mutex> lock(mutex);
      if (!error) error = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  try {
    for (std::int64_t k = 1; k < useful; ++k)
      others.emplace_back([&] {
        const PatienceOfThread inherited(patience, false);
        work();
      });
  } catch (const std::system_error&) {  // no more threads are to be had
  }
  work();
  for (std::thread& other : others) other.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace sorb
