// The rows on which a separator is learned.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "row_numbers.hpp"

namespace sorb {

constexpr double independence_tolerance =
    1e-9;  // share of a column's spread that others must leave

// Some rows and all columns of a column-major matrix, as one separator problem. The label of a row
// is the sign of its weighted gradient, and its weight the absolute value. Columns are gathered
// when they are first needed, so that every pass runs over contiguous memory; or, to save memory,
// all rows stay where they are and those left out have no weight.
template <typename Real>
class Region {
 public:
  // Weighted sums of a column and of its squares, and of its squares about the mean.
  struct Moments {
    double sum, squares, spread;
  };

  Region(const Real* Z, std::int64_t rows, int d, SharedRowNumbers index,
         const double* weighted_gradient, bool gather, int threads = 1);

  std::int64_t n;  // rows that a pass runs over
  int d;
  int threads;            // that passes over many columns may use
  RowValues v;            // weight of each row
  Temporary<float> side;  // ±1 label of each row
  double total;           // sum of v
  double share[2];        // of the total, for side -1 and side 1

  // The best intercept without any column; infinite if all labels are the same.
  double intercept() const;
  // The derivative of the loss by the weight of each column, where all scores are the intercept.
  std::vector<double> slopes() const;
  // Gathers the column when it is first needed. Threads may ask for different columns at a time.
  const Real* column(int j);
  // A column that was needed before.
  const Real* known_column(int j) const;
  const Moments& moments(int j);
  // Spread of column j beyond what the given columns and a constant explain.
  double remaining_spread(int j, const std::vector<int>& others);

 private:
  const Real* Z_;
  std::int64_t rows_;
  SharedRowNumbers index_;
  bool gather_;
  UnsetTemporary<Real> gathered_;  // n x d, column-major; filled as needed
  std::vector<std::uint8_t> is_gathered_;
  std::vector<std::optional<Moments>> moments_;
};

// Over (intercept, some columns); of the row-major Hessian only the lower triangle counts.
struct Derivatives {
  std::vector<double> gradient, hessian;
};

// Scores of all rows for a few columns, with the derivatives of the loss there.
template <typename Real>
class Scores {
 public:
  explicit Scores(Region<Real>& region) : region(region) {}

  void set(double b, const std::vector<int>& support, const std::vector<double>& w);
  // Sets all scores to the intercept, where the derivatives need no exponentials.
  void set_constant();
  void differentiate();
  double gradient(int j);
  // Gradient and Hessian from the derivatives of each row.
  void sum_up(const std::vector<int>& columns, Derivatives& out);
  // Gradient and Hessian at b and w; overwrites the scores.
  void derive(double b, const std::vector<int>& support, const std::vector<double>& w,
              Derivatives& out);

  // Frees their memory.
  void forget_derivatives();

  Region<Real>& region;
  RowValues score, first, second;

 private:
  RowValues product_;
};

// out = step[0] + the sum of step[a + 1] times column a.
template <typename Real>
void combine(Region<Real>& region, const std::vector<int>& columns, const double* step,
             RowValues& out);

}  // namespace sorb
