// Scores as sums of votes.
#include "scores.hpp"

#include <algorithm>
#include <vector>

#include "simd.hpp"

namespace sorb {
namespace {

SORB_DISPATCH void add_vote(std::size_t n, double vote, const std::uint8_t* covered,
                            double* scores) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) scores[i] += vote * double(int(covered[i]));
}

}  // namespace

void sum_votes(const double* offsets, int K, const double* votes, const std::int64_t* outputs,
               std::size_t rules, const std::uint8_t* covered, std::size_t n, double* scores) {
  // Few enough rows at a time for their scores to stay in the fastest cache.
  constexpr std::size_t block = 512;
  std::vector<double> sums(K * block);  // one output after the other
  for (std::size_t start = 0; start < n; start += block) {
    const std::size_t size = std::min(block, n - start);
    for (int k = 0; k < K; ++k) std::fill_n(&sums[k * block], size, offsets[k]);
    for (std::size_t rule = 0; rule < rules; ++rule)
      add_vote(size, votes[rule], covered + rule * n + start, &sums[outputs[rule] * block]);
    for (int k = 0; k < K; ++k)
      for (std::size_t i = 0; i < size; ++i) scores[(start + i) * K + k] = sums[k * block + i];
  }
}

}  // namespace sorb
