// Deadlines and interruptions, checked from time to time.
#include "patience.hpp"

#include <utility>

namespace sorb {
namespace {

thread_local Patience* patience = nullptr;
thread_local bool is_first_thread = false;

constexpr std::chrono::milliseconds between_questions(50);

// The sum of a time and seconds, which may be infinite.
Patience::Clock::time_point after(Patience::Clock::time_point start, double seconds) {
  constexpr double years = 1e9;
  if (!(seconds < years)) return Patience::Clock::time_point::max();
  return start + std::chrono::duration_cast<Patience::Clock::duration>(
                     std::chrono::duration<double>(seconds));
}

}  // namespace

Patience::Patience(double seconds, std::function<void()> ask)
    : deadline_(after(Clock::now(), seconds)),
      next_question_(Clock::now() + between_questions),
      ask_(std::move(ask)) {}

void Patience::check(bool first_thread) {
  if (over_) throw OutOfTime();
  const Clock::time_point now = Clock::now();
  if (now >= deadline_) throw OutOfTime();
  if (!first_thread || now < next_question_) return;
  ask_();
  next_question_ = Clock::now() + between_questions;
}

PatienceOfThread::PatienceOfThread(Patience* given, bool first_thread)
    : before_(std::exchange(patience, given)),
      first_before_(std::exchange(is_first_thread, first_thread)) {}

PatienceOfThread::~PatienceOfThread() {
  patience = before_;
  is_first_thread = first_before_;
}

Patience* PatienceOfThread::current() { return patience; }

void require_patience() {
  if (patience) patience->check(is_first_thread);
}

}  // namespace sorb
