// Each loop is compiled for AVX2 and for any processor, and chosen when the module is loaded.
#include "passes.hpp"

#include <cmath>

#include "simd.hpp"

namespace sorb {
namespace {

// Four independent sums over quarters of the rows, so that no addition waits for the one before.
template <typename Term>
SORB_INLINE double sum_of(std::int64_t n, Term term) {
  const std::int64_t part = n / 4;
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
  for (std::int64_t i = 0; i < part; ++i) {
    s0 += term(i);
    s1 += term(i + part);
    s2 += term(i + 2 * part);
    s3 += term(i + 3 * part);
  }
  for (std::int64_t i = 4 * part; i < n; ++i) s0 += term(i);
  return (s0 + s1) + (s2 + s3);
}

// Derivatives of v·log(1 + exp(-side·score)) with respect to the score.
SORB_INLINE void derivatives_of(double score, double side, double v, double& first,
                                double& second) {
  const double margin = side * score;
  const double e = exp_nonpositive(margin < 0 ? margin : -margin);
  const double inverse = 1 / (1 + e);
  first = -side * v * (margin < 0 ? inverse : e * inverse);
  second = v * e * inverse * inverse;
}

}  // namespace

template <typename Real>
SORB_DISPATCH void add_multiple(std::int64_t n, double a, const Real* x, double* y) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) y[i] += a * double(x[i]);
}

template <typename Real>
SORB_DISPATCH void set_line(std::int64_t n, double constant, double a, const Real* x, double* y) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) y[i] = constant + a * double(x[i]);
}

template <typename Real>
SORB_DISPATCH double dot(std::int64_t n, const Real* x, const double* y) {
  return sum_of(n, [=](std::int64_t i) { return double(x[i]) * y[i]; });
}

template <typename Real>
double dot_at(std::int64_t n, const std::int64_t* at, const Real* x, const double* y) {
  return sum_of(n, [=](std::int64_t i) { return double(x[at[i]]) * y[i]; });
}

template <typename Real>
SORB_DISPATCH void two_dots(std::int64_t n, const Real* x, const double* y1, const double* y2,
                            double* out) {
  const std::int64_t half = n / 2;
  double s1 = 0, s2 = 0, t1 = 0, t2 = 0;
#pragma omp simd reduction(+ : s1, s2, t1, t2)
  for (std::int64_t i = 0; i < half; ++i) {
    s1 += double(x[i]) * y1[i];
    s2 += double(x[i]) * y2[i];
    t1 += double(x[i + half]) * y1[i + half];
    t2 += double(x[i + half]) * y2[i + half];
  }
  if (n % 2) {
    s1 += double(x[n - 1]) * y1[n - 1];
    s2 += double(x[n - 1]) * y2[n - 1];
  }
  out[0] = s1 + t1;
  out[1] = s2 + t2;
}

template <typename Real>
SORB_DISPATCH double weighted_dot(std::int64_t n, const Real* x, const Real* y, const double* v) {
  return sum_of(n, [=](std::int64_t i) { return double(x[i]) * double(y[i]) * v[i]; });
}

template <typename Real>
SORB_DISPATCH void moments(std::int64_t n, const Real* x, const double* v, double* out) {
  double s1 = 0, s2 = 0;
#pragma omp simd reduction(+ : s1, s2)
  for (std::int64_t i = 0; i < n; ++i) {
    const double weighted = v[i] * double(x[i]);
    s1 += weighted;
    s2 += weighted * double(x[i]);
  }
  out[0] = s1;
  out[1] = s2;
}

template <typename Real>
SORB_DISPATCH double centred_squares(std::int64_t n, const Real* x, double mean, const double* v) {
  return sum_of(n, [=](std::int64_t i) { return v[i] * (x[i] - mean) * (x[i] - mean); });
}

template <typename Real>
SORB_DISPATCH void column_sums(std::int64_t n, const Real* x, const double* first,
                               const double* second, double* product, double* out) {
  double s1 = 0, s2 = 0, s3 = 0;
#pragma omp simd reduction(+ : s1, s2, s3)
  for (std::int64_t i = 0; i < n; ++i) {
    const double z = x[i];
    s1 += first[i] * z;
    product[i] = second[i] * z;
    s2 += product[i];
    s3 += product[i] * z;
  }
  out[0] = s1;
  out[1] = s2;
  out[2] = s3;
}

template <typename Real>
SORB_DISPATCH void logistic_sums(std::int64_t n, const Real* x, double b, double w,
                                 const float* side, const double* v, double* gradient,
                                 double* hessian) {
  double g0 = 0, g1 = 0, h00 = 0, h10 = 0, h11 = 0;
#pragma omp simd reduction(+ : g0, g1, h00, h10, h11)
  for (std::int64_t i = 0; i < n; ++i) {
    const double z = x[i];
    double first, second;
    derivatives_of(b + w * z, side[i], v[i], first, second);
    g0 += first;
    g1 += first * z;
    h00 += second;
    h10 += second * z;
    h11 += second * z * z;
  }
  gradient[0] = g0, gradient[1] = g1;
  hessian[0] = h00, hessian[1] = h10, hessian[2] = h11;
}

template <typename Real>
SORB_DISPATCH void logistic_sums(std::int64_t n, const Real* x1, const Real* x2, double b,
                                 double w1, double w2, const float* side, const double* v,
                                 double* gradient, double* hessian) {
  double g0 = 0, g1 = 0, g2 = 0, h00 = 0, h10 = 0, h11 = 0, h20 = 0, h21 = 0, h22 = 0;
#pragma omp simd reduction(+ : g0, g1, g2, h00, h10, h11, h20, h21, h22)
  for (std::int64_t i = 0; i < n; ++i) {
    const double z1 = x1[i], z2 = x2[i];
    double first, second;
    derivatives_of(b + w1 * z1 + w2 * z2, side[i], v[i], first, second);
    g0 += first;
    g1 += first * z1;
    g2 += first * z2;
    h00 += second;
    h10 += second * z1;
    h11 += second * z1 * z1;
    h20 += second * z2;
    h21 += second * z2 * z1;
    h22 += second * z2 * z2;
  }
  gradient[0] = g0, gradient[1] = g1, gradient[2] = g2;
  hessian[0] = h00, hessian[1] = h10, hessian[2] = h11;
  hessian[3] = h20, hessian[4] = h21, hessian[5] = h22;
}

SORB_DISPATCH double sum(std::int64_t n, const double* x) {
  return sum_of(n, [=](std::int64_t i) { return x[i]; });
}

SORB_DISPATCH void side_sums(std::int64_t n, const float* side, const double* v, double* out) {
  double negative = 0, positive = 0;
#pragma omp simd reduction(+ : negative, positive)
  for (std::int64_t i = 0; i < n; ++i) {
    negative += v[i] * (1 - double(side[i])) / 2;
    positive += v[i] * (1 + double(side[i])) / 2;
  }
  out[0] = negative;
  out[1] = positive;
}

SORB_DISPATCH void derivatives(std::int64_t n, const double* score, const float* side,
                               const double* v, double* first, double* second) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) derivatives_of(score[i], side[i], v[i], first[i], second[i]);
}

SORB_DISPATCH void residuals(std::int64_t n, const double chance[2], const float* side,
                             const double* v, double* first) {
  const double low = -chance[0], high = chance[1];
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) first[i] = v[i] * (side[i] < 0 ? high : low);
}

SORB_DISPATCH void linearise(std::int64_t n, const double* corrected, const double* moving,
                             double* first, double* second, double largest[2]) {
  double top1 = 0, top2 = 0;
#pragma omp simd reduction(max : top1, top2)
  for (std::int64_t i = 0; i < n; ++i) {
    const double c = corrected[i], m = moving[i];
    top1 = std::fabs(c) > top1 ? std::fabs(c) : top1;
    top2 = std::fabs(m) > top2 ? std::fabs(m) : top2;
    first[i] += second[i] * c;
    second[i] *= m;
  }
  largest[0] = top1;
  largest[1] = top2;
}

SORB_DISPATCH double move_scores(std::int64_t n, double share, double drop, const double* corrected,
                                 const double* moving, double* score) {
  double top = 0;
#pragma omp simd reduction(max : top)
  for (std::int64_t i = 0; i < n; ++i) {
    const double change = share * corrected[i] - drop * moving[i];
    top = std::fabs(change) > top ? std::fabs(change) : top;
    score[i] += change;
  }
  return top;
}

SORB_DISPATCH bool range(std::int64_t n, const double* x, double out[2]) {
  double low = INFINITY, high = -INFINITY, zero = 0;
#pragma omp simd reduction(min : low) reduction(max : high) reduction(+ : zero)
  for (std::int64_t i = 0; i < n; ++i) {
    low = x[i] < low ? x[i] : low;
    high = x[i] > high ? x[i] : high;
    zero += x[i] - x[i];  // NaN if x is not finite
  }
  out[0] = low;
  out[1] = high;
  return zero == 0;
}

SORB_DISPATCH void find_bins(std::int64_t n, const double* x, double low, double per_unit, int bins,
                             std::uint16_t* bin) {
  const double last = bins - 1;
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) {
    const double along = (x[i] - low) * per_unit;
    bin[i] = std::uint16_t(int(along < last ? along : last));  // NaN: infinitely far from low
  }
}

SORB_DISPATCH double least_in_bin(std::int64_t n, const double* x, const std::uint16_t* bin,
                                  int which) {
  double least = INFINITY;
#pragma omp simd reduction(min : least)
  for (std::int64_t i = 0; i < n; ++i) {
    const double in_bin = bin[i] == which ? x[i] : INFINITY;
    least = in_bin < least ? in_bin : least;
  }
  return least;
}

SORB_DISPATCH double highest_below(std::int64_t n, const double* x, double bound) {
  double highest = -INFINITY;
#pragma omp simd reduction(max : highest)
  for (std::int64_t i = 0; i < n; ++i) {
    const double below = x[i] < bound ? x[i] : -INFINITY;
    highest = below > highest ? below : highest;
  }
  return highest;
}

#define SORB_INSTANTIATE(Real)                                                                \
  template void add_multiple(std::int64_t, double, const Real*, double*);                     \
  template void set_line(std::int64_t, double, double, const Real*, double*);                 \
  template double dot(std::int64_t, const Real*, const double*);                              \
  template double dot_at(std::int64_t, const std::int64_t*, const Real*, const double*);      \
  template void two_dots(std::int64_t, const Real*, const double*, const double*, double*);   \
  template double weighted_dot(std::int64_t, const Real*, const Real*, const double*);        \
  template void moments(std::int64_t, const Real*, const double*, double*);                   \
  template double centred_squares(std::int64_t, const Real*, double, const double*);          \
  template void column_sums(std::int64_t, const Real*, const double*, const double*, double*, \
                            double*);                                                         \
  template void logistic_sums(std::int64_t, const Real*, double, double, const float*,        \
                              const double*, double*, double*);                               \
  template void logistic_sums(std::int64_t, const Real*, const Real*, double, double, double, \
                              const float*, const double*, double*, double*);
SORB_INSTANTIATE(float)
SORB_INSTANTIATE(double)
#undef SORB_INSTANTIATE

}  // namespace sorb
