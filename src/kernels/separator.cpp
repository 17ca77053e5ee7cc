#include "separator.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "dense.hpp"
#include "simd.hpp"

namespace sorb {
namespace {

constexpr double dependent = 1e-9;      // share of a column's spread below which it adds nothing
constexpr double refit_ridge = 1e-6;    // keeps weights finite on separable rows
constexpr double smallest_penalty = 1e-6;  // as a share of the largest
constexpr double settled = 0.1;  // change of scores below which an event's place is known
constexpr double refitted = 1e-4;  // change of scores below which a refit has converged
constexpr int most_passes = 200;

// ---- passes over the rows ---------------------------------------------------------------------

SORB_DISPATCH void add_multiple(std::int64_t n, double a, const double* x, double* y) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) y[i] += a * x[i];
}
SORB_DISPATCH void add_multiple(std::int64_t n, double a, const float* x, double* y) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) y[i] += a * double(x[i]);
}

SORB_DISPATCH double dot(std::int64_t n, const double* x, const double* y) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}
SORB_DISPATCH double dot(std::int64_t n, const float* x, const double* y) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < n; ++i) sum += double(x[i]) * y[i];
  return sum;
}

SORB_DISPATCH void two_dots(std::int64_t n, const double* x, const double* y1, const double* y2,
                            double* out) {
  double s1 = 0, s2 = 0;
#pragma omp simd reduction(+ : s1, s2)
  for (std::int64_t i = 0; i < n; ++i) {
    s1 += x[i] * y1[i];
    s2 += x[i] * y2[i];
  }
  out[0] = s1;
  out[1] = s2;
}
SORB_DISPATCH void two_dots(std::int64_t n, const float* x, const double* y1, const double* y2,
                            double* out) {
  double s1 = 0, s2 = 0;
#pragma omp simd reduction(+ : s1, s2)
  for (std::int64_t i = 0; i < n; ++i) {
    s1 += double(x[i]) * y1[i];
    s2 += double(x[i]) * y2[i];
  }
  out[0] = s1;
  out[1] = s2;
}

SORB_DISPATCH double weighted_dot(std::int64_t n, const double* x, const double* y,
                                  const double* weight) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < n; ++i) sum += x[i] * y[i] * weight[i];
  return sum;
}
SORB_DISPATCH double weighted_dot(std::int64_t n, const float* x, const float* y,
                                  const double* weight) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < n; ++i) sum += double(x[i]) * double(y[i]) * weight[i];
  return sum;
}

// First and second derivatives of the logistic loss of each row with respect to its score.
SORB_DISPATCH void derivatives(std::int64_t n, const double* score, const float* side,
                               const double* v, double* first, double* second) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) {
    const double sign = side[i], margin = sign * score[i];
    const double e = exp_nonpositive(margin < 0 ? margin : -margin);
    const double inverse = 1 / (1 + e);
    first[i] = -sign * v[i] * (margin < 0 ? inverse : e * inverse);
    second[i] = v[i] * e * inverse * inverse;
  }
}

SORB_DISPATCH double sum(std::int64_t n, const double* x) {
  double total = 0;
#pragma omp simd reduction(+ : total)
  for (std::int64_t i = 0; i < n; ++i) total += x[i];
  return total;
}

SORB_DISPATCH double largest(std::int64_t n, const double* x) {
  double top = 0;
#pragma omp simd reduction(max : top)
  for (std::int64_t i = 0; i < n; ++i) top = std::fabs(x[i]) > top ? std::fabs(x[i]) : top;
  return top;
}

// first + second·corrected, and second·moving: the derivatives after a correction, and their slope.
SORB_DISPATCH void linearise(std::int64_t n, const double* first, const double* second,
                             const double* corrected, const double* moving, double* there,
                             double* slope) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) {
    there[i] = first[i] + second[i] * corrected[i];
    slope[i] = second[i] * moving[i];
  }
}

// Sums of v·x and v·x².
SORB_DISPATCH void moments(std::int64_t n, const double* x, const double* v, double* out) {
  double s1 = 0, s2 = 0;
#pragma omp simd reduction(+ : s1, s2)
  for (std::int64_t i = 0; i < n; ++i) {
    s1 += v[i] * x[i];
    s2 += v[i] * x[i] * x[i];
  }
  out[0] = s1;
  out[1] = s2;
}
SORB_DISPATCH void moments(std::int64_t n, const float* x, const double* v, double* out) {
  double s1 = 0, s2 = 0;
#pragma omp simd reduction(+ : s1, s2)
  for (std::int64_t i = 0; i < n; ++i) {
    s1 += v[i] * double(x[i]);
    s2 += v[i] * double(x[i]) * double(x[i]);
  }
  out[0] = s1;
  out[1] = s2;
}

SORB_DISPATCH double centred_squares(std::int64_t n, const double* x, double mean, const double* v) {
  double total = 0;
#pragma omp simd reduction(+ : total)
  for (std::int64_t i = 0; i < n; ++i) total += v[i] * (x[i] - mean) * (x[i] - mean);
  return total;
}
SORB_DISPATCH double centred_squares(std::int64_t n, const float* x, double mean, const double* v) {
  double total = 0;
#pragma omp simd reduction(+ : total)
  for (std::int64_t i = 0; i < n; ++i) total += v[i] * (x[i] - mean) * (x[i] - mean);
  return total;
}

// ---- the state shared by the path and the refits ----------------------------------------------

// Scores of all rows for a few active columns, with the derivatives of the loss there.
template <typename Real>
class Scores {
 public:
  explicit Scores(const Region<Real>& region)
      : region(region), score(region.n) {}

  void set(double b, const std::vector<int>& support, const std::vector<double>& w) {
    std::fill(score.begin(), score.end(), b);
    for (std::size_t a = 0; a < support.size(); ++a)
      add_multiple(region.n, w[a], region.column(support[a]), score.data());
    differentiate();
  }

  void differentiate() {
    first.resize(region.n);
    second.resize(region.n);
    derivatives(region.n, score.data(), region.side.data(), region.v.data(), first.data(),
                second.data());
  }

  double gradient(int j) const { return dot(region.n, region.column(j), first.data()); }

  // Hessian over (intercept, active columns), row-major, lower triangle.
  std::vector<double> hessian(const std::vector<int>& active) const {
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

  // The change of all scores for a change of (intercept, active weights).
  void change(const std::vector<int>& active, const std::vector<double>& step,
              std::vector<double>& out) const {
    out.assign(region.n, step[0]);
    for (std::size_t a = 0; a < active.size(); ++a)
      add_multiple(region.n, step[a + 1], region.column(active[a]), out.data());
  }

  const Region<Real>& region;
  std::vector<double> score, first, second;
};

// The best intercept without any column; infinite if all labels are the same.
template <typename Real>
double intercept_alone(const Region<Real>& region) {
  double of_side[2] = {0, 0};
  for (std::int64_t i = 0; i < region.n; ++i) of_side[region.side[i] > 0] += region.v[i];
  return std::log(of_side[1] / of_side[0]);
}

template <typename Real>
bool one_sided(const Region<Real>& region) {
  return !std::isfinite(intercept_alone(region));
}

// Newton's method on the given support with penalty lambda·sign(w) (signs fixed) or, if lambda is
// zero, a ridge far below the noise. A step that overshoots along its own direction is halved.
template <typename Real>
void newton(Scores<Real>& scores, double lambda, const std::vector<int>& signs, double tolerance,
            Separator& s) {
  const Region<Real>& region = scores.region;
  const int m = int(s.support.size()) + 1;
  std::vector<double> ridge(m), gradient(m), step, move;
  if (lambda == 0)
    for (int a = 1; a < m; ++a) ridge[a] = refit_ridge * region.spread[s.support[a - 1]];
  auto gradient_at = [&](std::vector<double>& g) {
    g[0] = sum(region.n, scores.first.data());
    for (int a = 1; a < m; ++a)
      g[a] = scores.gradient(s.support[a - 1]) + ridge[a] * s.w[a - 1] +
             (lambda ? lambda * signs[a - 1] : 0);
  };
  auto shift = [&](double length) {
    s.b -= length * step[0];
    for (int a = 1; a < m; ++a) s.w[a - 1] -= length * step[a];
    add_multiple(region.n, -length, move.data(), scores.score.data());
    scores.differentiate();
  };
  scores.set(s.b, s.support, s.w);
  gradient_at(gradient);
  for (int iteration = 0; iteration < 60; ++iteration) {
    std::vector<double> H = scores.hessian(s.support);
    for (int a = 1; a < m; ++a) H[a * m + a] += ridge[a];
    step = gradient;
    Cholesky(H, m).solve(step);
    scores.change(s.support, step, move);
    double slope = 0;
    for (int a = 0; a < m; ++a) slope += gradient[a] * step[a];
    if (!(slope > 0)) break;
    const double farthest = largest(region.n, move.data());
    double length = std::min(1.0, 20 / farthest);
    shift(length);
    gradient_at(gradient);
    for (int halving = 0; halving < 30; ++halving) {
      double slope_there = 0;
      for (int a = 0; a < m; ++a) slope_there += gradient[a] * step[a];
      if (slope_there > -0.5 * slope) break;
      length /= 2;
      shift(-length);
      gradient_at(gradient);
    }
    if (farthest * length < tolerance) break;
  }
}

// ---- the path -----------------------------------------------------------------------------------

// Follows the path event by event. Between events the active weights move so that each active
// gradient stays at -lambda·sign. Every pass linearises the problem where it stands, corrects the
// weights, and moves to the next event of that linear model: Newton's method on the event itself.
template <typename Real>
class Homotopy {
 public:
  explicit Homotopy(const Region<Real>& region)
      : region_(region), scores_(region), barred_(region.d, 0), is_active_(region.d, 0) {
    b_ = intercept_alone(region);
    scores_.set(b_, {}, {});
    double top = -1;
    int first = -1;
    for (int j = 0; j < region.d; ++j) {
      if (region.spread[j] == 0) continue;
      const double c = scores_.gradient(j);
      if (std::fabs(c) > top) top = std::fabs(c), first = j, first_sign_ = c > 0 ? -1 : 1;
    }
    lambda_ = largest_ = event_ = top;
    if (first >= 0) enter(first, first_sign_);
    done_ = first < 0 || !(top > 1e-13 * region.total);
  }

  bool done() const { return done_; }
  double penalty() const { return lambda_; }
  int first_sign() const { return first_sign_; }
  const std::vector<int>& active() const { return active_; }
  const std::vector<int>& signs() const { return signs_; }
  Separator solution() const { return {active_, w_, b_, lambda_}; }

  // Gives back the memory of all that the next pass would compute again.
  void rest() {
    foreseen_.reset();
    for (auto* x : {&corrected_, &moving_, &first_, &slope_, &scores_.first, &scores_.second})
      std::vector<double>().swap(*x);
  }

  // Whether the next change, as far as it can be seen from here, takes a column out. A single
  // column never goes: its weight only grows as the penalty falls.
  bool shrinks_next() {
    if (active_.size() <= 1) return false;
    if (!foreseen_) foreseen_ = next_event();
    return foreseen_->leaves >= 0;
  }

  // Moves to the next change of the support.
  void advance() {
    while (++passes_ < most_passes) {
      const Event event = foreseen_ ? *foreseen_ : next_event();
      foreseen_.reset();
      const double moved = move(event.drop);
      if (lambda_ < smallest_penalty * largest_) break;
      if (!event.happens || moved > settled) continue;
      event_ = lambda_;
      if (apply(event)) return;
    }
    done_ = true;
  }

 private:
  struct Event {
    double drop = 0;       // by which the penalty falls until then
    bool happens = false;  // false: the step is cut short of any event
    int enters = -1, sign = 0, leaves = -1;
  };

  void enter(int j, int sign) {
    active_.push_back(j);
    signs_.push_back(sign);
    w_.push_back(0);
    is_active_[j] = 1;
  }

  void leave(int a) {
    just_left_ = active_[a];
    is_active_[active_[a]] = 0;
    active_.erase(active_.begin() + a);
    signs_.erase(signs_.begin() + a);
    w_.erase(w_.begin() + a);
  }

  Event next_event() {
    const int m = int(active_.size()) + 1;
    scores_.differentiate();
    const Cholesky hessian(scores_.hessian(active_), m);
    correction_.assign(m, 0);
    direction_.assign(m, 0);  // of (b, w) as the penalty grows
    correction_[0] = -sum(region_.n, scores_.first.data());
    for (int a = 1; a < m; ++a) {
      correction_[a] = -(scores_.gradient(active_[a - 1]) + lambda_ * signs_[a - 1]);
      direction_[a] = -signs_[a - 1];
    }
    hessian.solve(correction_);
    hessian.solve(direction_);
    scores_.change(active_, correction_, corrected_);
    scores_.change(active_, direction_, moving_);
    first_.resize(region_.n);
    slope_.resize(region_.n);
    linearise(region_.n, scores_.first.data(), scores_.second.data(), corrected_.data(),
              moving_.data(), first_.data(), slope_.data());
    const double back = lambda_ - event_;  // not above the last event
    Event best;
    best.drop = 0.8 * lambda_;
    auto offer = [&](double drop, int enters, int sign, int leaves) {
      if (drop < best.drop) best = {std::max(drop, back), true, enters, sign, leaves};
    };
    // An event was missed and the linear model here does not see where: look again half-way back.
    auto retreat = [&] {
      if (back < -1e-3 * event_ && back / 2 < best.drop) best = Event{back / 2};
    };
    for (int j = 0; j < region_.d; ++j) {
      if (is_active_[j] || barred_[j] || region_.spread[j] == 0) continue;
      double out[2];
      two_dots(region_.n, region_.column(j), first_.data(), slope_.data(), out);
      for (int side : {1, -1}) {
        // side·c reaches the penalty: side·(c - slope·drop) = lambda - drop
        const double gap = lambda_ - side * out[0], closing = 1 - side * out[1];
        if (j == just_left_ && gap < 1e-6 * event_ && lambda_ > event_ * (1 - 1e-3)) continue;
        if (closing > 1e-12)
          offer(gap / closing, j, -side, -1);
        else if (gap < 0)
          retreat();
      }
    }
    for (int a = 1; a < m; ++a) {
      const double here = signs_[a - 1] * (w_[a - 1] + correction_[a]);
      const double shrinking = signs_[a - 1] * direction_[a];
      if (shrinking > 0)
        offer(here / shrinking, -1, 0, a - 1);
      else if (here < 0)
        retreat();
    }
    return best;
  }

  // Corrects the weights and lowers the penalty; the largest change of a score.
  double move(double drop) {
    add_multiple(region_.n, -drop, moving_.data(), corrected_.data());
    add_multiple(region_.n, 1, corrected_.data(), scores_.score.data());
    b_ += correction_[0] - drop * direction_[0];
    for (std::size_t a = 0; a < w_.size(); ++a)
      w_[a] += correction_[a + 1] - drop * direction_[a + 1];
    lambda_ -= drop;
    return largest(region_.n, corrected_.data());
  }

  // Whether the support changed.
  bool apply(const Event& event) {
    if (event.leaves >= 0) {
      leave(event.leaves);
      std::fill(barred_.begin(), barred_.end(), 0);
      return true;
    }
    if (independent(event.enters)) {
      enter(event.enters, event.sign);
      return true;
    }
    return swap(event.enters, event.sign);
  }

  // Whether the active columns leave something of column j: a quick look at the linearised problem,
  // and an exact one where that is in doubt.
  bool independent(int j) const {
    std::vector<int> columns = active_;
    columns.push_back(j);
    const int m = int(columns.size());
    std::vector<double> H = scores_.hessian(columns), last(H.end() - m - 1, H.end() - 1), inner(m * m);
    for (int a = 0; a < m; ++a)
      for (int c = 0; c <= a; ++c) inner[a * m + c] = H[a * (m + 1) + c];
    const double alone = H.back() - last[0] * last[0] / H[0];
    std::vector<double> solved = last;
    Cholesky(inner, m).solve(solved);
    double remaining = H.back();
    for (int a = 0; a < m; ++a) remaining -= last[a] * solved[a];
    return remaining > 1e-4 * alone ||
           region_.remaining_spread(j, active_) > dependent * region_.spread[j];
  }

  // Column j is a combination of the active ones. At this penalty the weights may move along that
  // combination without changing any score nor |w|_1, until one of them is zero: j takes its place.
  bool swap(int j, int sign) {
    const std::vector<double> share = combination(j);
    int leaving = -1;
    double least = INFINITY;
    for (std::size_t a = 0; a < w_.size(); ++a) {
      const double rate = sign * share[a + 1];
      if (rate * signs_[a] > 1e-9 && w_[a] / rate < least) least = w_[a] / rate, leaving = int(a);
    }
    if (leaving < 0 || is_copy(share)) {
      barred_[j] = 1;
      return false;
    }
    for (std::size_t a = 0; a < w_.size(); ++a) w_[a] -= least * sign * share[a + 1];
    b_ -= least * sign * share[0];
    barred_[active_[leaving]] = 1;
    leave(leaving);
    enter(j, sign);
    w_.back() = least * sign;
    return true;
  }

  static bool is_copy(const std::vector<double>& share) {
    return std::count_if(share.begin() + 1, share.end(),
                         [](double x) { return std::fabs(x) > 1e-6; }) == 1;
  }

  // Coefficients of column j on (1, active columns).
  std::vector<double> combination(int j) const {
    Scores<Real> plain(region_);
    plain.second = region_.v;
    const int m = int(active_.size()) + 1;
    std::vector<double> share(m);
    share[0] = dot(region_.n, region_.column(j), region_.v.data());
    for (int a = 1; a < m; ++a)
      share[a] =
          weighted_dot(region_.n, region_.column(j), region_.column(active_[a - 1]), region_.v.data());
    Cholesky(plain.hessian(active_), m).solve(share);
    return share;
  }

  const Region<Real>& region_;
  Scores<Real> scores_;
  std::vector<std::uint8_t> barred_, is_active_;
  std::vector<int> active_, signs_;
  std::vector<double> w_, correction_, direction_, corrected_, moving_, first_, slope_;
  double b_, lambda_, largest_, event_;
  int first_sign_ = 1, just_left_ = -1, passes_ = 0;
  bool done_ = false;
  std::optional<Event> foreseen_;  // from the present place
};

// Grows the support greedily to the wanted size, refitting after each new column.
template <typename Real>
void grow(Scores<Real>& scores, std::size_t size, Separator& s) {
  const Region<Real>& region = scores.region;
  while (s.support.size() < size) {
    scores.set(s.b, s.support, s.w);
    std::vector<std::pair<double, int>> order;
    for (int j = 0; j < region.d; ++j)
      if (region.spread[j] > 0 &&
          std::find(s.support.begin(), s.support.end(), j) == s.support.end())
        order.emplace_back(-std::fabs(scores.gradient(j)) / std::sqrt(region.spread[j]), j);
    std::sort(order.begin(), order.end());
    auto independent = std::find_if(order.begin(), order.end(), [&](const auto& entry) {
      return region.remaining_spread(entry.second, s.support) >
             dependent * region.spread[entry.second];
    });
    if (independent == order.end()) return;
    s.support.push_back(independent->second);
    s.w.push_back(0);
    newton(scores, 0, {}, refitted, s);
  }
}

}  // namespace

template <typename Real>
Region<Real>::Region(const Real* Z, std::int64_t rows, int d, const std::vector<std::int64_t>& index,
                     const double* strength, bool gather)
    : n(gather ? std::int64_t(index.size()) : rows), d(d), v(n), side(n), spread(d), total(0) {
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
    double sums[2];
    moments(n, column(j), v.data(), sums);
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
std::vector<Separator> path(const Region<Real>& region, int max_size) {
  std::vector<Separator> stretches;
  if (one_sided(region)) return stretches;
  Homotopy<Real> homotopy(region);
  Scores<Real> scores(region);
  while (!homotopy.done() && int(homotopy.active().size()) <= max_size) {
    const Separator start = homotopy.solution();
    const std::vector<int> signs = homotopy.signs();
    homotopy.advance();
    if (!homotopy.done() && homotopy.penalty() > start.penalty * (1 - 1e-6)) continue;  // no length
    // The solution half-way down the stretch, made exact.
    Separator middle = start;
    middle.penalty = homotopy.done() ? 0.5 * start.penalty
                                     : 0.5 * (start.penalty + homotopy.penalty());
    newton(scores, middle.penalty, signs, 1e-9, middle);
    stretches.push_back(middle);
  }
  return stretches;
}

template <typename Real>
struct SeparatorPath<Real>::Way {
  explicit Way(Region<Real> rows) : region(std::move(rows)), homotopy(region) {}

  void record() {
    visited.push_back(homotopy.solution());
    visited.back().penalty = 0;
  }

  void advance() {
    homotopy.advance();
    if (!homotopy.done()) record();
  }

  Region<Real> region;
  Homotopy<Real> homotopy;
  std::vector<Separator> visited;  // one solution for each support, in the order of the path
};

template <typename Real>
SeparatorPath<Real>::SeparatorPath(Region<Real> region) {
  if (one_sided(region)) return;
  way_ = std::make_unique<Way>(std::move(region));
  if (!way_->homotopy.active().empty()) way_->record();
}

template <typename Real>
SeparatorPath<Real>::~SeparatorPath() = default;

template <typename Real>
std::vector<Separator> SeparatorPath<Real>::of_size(int size, bool direction_only) {
  std::vector<Separator> found;
  if (!way_ || way_->visited.empty()) return found;
  Homotopy<Real>& homotopy = way_->homotopy;
  const auto holds = [&] { return int(homotopy.active().size()); };
  while (!homotopy.done() && (holds() < size || (holds() == size && homotopy.shrinks_next())))
    way_->advance();
  for (const Separator& s : way_->visited)
    if (int(s.support.size()) == size) found.push_back(s);
  if (size == 1 && direction_only) {
    found[0].w[0] = homotopy.first_sign();
    return found;
  }
  Scores<Real> scores(way_->region);
  if (found.empty()) {
    Separator largest{{}, {}, 0, 0};
    for (const Separator& s : way_->visited)
      if (int(s.support.size()) < size && s.support.size() > largest.support.size()) largest = s;
    newton(scores, 0, {}, refitted, largest);
    grow(scores, size, largest);
    found.push_back(largest);
  } else {
    for (Separator& s : found) newton(scores, 0, {}, refitted, s);
  }
  return found;
}

template <typename Real>
void SeparatorPath<Real>::rest() {
  if (way_) way_->homotopy.rest();
}

template <typename Real>
std::vector<double> SeparatorPath<Real>::projection(const Separator& s) const {
  const Region<Real>& region = way_->region;
  std::vector<double> out(region.n);
  for (std::size_t a = 0; a < s.support.size(); ++a)
    add_multiple(region.n, s.w[a], region.column(s.support[a]), out.data());
  return out;
}

template <typename Real>
std::vector<std::uint8_t> rows_inside(const Real* Z, std::int64_t rows, const std::vector<int>& support,
                                      const std::vector<double>& w, double threshold) {
  std::vector<double> out(rows);
  for (std::size_t a = 0; a < support.size(); ++a)
    add_multiple(rows, w[a], Z + std::size_t(support[a]) * rows, out.data());
  std::vector<std::uint8_t> inside(rows);
  for (std::int64_t i = 0; i < rows; ++i) inside[i] = out[i] >= threshold;
  return inside;
}

template class Region<float>;
template class Region<double>;
template std::vector<Separator> path(const Region<float>&, int);
template std::vector<Separator> path(const Region<double>&, int);
template class SeparatorPath<float>;
template class SeparatorPath<double>;
template std::vector<std::uint8_t> rows_inside(const float*, std::int64_t, const std::vector<int>&,
                                               const std::vector<double>&, double);
template std::vector<std::uint8_t> rows_inside(const double*, std::int64_t, const std::vector<int>&,
                                               const std::vector<double>&, double);

}  // namespace sorb
