// The rows on which a separator is learned.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

namespace sorb {

constexpr double dependent = 1e-9;  // share of a column's spread below which it adds nothing

// Some rows and all columns of a column-major matrix, as one separator problem. A row counts with
// the size of its strength, and its label is the sign of it. The rows are gathered, so that every
// pass runs over contiguous memory, or, to save memory, all rows stay where they are and those left
// out count nothing.
template <typename Real>
class Region {
 public:
  Region(const Real* Z, std::int64_t rows, int d, const std::vector<std::int64_t>& index,
         const double* strength, bool gather);

  std::int64_t n;
  int d;
  std::vector<double> v;        // weight of each row
  std::vector<float> side;      // ±1 label of each row
  std::vector<double> spread;   // weighted sum of squares about the mean, of each column
  double total;                 // sum of v
  // The best intercept without any column; infinite if all labels are the same.
  double intercept() const;
  // The derivative of the loss with respect to the weight of column j, where all scores are b.
  double gradient(int j, double b) const;
  const Real* column(int j) const { return base_ + std::size_t(j) * n; }
  // Spread of column j beyond what the given columns and a constant explain.
  double remaining_spread(int j, const std::vector<int>& others) const;

 private:
  std::unique_ptr<Real[]> gathered_;  // n x d, column-major
  const Real* base_;
  std::vector<double> sum_, signed_sum_;  // of v·x and v·side·x, for each column
};

// Scores of all rows for a few active columns, with the derivatives of the loss there.
template <typename Real>
class Scores {
 public:
  explicit Scores(const Region<Real>& region, double constant = 0)
      : region(region), score(region.n, constant) {}

  void set(double b, const std::vector<int>& support, const std::vector<double>& w);
  void differentiate();
  double gradient(int j) const;
  // Gradient and Hessian over (intercept, columns) at b and w; both lose what was set before.
  void derive(double b, const std::vector<int>& support, const std::vector<double>& w,
              std::vector<double>& gradient, std::vector<double>& hessian);
  // Hessian over (intercept, active columns), row-major, lower triangle.
  std::vector<double> hessian(const std::vector<int>& active) const;
  // The change of all scores for a change of (intercept, active weights).
  void change(const std::vector<int>& active, const std::vector<double>& step,
              std::vector<double>& out) const;

  const Region<Real>& region;
  std::vector<double> score, first, second;
};

}  // namespace sorb
