// Sparse logistic separators: the lasso path, followed as a homotopy, and refits without penalty.
//
// Minimises  sum_i v_i log(1 + exp(-s_i (b + w·z_i))) + lambda |w|_1  with a free intercept b,
// over all lambda from the largest down to where the path first holds more than `max_size` weights.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

namespace sorb {

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
  const Real* column(int j) const { return base_ + std::size_t(j) * n; }
  // Spread of column j beyond what the given columns and a constant explain.
  double remaining_spread(int j, const std::vector<int>& others) const;

 private:
  std::unique_ptr<Real[]> gathered_;  // n x d, column-major
  const Real* base_;
};

struct Separator {
  std::vector<int> support;
  std::vector<double> w;
  double b;
  // The penalty at which the path's own solution (w, b) is given; 0 for refits without penalty.
  double penalty;
};

// One stretch of the path for each support it visits: the L1 solution in the middle of the stretch.
template <typename Real>
std::vector<Separator> path(const Region<Real>& region, int max_size);

// Separators for growing sizes, all from one path. Each size asked for must be at least as large as
// the ones before.
template <typename Real>
class SeparatorPath {
 public:
  explicit SeparatorPath(Region<Real> region);
  ~SeparatorPath();

  // Refitted without penalty, one for each support of `size` columns that the path holds before it
  // first holds more. A size that no penalty gives is reached by growing the largest smaller support
  // by the columns with the largest gradient, as far as columns are independent. Empty if the rows
  // are all of one side or no column varies. If only directions matter, the weight of a single
  // column is ±1.
  std::vector<Separator> of_size(int size, bool direction_only);

  // Gives back what memory it can until it is asked for the next size.
  void rest();

  // w·z for each row that the region passes over.
  std::vector<double> projection(const Separator& separator) const;

 private:
  struct Way;
  std::unique_ptr<Way> way_;
};

// Which rows of a column-major matrix have w·z >= threshold.
template <typename Real>
std::vector<std::uint8_t> rows_inside(const Real* Z, std::int64_t rows, const std::vector<int>& support,
                                      const std::vector<double>& w, double threshold);

}  // namespace sorb
