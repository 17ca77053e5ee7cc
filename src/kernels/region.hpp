// The rows on which a separator is learned.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "column_limits.hpp"
#include "column_table.hpp"
#include "row_numbers.hpp"

namespace sorb {

constexpr double independence_tolerance =
    1e-9;  // share of a column's spread that others must leave

// Of sums that rounding may have put below the largest: a share of it, and of all weights.
constexpr double leading_share = 1e-9, leading_rounding = 1e-13;

// Some rows and neighbouring columns of a table, as one separator problem. The label of a row is
// the sign of its weighted gradient, and its weight the absolute value. Columns are gathered when
// they are first needed, so that every pass runs over contiguous memory; or, to save memory, all
// rows stay where they are and those left out have no weight.
//
// Where only some values are stored, passes over all columns read these alone. Their sums differ
// from those of all values by rounding, so what depends on the largest of them sums up the leading
// columns again: the separators are the same whether all values are stored or some of them.
template <typename Real>
class Region {
 public:
  // Weighted sums of a column and of its squares, and of its squares about the mean.
  struct Moments {
    double sum, squares, spread;
  };

  // Dot products of a column with two vectors.
  struct TwoDots {
    double one, two;
  };

  // Of the columns from `first` on.
  Region(ColumnTable<Real> Z, int first, int d, SharedRowNumbers index,
         const double* weighted_gradient, bool gather, int threads = 1);

  std::int64_t n;  // rows that a pass runs over
  int d;
  int threads;             // that passes over many columns may use
  RowValues v;             // weight of each row
  Temporary<float> side;   // ±1 label of each row
  double total;            // sum of v
  double share[2];         // of the total, for side -1 and side 1
  SeparatorLimits limits;  // of the separators that may be learned

  // The best intercept without any column; infinite if all labels are the same.
  double intercept() const;
  // The derivative of the loss by the weight of each column, where all scores are the intercept;
  // NaN if that alone may not be a separator.
  std::vector<double> slopes() const;
  // Gathers the column when it is first needed. Threads may ask for different columns at a time.
  const Real* column(int j);
  // The same, but one that was not needed before is only written into the room where only some
  // values are stored.
  const Real* column(int j, UnsetTemporary<Real>& room);
  // A column that was needed before.
  const Real* known_column(int j) const;
  const Moments& moments(int j);
  // Spread of column j beyond what the given columns and a constant explain.
  double remaining_spread(int j, const std::vector<int>& others);

  // Whether only some values of the columns are stored.
  bool sparse() const { return Z_.sparse(); }
  // The dot products of all columns with two vectors, from the stored values, up to rounding.
  std::vector<TwoDots> stored_dots(const double* one, const double* two) const;
  // The spread of all columns, from the stored values, up to rounding.
  std::vector<double> stored_spreads();
  // Whether so many columns are few enough to sum up all their values again.
  bool worth_summing_again(std::size_t columns) const;

 private:
  std::int64_t row_of(std::int64_t i) const { return gather_ ? (*index_)[i] : i; }
  double slope(int j, const RowValues& first, bool spread_out) const;

  ColumnTable<Real> Z_;
  int first_;
  const Real* dense_;  // the first column, unless only some values are stored
  std::int64_t rows_;
  SharedRowNumbers index_;
  bool gather_;
  UnsetTemporary<Real> gathered_;  // n x d, column-major; filled as needed
  std::vector<std::uint8_t> is_gathered_;
  std::vector<UnsetTemporary<Real>> expanded_;  // where only some values are stored; as needed
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
