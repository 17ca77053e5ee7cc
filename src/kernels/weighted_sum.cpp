// Each loop is compiled for AVX2 and for any processor, and chosen when the module is loaded.
#include "weighted_sum.hpp"

#include <algorithm>

#include "simd.hpp"

namespace sorb {
namespace {

SORB_DISPATCH void set_products(std::int64_t n, double w, const double* x, double* out) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) out[i] = w * x[i];
}

SORB_DISPATCH void add_products(std::int64_t n, double w, const double* x, double* out) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) out[i] += w * x[i];
}

SORB_DISPATCH void compare(std::int64_t n, const double* x, double threshold, bool* out) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) out[i] = x[i] >= threshold;
}

// The same, but true of NaN.
SORB_DISPATCH void compare_unless_below(std::int64_t n, const double* x, double threshold,
                                        bool* out) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) out[i] = !(x[i] < threshold);
}

// Few enough rows at a time for their sums to stay in the fastest cache.
constexpr std::int64_t block = 512;

// The sums of up to a block of rows.
void block_sums(const std::vector<Term>& terms, std::int64_t start, std::int64_t n, double* sums) {
  double packed[block];
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const Term& term = terms[k];
    const double* x = term.values + start * term.stride;
    if (term.stride != 1) {
      for (std::int64_t i = 0; i < n; ++i) packed[i] = x[i * term.stride];
      x = packed;
    }
    (k == 0 ? set_products : add_products)(n, term.weight, x, sums);
  }
}

}  // namespace

void weighted_sum(const std::vector<Term>& terms, std::int64_t n, double* sums) {
  for (std::int64_t start = 0; start < n; start += block)
    block_sums(terms, start, std::min(block, n - start), sums + start);
}

void reaches(const std::vector<Term>& terms, std::int64_t n, double threshold, bool missing,
             bool* reached) {
  double sums[block];
  const auto answer = missing ? compare_unless_below : compare;
  for (std::int64_t start = 0; start < n; start += block) {
    const std::int64_t size = std::min(block, n - start);
    block_sums(terms, start, size, sums);
    answer(size, sums, threshold, reached + start);
  }
}

}  // namespace sorb
