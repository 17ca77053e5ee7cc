// How long a computation may take, and whether it is still wanted.
#pragma once
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>

namespace sorb {

// The time for a computation is over.
struct OutOfTime : std::exception {
  const char* what() const noexcept override { return "out of time"; }
};

// Shared by all threads of a computation.
class Patience {
 public:
  using Clock = std::chrono::steady_clock;

  // `ask` throws if the computation is no longer wanted; only the first thread calls it.
  Patience(double seconds, std::function<void()> ask);

  // Throws if the time is over, or if another thread has given up.
  void check(bool first_thread);

  // Lets the other threads end soon.
  void give_up() { over_ = true; }

 private:
  Clock::time_point deadline_, next_question_;
  std::function<void()> ask_;
  std::atomic<bool> over_{false};
};

// While it exists, the computations of this thread have that patience.
class PatienceOfThread {
 public:
  PatienceOfThread(Patience* patience, bool first_thread);
  ~PatienceOfThread();
  PatienceOfThread(const PatienceOfThread&) = delete;
  PatienceOfThread& operator=(const PatienceOfThread&) = delete;

  // That of the current thread, if it has any.
  static Patience* current();

 private:
  Patience* before_;
  bool first_before_;
};

// To be called wherever a computation may have taken a millisecond since the last call.
void require_patience();

}  // namespace sorb
