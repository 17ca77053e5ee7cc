#include "region.hpp"

#include <algorithm>
#include <cmath>

#include "passes.hpp"

namespace sorb {

template <typename Real>
Region<Real>::Region(const Real* Z, std::int64_t rows, int d, const std::vector<std::int64_t>& index,
                     const double* strength, bool gather)
    : n(gather ? std::int64_t(index.size()) : rows), d(d), v(n), side(n, 1), spread(d), total(0),
      sum_(d), signed_sum_(d) {
  for (std::size_t i = 0; i < index.size(); ++i) {
    const std::int64_t at = gather ? std::int64_t(i) : index[i];
    v[at] = std::fabs(strength[index[i]]);
    side[at] = strength[index[i]] < 0 ? -1 : 1;
  }
  total = sum(n, v.data());
  if (gather) gathered_.reset(new Real[std::size_t(n) * d]);
  base_ = gather ? gathered_.get() : Z;
  for (int j = 0; j < d; ++j) {
    if (gather) {
      const Real* from = Z + std::size_t(j) * rows;
      Real* to = &gathered_[std::size_t(j) * n];
      for (std::int64_t i = 0; i < n; ++i) to[i] = from[index[i]];
    }
    double sums[3];
    moments(n, column(j), v.data(), side.data(), sums);
    sum_[j] = sums[0];
    signed_sum_[j] = sums[2];
    const double mean = sums[0] / total;
    spread[j] = sums[1] - mean * sums[0];
    if (spread[j] < 1e-6 * sums[1]) {  // little is left of the difference: look closer
      spread[j] = centred_squares(n, column(j), mean, v.data());
      // Rounding of the mean gives a constant column a spread of this order.
      if (spread[j] <= 1e-24 * total * mean * mean) spread[j] = 0;
    }
  }
}

template <typename Real>
double Region<Real>::intercept() const {
  double of_side[2];
  side_sums(n, side.data(), v.data(), of_side);
  return std::log(of_side[1] / of_side[0]);
}

template <typename Real>
double Region<Real>::gradient(int j, double b) const {
  // v·(p - 1) for rows of side 1 and v·p for the others, with p = 1 / (1 + exp(-b)).
  return (1 / (1 + std::exp(-b)) - 0.5) * sum_[j] - 0.5 * signed_sum_[j];
}

template <typename Real>
double Region<Real>::remaining_spread(int j, const std::vector<int>& others) const {
  // Gram-Schmidt on centred copies, weighted by v: exact enough where a Gram matrix is singular.
  std::vector<std::vector<double>> basis;
  std::vector<int> columns(others);
  columns.push_back(j);
  double remaining = 0;
  for (int c : columns) {
    const double mean = dot(n, column(c), v.data()) / total;
    std::vector<double> x(n);
    for (std::int64_t i = 0; i < n; ++i) x[i] = column(c)[i] - mean;
    for (int twice = 0; twice < 2; ++twice)
      for (const auto& q : basis)
        add_multiple(n, -weighted_dot(n, x.data(), q.data(), v.data()), q.data(), x.data());
    remaining = weighted_dot(n, x.data(), x.data(), v.data());
    if (remaining > dependent * spread[c]) {
      const double scale = 1 / std::sqrt(remaining);
      for (double& value : x) value *= scale;
      basis.push_back(std::move(x));
    }
  }
  return remaining;
}

template <typename Real>
void Scores<Real>::set(double b, const std::vector<int>& support, const std::vector<double>& w) {
  std::fill(score.begin(), score.end(), b);
  for (std::size_t a = 0; a < support.size(); ++a)
    add_multiple(region.n, w[a], region.column(support[a]), score.data());
  differentiate();
}

template <typename Real>
void Scores<Real>::differentiate() {
  first.resize(region.n);
  second.resize(region.n);
  derivatives(region.n, score.data(), region.side.data(), region.v.data(), first.data(),
              second.data());
}

template <typename Real>
double Scores<Real>::gradient(int j) const {
  return dot(region.n, region.column(j), first.data());
}

template <typename Real>
std::vector<double> Scores<Real>::hessian(const std::vector<int>& active) const {
  const int m = int(active.size()) + 1;
  std::vector<double> H(m * m);
  H[0] = sum(region.n, second.data());
  for (int a = 1; a < m; ++a) {
    const Real* x = region.column(active[a - 1]);
    H[a * m] = dot(region.n, x, second.data());
    for (int c = 1; c <= a; ++c)
      H[a * m + c] = weighted_dot(region.n, x, region.column(active[c - 1]), second.data());
  }
  return H;
}

template <typename Real>
void Scores<Real>::derive(double b, const std::vector<int>& support, const std::vector<double>& w,
                          std::vector<double>& gradient, std::vector<double>& hessian_out) {
  const int m = int(support.size()) + 1;
  gradient.resize(m);
  const float* side = region.side.data();
  const double* v = region.v.data();
  double lower[6];
  if (m == 2) {
    logistic_sums(region.n, region.column(support[0]), b, w[0], side, v, gradient.data(), lower);
  } else if (m == 3) {
    logistic_sums(region.n, region.column(support[0]), region.column(support[1]), b, w[0], w[1],
                  side, v, gradient.data(), lower);
  } else {
    set(b, support, w);
    gradient[0] = sum(region.n, first.data());
    for (int a = 1; a < m; ++a) gradient[a] = this->gradient(support[a - 1]);
    hessian_out = hessian(support);
    return;
  }
  hessian_out.assign(m * m, 0);
  for (int a = 0, at = 0; a < m; ++a)
    for (int c = 0; c <= a; ++c) hessian_out[a * m + c] = lower[at++];
}

template <typename Real>
void Scores<Real>::change(const std::vector<int>& active, const std::vector<double>& step,
                          std::vector<double>& out) const {
  out.assign(region.n, step[0]);
  for (std::size_t a = 0; a < active.size(); ++a)
    add_multiple(region.n, step[a + 1], region.column(active[a]), out.data());
}

template class Region<float>;
template class Region<double>;
template class Scores<float>;
template class Scores<double>;

}  // namespace sorb
