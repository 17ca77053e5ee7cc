// From the rows that rules cover to scores, and from scores to expected outcomes.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "losses.hpp"

namespace sorb {

// Adds votes to K offsets in the order of the rules, n rows each; `covered` is rules x n. Every
// product is exact, so the scores are the same with and without fused multiplication.
void sum_votes(const double* offsets, int K, const double* votes, const std::int64_t* outputs,
               std::size_t rules, const std::uint8_t* covered, std::size_t n, double* scores);

// Remembers what a function gave for the scores that it was asked for last. A few rules give few
// different scores, and to look one up takes less time than an exponential function.
template <class Value, class Function>
class Remembered {
 public:
  static constexpr int log2_size = 12;
  static constexpr std::size_t size = std::size_t(1) << log2_size;

  explicit Remembered(Function function) : function_(function), entries_(size, entry_at(0.0)) {}

  const Value& operator()(double score) {
    // The highest bits of the product depend on all bits of the score.
    Entry& entry = entries_[(bits_of(score) * 0x9e3779b97f4a7c15) >> (64 - log2_size)];
    if (entry.bits != bits_of(score)) entry = entry_at(score);
    return entry.value;
  }

 private:
  struct Entry {
    std::uint64_t bits;
    Value value;
  };

  Entry entry_at(double score) const { return {bits_of(score), function_(score)}; }

  static std::uint64_t bits_of(double score) {
    std::uint64_t bits;
    std::memcpy(&bits, &score, sizeof bits);
    return bits;
  }

  Function function_;
  std::vector<Entry> entries_;
};

// The values of a function at n scores.
template <class Value, class Function>
void evaluate(Function function, const double* scores, std::size_t n, Value* values) {
  using Memory = Remembered<Value, Function>;
  if (n < Memory::size) {  // which would take more time to set up than it saves
    std::transform(scores, scores + n, values, function);
  } else {
    Memory memory(function);
    for (std::size_t i = 0; i < n; ++i) values[i] = memory(scores[i]);
  }
}

// The expected outcome at a single score.
template <class Family>
double expected_outcome(const Family& loss, double score) {
  double mean;
  expected_outcome(loss, &score, 1, &mean);
  return mean;
}

// The expected outcomes at K scores for each of n rows.
template <class Family>
void expected_outcomes(const Family& loss, const double* scores, std::size_t n, int K,
                       double* mean) {
  if (K == 1)
    evaluate([&](double score) { return expected_outcome(loss, score); }, scores, n, mean);
  else
    for (std::size_t i = 0; i < n; ++i) expected_outcome(loss, scores + i * K, K, mean + i * K);
}

// The probabilities of the first and of the second class. The first one is not 1 - p, which becomes
// 0 long before the smaller probability does.
template <class Family>
void two_probabilities(const Family& loss, const double* scores, std::size_t n,
                       std::array<double, 2>* probabilities) {
  const auto both = [&](double score) {
    return std::array<double, 2>{expected_outcome(loss, -score), expected_outcome(loss, score)};
  };
  evaluate(both, scores, n, probabilities);
}

}  // namespace sorb
