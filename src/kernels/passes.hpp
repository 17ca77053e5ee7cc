// Vector loops over the rows of columns of floats or doubles (Real); all sums are in double.
#pragma once
#include <cstdint>

namespace sorb {

// y += a·x
template <typename Real>
void add_multiple(std::int64_t n, double a, const Real* x, double* y);
// y = constant + a·x
template <typename Real>
void set_line(std::int64_t n, double constant, double a, const Real* x, double* y);

double sum(std::int64_t n, const double* x);

template <typename Real>
double dot(std::int64_t n, const Real* x, const double* y);
// The dot product of some entries of x with y.
template <typename Real>
double dot_at(std::int64_t n, const std::int64_t* at, const Real* x, const double* y);

// Two dot products with the same column, in one pass.
template <typename Real>
void two_dots(std::int64_t n, const Real* x, const double* y1, const double* y2, double* out);

template <typename Real>
double weighted_dot(std::int64_t n, const Real* x, const Real* y, const double* v);

// Sums of v·x and v·x², and of v·(x - mean)².
template <typename Real>
void moments(std::int64_t n, const Real* x, const double* v, double* out);
template <typename Real>
double centred_squares(std::int64_t n, const Real* x, double mean, const double* v);

// Sums of v over the rows of side -1 and of side 1.
void side_sums(std::int64_t n, const float* side, const double* v, double* out);

// First and second derivatives of v·log(1 + exp(-side·score)) with respect to the score.
void derivatives(std::int64_t n, const double* score, const float* side, const double* v,
                 double* first, double* second);
// The first derivatives where all scores give both sides the same given chances.
void residuals(std::int64_t n, const double chance[2], const float* side, const double* v,
               double* first);

// What a column contributes to gradient and Hessian: the sums of first·x, second·x and second·x²,
// and the products second·x by which its pairs with other columns are summed.
template <typename Real>
void column_sums(std::int64_t n, const Real* x, const double* first, const double* second,
                 double* product, double out[3]);

// For scores b + w·x, or b + w1·x1 + w2·x2: the sums over the rows of the first derivative, times 1
// and each column (gradient), and of the second derivative, times all pairs of these (lower
// triangle of the Hessian, row by row). One pass in place of many, for the commonest sizes.
template <typename Real>
void logistic_sums(std::int64_t n, const Real* x, double b, double w, const float* side,
                   const double* v, double gradient[2], double hessian[3]);
template <typename Real>
void logistic_sums(std::int64_t n, const Real* x1, const Real* x2, double b, double w1, double w2,
                   const float* side, const double* v, double gradient[3], double hessian[6]);

// Replaces the first derivatives by first + second·corrected, their values after a correction of
// the scores, and the second ones by second·moving, the rate at which the first ones change as the
// scores move. Returns the largest |corrected| and |moving|.
void linearise(std::int64_t n, const double* corrected, const double* moving, double* first,
               double* second, double largest[2]);

// Adds share·corrected - drop·moving to the scores, and returns the largest change.
double move_scores(std::int64_t n, double share, double drop, const double* corrected,
                   const double* moving, double* score);

// The smallest and the largest number. Returns whether all are finite.
bool range(std::int64_t n, const double* x, double out[2]);

// The number of the bin of each x: floor((x - low)·per_unit), the last one for all beyond.
void find_bins(std::int64_t n, const double* x, double low, double per_unit, int bins,
               std::uint16_t* bin);

// The smallest number in a bin, and the largest number below a bound.
double least_in_bin(std::int64_t n, const double* x, const std::uint16_t* bin, int which);
double highest_below(std::int64_t n, const double* x, double bound);

}  // namespace sorb
