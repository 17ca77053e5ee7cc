// Weights, labels and columns of the rows that a separator is learned on, and passes over them.
#include "region.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "passes.hpp"
#include "tasks.hpp"

namespace sorb {
namespace {

// The first of some columns, if all values are stored.
template <typename Real>
const Real* dense_column(const ColumnTable<Real>& Z, int j) {
  UnsetTemporary<Real> unused;
  return Z.sparse() ? nullptr : Z.column(j, unused);
}

}  // namespace

template <typename Real>
Region<Real>::Region(ColumnTable<Real> Z, int first, int d, SharedRowNumbers index,
                     const double* weighted_gradient, bool gather, int threads)
    : n(gather ? std::int64_t(index->size()) : Z.n),
      d(d),
      threads(threads),
      v(n),
      side(n, 1),
      Z_(std::move(Z)),
      first_(first),
      dense_(dense_column(Z_, first)),
      rows_(Z_.n),
      index_(std::move(index)),
      gather_(gather && n < rows_),
      gathered_(gather_ && !sparse() ? std::size_t(n) * d : 0),
      is_gathered_(d),
      expanded_(sparse() ? d : 0),
      moments_(d) {
  for (std::size_t i = 0; i < index_->size(); ++i) {
    const std::int64_t row = (*index_)[i], at = gather ? std::int64_t(i) : row;
    v[at] = std::fabs(weighted_gradient[row]);
    // Branch-free: the sign is unpredictable.
    side[at] = float(std::copysign(1.0, weighted_gradient[row]));
  }
  side_sums(n, side.data(), v.data(), share);
  total = share[0] + share[1];
  for (double& part : share) part /= total;
}

template <typename Real>
double Region<Real>::intercept() const {
  return std::log(share[1] / share[0]);
}

template <typename Real>
std::vector<double> Region<Real>::slopes() const {
  RowValues first(n);
  std::vector<double> out(d);
  residuals(n, share, side.data(), v.data(), first.data());
  // It is faster to pass over all rows than to pick most of them.
  const bool spread_out = gather_ && 4 * n > rows_;
  std::vector<TwoDots> stored;
  if (sparse()) stored = stored_dots(first.data(), first.data());
  if (spread_out) {
    RowValues everywhere(rows_);
    for (std::int64_t i = 0; i < n; ++i) everywhere[(*index_)[i]] = first[i];
    first.swap(everywhere);
  }
  const std::vector<std::uint8_t> permitted = limits.beside({});
  const auto if_allowed = [&](std::int64_t j, double value) {
    const bool allowed =
        (permitted.empty() || permitted[j]) && limits.allow_weight(int(j), value > 0 ? -1 : 1);
    return allowed ? value : NAN;
  };
  if (!sparse()) {
    run_tasks(d, threads, std::int64_t(first.size()) * d,
              [&](std::int64_t j) { out[j] = if_allowed(j, slope(int(j), first, spread_out)); });
    return out;
  }
  double top = 0;
  for (int j = 0; j < d; ++j)
    top = std::fmax(top, std::fabs(out[j] = if_allowed(j, stored[j].one)));
  const double least = top * (1 - leading_share) - leading_rounding * total;
  std::vector<int> leading;
  for (int j = 0; j < d; ++j)
    if (std::fabs(out[j]) >= least) leading.push_back(j);
  if (worth_summing_again(leading.size()))
    for (int j : leading) out[j] = if_allowed(j, slope(j, first, spread_out));
  return out;
}

// `first` belongs to all rows of the table if it is spread out.
template <typename Real>
double Region<Real>::slope(int j, const RowValues& first, bool spread_out) const {
  UnsetTemporary<Real> room;
  const Real* x = Z_.column(first_ + j, room);
  return gather_ && !spread_out ? dot_at(n, index_->data(), x, first.data())
                                : dot(std::int64_t(first.size()), x, first.data());
}

template <typename Real>
const Real* Region<Real>::column(int j) {
  if (sparse()) {
    if (!is_gathered_[j]) {
      UnsetTemporary<Real> room;
      const Real* x = column(j, room);
      expanded_[j].assign(x, x + n);
      is_gathered_[j] = 1;
    }
    return expanded_[j].data();
  }
  const Real* all = dense_ + std::size_t(j) * rows_;
  if (!gather_) return all;
  Real* column = gathered_.data() + std::size_t(j) * n;
  if (!is_gathered_[j]) {
    const std::int64_t* from = index_->data();
    for (std::int64_t i = 0; i < n; ++i) column[i] = all[from[i]];
    is_gathered_[j] = 1;
  }
  return column;
}

template <typename Real>
const Real* Region<Real>::column(int j, UnsetTemporary<Real>& room) {
  if (!sparse() || is_gathered_[j]) return column(j);
  Z_.column(first_ + j, room);
  if (gather_)  // rows are ascending
    for (std::int64_t i = 0; i < n; ++i) room[i] = room[(*index_)[i]];
  return room.data();
}

template <typename Real>
const Real* Region<Real>::known_column(int j) const {
  if (!sparse() && !gather_) return dense_ + std::size_t(j) * rows_;
  if (!is_gathered_[j]) throw std::logic_error("the column was never gathered");
  return sparse() ? expanded_[j].data() : gathered_.data() + std::size_t(j) * n;
}

template <typename Real>
std::vector<typename Region<Real>::TwoDots> Region<Real>::stored_dots(const double* one,
                                                                      const double* two) const {
  const SparseColumns<Real>& table = *Z_.sparse();
  RowValues pairs(2 * rows_);
  for (std::int64_t i = 0; i < n; ++i) {
    double* pair = pairs.data() + 2 * row_of(i);
    pair[0] = one[i];
    pair[1] = two[i];
  }
  const double totals[2] = {sum(n, one), sum(n, two)};
  std::vector<TwoDots> out(d);
  static_assert(sizeof(TwoDots) == 2 * sizeof(double));
  run_tasks((d + columns_per_task - 1) / columns_per_task, threads,
            std::int64_t(table.values.size()), [&](std::int64_t task) {
              const int start = int(task) * columns_per_task;
              const int end = std::min(start + columns_per_task, d);
              two_dots(table, first_ + start, first_ + end, pairs.data(), totals, &out[start].one);
            });
  return out;
}

template <typename Real>
std::vector<double> Region<Real>::stored_spreads() {
  const SparseColumns<Real>& table = *Z_.sparse();
  RowValues weight(rows_);
  for (std::int64_t i = 0; i < n; ++i) weight[row_of(i)] = v[i];
  std::vector<double> sums(2 * std::size_t(d)), out(d);
  sorb::moments(table, first_, first_ + d, weight.data(), sums.data());
  for (int j = 0; j < d; ++j) {
    const double squares = sums[2 * j + 1];
    out[j] = squares - sums[2 * j] * sums[2 * j] / total;
    if (out[j] < 1e-6 * squares) out[j] = moments(j).spread;  // the difference lost its digits
  }
  return out;
}

template <typename Real>
bool Region<Real>::worth_summing_again(std::size_t columns) const {
  constexpr std::size_t few_values = std::size_t(1) << 22, passes = 16;
  return columns * std::size_t(rows_) <= few_values + passes * Z_.sparse()->values.size();
}

template <typename Real>
const typename Region<Real>::Moments& Region<Real>::moments(int j) {
  if (moments_[j]) return *moments_[j];
  UnsetTemporary<Real> room;
  const Real* x = column(j, room);
  double sums[2];
  sorb::moments(n, x, v.data(), sums);
  const double mean = sums[0] / total;
  double spread = sums[1] - mean * sums[0];
  if (spread < 1e-6 * sums[1]) {  // the difference lost its digits
    spread = centred_squares(n, x, mean, v.data());
    // Rounding of the mean gives a constant column a spread of this order.
    if (spread <= 1e-24 * total * mean * mean) spread = 0;
  }
  return moments_[j].emplace(Moments{sums[0], sums[1], spread});
}

template <typename Real>
double Region<Real>::remaining_spread(int j, const std::vector<int>& others) {
  // Gram-Schmidt on centred copies, weighted by v: exact enough where a Gram matrix is singular.
  std::vector<RowValues> basis;
  UnsetTemporary<Real> room;
  std::vector<int> columns(others);
  columns.push_back(j);
  double remaining = 0;
  for (int c : columns) {
    const Real* values = column(c, room);
    const double mean = dot(n, values, v.data()) / total;
    RowValues x(n);
    for (std::int64_t i = 0; i < n; ++i) x[i] = values[i] - mean;
    for (int twice = 0; twice < 2; ++twice)
      for (const auto& q : basis)
        add_multiple(n, -weighted_dot(n, x.data(), q.data(), v.data()), q.data(), x.data());
    remaining = weighted_dot(n, x.data(), x.data(), v.data());
    if (remaining > independence_tolerance * moments(c).spread) {
      const double scale = 1 / std::sqrt(remaining);
      for (double& value : x) value *= scale;
      basis.push_back(std::move(x));
    }
  }
  return remaining;
}

template <typename Real>
void combine(Region<Real>& region, const std::vector<int>& columns, const double* step,
             RowValues& out) {
  out.resize(region.n);
  if (columns.empty()) std::fill(out.begin(), out.end(), step[0]);
  for (std::size_t a = 0; a < columns.size(); ++a) {
    const Real* x = region.column(columns[a]);
    if (a == 0)
      set_line(region.n, step[0], step[1], x, out.data());
    else
      add_multiple(region.n, step[a + 1], x, out.data());
  }
}

template <typename Real>
void Scores<Real>::set(double b, const std::vector<int>& support, const std::vector<double>& w) {
  std::vector<double> step(w.size() + 1, b);
  std::copy(w.begin(), w.end(), step.begin() + 1);
  combine(region, support, step.data(), score);
  differentiate();
}

template <typename Real>
void Scores<Real>::set_constant() {
  score.assign(region.n, region.intercept());
  first.resize(region.n);
  second.resize(region.n);
  residuals(region.n, region.share, region.side.data(), region.v.data(), first.data());
  const double curvature = region.share[0] * region.share[1];
  for (std::int64_t i = 0; i < region.n; ++i) second[i] = curvature * region.v[i];
}

template <typename Real>
void Scores<Real>::differentiate() {
  first.resize(region.n);
  second.resize(region.n);
  derivatives(region.n, score.data(), region.side.data(), region.v.data(), first.data(),
              second.data());
}

template <typename Real>
void Scores<Real>::forget_derivatives() {
  for (auto* x : {&first, &second, &product_}) RowValues().swap(*x);
}

template <typename Real>
double Scores<Real>::gradient(int j) {
  UnsetTemporary<Real> room;
  return dot(region.n, region.column(j, room), first.data());
}

template <typename Real>
void Scores<Real>::sum_up(const std::vector<int>& columns, Derivatives& out) {
  const int m = int(columns.size()) + 1;
  out.gradient.resize(m);
  out.hessian.resize(m * m);
  product_.resize(region.n);
  out.gradient[0] = sum(region.n, first.data());
  out.hessian[0] = sum(region.n, second.data());
  for (int a = 1; a < m; ++a) {
    double sums[3];
    column_sums(region.n, region.column(columns[a - 1]), first.data(), second.data(),
                product_.data(), sums);
    out.gradient[a] = sums[0];
    out.hessian[a * m] = sums[1];
    out.hessian[a * m + a] = sums[2];
    for (int c = 1; c < a; ++c)
      out.hessian[a * m + c] = dot(region.n, region.column(columns[c - 1]), product_.data());
  }
}

template <typename Real>
void Scores<Real>::derive(double b, const std::vector<int>& support, const std::vector<double>& w,
                          Derivatives& out) {
  const int m = int(support.size()) + 1;
  const float* side = region.side.data();
  const double* v = region.v.data();
  double gradient[3], lower[6];
  if (m == 2) {
    logistic_sums(region.n, region.column(support[0]), b, w[0], side, v, gradient, lower);
  } else if (m == 3) {
    logistic_sums(region.n, region.column(support[0]), region.column(support[1]), b, w[0], w[1],
                  side, v, gradient, lower);
  } else {
    set(b, support, w);
    sum_up(support, out);
    return;
  }
  out.gradient.assign(gradient, gradient + m);
  out.hessian.resize(m * m);
  for (int a = 0, at = 0; a < m; ++a)
    for (int c = 0; c <= a; ++c) out.hessian[a * m + c] = lower[at++];
}

template class Region<float>;
template class Region<double>;
template class Scores<float>;
template class Scores<double>;
template void combine(Region<float>&, const std::vector<int>&, const double*, RowValues&);
template void combine(Region<double>&, const std::vector<int>&, const double*, RowValues&);

}  // namespace sorb
