// The lasso path as a homotopy: from one change of the support to the next.
#pragma once
#include <algorithm>
#include <cmath>
#include <optional>

#include "dense.hpp"
#include "passes.hpp"
#include "region.hpp"
#include "separator.hpp"
#include "tasks.hpp"

namespace sorb {

constexpr double smallest_penalty = 1e-6;  // as a share of the largest
constexpr double event_tolerance = 0.1;    // change of scores below which an event is located
constexpr double trust_radius = 4;  // change of scores up to which the linear model is trusted
constexpr int max_passes = 200;

// Follows the path event by event. Between events the active weights move so that each active
// gradient stays at -lambda·sign. Every pass linearises the problem where it stands, corrects the
// weights, and moves to the next event of that linear model: Newton's method for the event itself.
template <typename Real>
class Homotopy {
 public:
  // Starts where the first column enters; `slope` is the derivative of the loss by its weight.
  Homotopy(Region<Real>& region, int first, double slope)
      : region_(region),
        scores_(region),
        excluded_(region.d, 0),
        is_active_(region.d, 0),
        b_(region.intercept()),
        lambda_(std::fabs(slope)),
        largest_(lambda_),
        event_(lambda_),
        done_(!(lambda_ > 1e-13 * region.total)) {
    scores_.set_constant();
    differentiated_ = true;
    enter(first, slope > 0 ? -1 : 1);
  }

  bool done() const { return done_; }
  double penalty() const { return lambda_; }
  const std::vector<int>& active() const { return active_; }
  const std::vector<int>& signs() const { return signs_; }
  PathSolution solution() const { return {{active_, w_, b_}, lambda_, passes_}; }
  // Derivatives of the loss without the penalty, over the active columns; null if not known here.
  const Derivatives* derivatives() const { return summed_ ? &sums_ : nullptr; }

  // Frees the memory of all that the next pass would compute again.
  void free_memory() {
    next_.reset();
    differentiated_ = false;
    scores_.forget_derivatives();
    for (auto* x : {&corrected_, &moving_}) RowValues().swap(*x);
  }

  // Whether a column leaves at the next change, according to the linear model. A single column
  // never leaves: its weight only grows as the penalty falls.
  bool shrinks_next() {
    if (active_.size() <= 1) return false;
    if (!next_) next_ = next_event();
    return next_->leaves.has_value();
  }

  // Moves to the next change of the support.
  void advance() {
    require_patience();
    while (passes_ < max_passes) {
      Event event = next_ ? *next_ : next_event();
      next_.reset();
      const double moved = move(event);
      if (lambda_ < smallest_penalty * largest_) break;
      if (!event.happens() || moved > event_tolerance) continue;
      event_ = lambda_;
      if (apply(event)) return;
    }
    done_ = true;
  }

 private:
  struct Entry {
    int column, sign;
  };

  // A column enters or leaves; if neither, the step ends short of any event.
  struct Event {
    double drop = 0;  // by which the penalty falls until then
    std::optional<Entry> enters{};
    std::optional<int> leaves{};  // its place among the active columns

    bool happens() const { return enters || leaves; }
  };

  // The first of the events that are offered, as the penalty falls.
  class FirstEvent {
   public:
    FirstEvent(double penalty, double last_event)
        : back_(penalty - last_event), missed_(back_ < -1e-3 * last_event), best_{0.8 * penalty} {}

    void offer(Event event) {
      if (!(event.drop < best_.drop)) return;
      event.drop = std::max(event.drop, back_);
      best_ = event;
    }

    // An event was missed, and the linear model does not say where: go half-way back.
    void retreat() {
      if (missed_ && back_ / 2 < best_.drop) best_ = Event{back_ / 2};
    }

    const Event& found() const { return best_; }

   private:
    double back_;  // to the last event, above which the path must not go
    bool missed_;  // whether an event may have been missed since then
    Event best_;
  };

  void enter(int j, int sign) {
    active_.push_back(j);
    signs_.push_back(sign);
    w_.push_back(0);
    is_active_[j] = 1;
    permitted_ = region_.limits.beside(active_);
  }

  void leave(int a) {
    just_left_ = active_[a];
    is_active_[active_[a]] = 0;
    active_.erase(active_.begin() + a);
    signs_.erase(signs_.begin() + a);
    w_.erase(w_.begin() + a);
    permitted_ = region_.limits.beside(active_);
  }

  // Derivatives at the present scores: of each row, and over these columns.
  void differentiate(const std::vector<int>& columns) {
    if (!differentiated_) scores_.differentiate();
    scores_.sum_up(columns, sums_);
    differentiated_ = summed_ = true;
  }

  void invalidate() { differentiated_ = summed_ = false; }

  Event next_event() {
    ++passes_;
    solve_linear_model();
    FirstEvent first(lambda_, event_);
    offer_entries(first);
    offer_exits(first);
    return first.found();
  }

  // The correction of the weights, and how they move with the penalty; for the scores as well.
  void solve_linear_model() {
    if (!differentiated_ || !summed_) differentiate(active_);
    const int m = int(active_.size()) + 1;
    const Cholesky hessian(sums_.hessian, m);
    correction_.assign(m, -sums_.gradient[0]);
    direction_.assign(m, 0);  // of (b, w) as the penalty grows
    for (int a = 1; a < m; ++a) {
      correction_[a] = -(sums_.gradient[a] + lambda_ * signs_[a - 1]);
      direction_[a] = -signs_[a - 1];
    }
    hessian.solve(correction_);
    hessian.solve(direction_);
    combine(region_, active_, correction_.data(), corrected_);
    combine(region_, active_, direction_.data(), moving_);
    // In place, since the next step computes its own derivatives.
    linearise(region_.n, corrected_.data(), moving_.data(), scores_.first.data(),
              scores_.second.data(), largest_changes_);
    differentiated_ = false;
  }

  using Gradient = typename Region<Real>::TwoDots;  // of a column, and how it changes

  bool may_enter(std::int64_t j) const {
    return !is_active_[j] && !excluded_[j] && (permitted_.empty() || permitted_[j]);
  }

  Gradient gradient_of(int j) {
    UnsetTemporary<Real> room;
    double out[2];
    two_dots(region_.n, region_.column(j, room), scores_.first.data(), scores_.second.data(), out);
    return {out[0], out[1]};
  }

  // An inactive column enters where its gradient reaches the penalty.
  void offer_entries(FirstEvent& first) {
    std::vector<Gradient> gradients(region_.d);
    if (region_.sparse()) {
      gradients = region_.stored_dots(scores_.first.data(), scores_.second.data());
      sum_up_leading(gradients, first);
    } else {
      run_tasks(region_.d, region_.threads, region_.n * region_.d, [&](std::int64_t j) {
        if (may_enter(j)) gradients[j] = gradient_of(int(j));
      });
    }
    offer_entries(gradients, first);
  }

  // Sums up all values of the columns that may enter first.
  void sum_up_leading(std::vector<Gradient>& gradients, const FirstEvent& none) {
    std::vector<std::uint8_t> is_exact(region_.d);
    for (std::vector<int> leading; !(leading = next_leading(gradients, is_exact, none)).empty();) {
      if (!region_.worth_summing_again(leading.size())) return;
      for (int j : leading) gradients[j] = gradient_of(j), is_exact[j] = 1;
    }
  }

  // The columns that may enter first and are not summed up exactly yet.
  std::vector<int> next_leading(const std::vector<Gradient>& gradients,
                                const std::vector<std::uint8_t>& is_exact, FirstEvent first) {
    offer_entries(gradients, first);
    const double drop = first.found().drop;
    const double tolerance = leading_share * lambda_ + leading_rounding * region_.total;
    const auto may_be_first = [&](double value, double slope) {
      return lambda_ - value <= drop * std::max(1 - slope, 0.0) + tolerance;
    };
    std::vector<int> leading;
    for (int j = 0; j < region_.d; ++j) {
      const auto [value, slope] = gradients[j];
      if (may_enter(j) && !is_exact[j] &&
          (may_be_first(value, slope) || may_be_first(-value, -slope)))
        leading.push_back(j);
    }
    return leading;
  }

  void offer_entries(const std::vector<Gradient>& gradients, FirstEvent& first) {
    for (int j = 0; j < region_.d; ++j) {
      if (!may_enter(j)) continue;
      const auto [value, slope] = gradients[j];
      for (int side : {1, -1}) {
        if (!region_.limits.allow_weight(j, -side)) continue;
        // side·c reaches the penalty: side·(c - slope·drop) = lambda - drop
        const double gap = lambda_ - side * value, closing = 1 - side * slope;
        if (j == just_left_ && gap < 1e-6 * event_ && lambda_ > event_ * (1 - 1e-3)) continue;
        if (closing > 1e-12) {
          // Most columns come much later, and need no division.
          const double bound = first.found().drop * closing;
          if (gap - bound > 1e-9 * (std::fabs(gap) + std::fabs(bound))) continue;
          first.offer({gap / closing, Entry{j, -side}, {}});
        } else if (gap < 0) {
          first.retreat();
        }
      }
    }
  }

  // An active column leaves where its weight reaches zero.
  void offer_exits(FirstEvent& first) {
    for (int a = 0; a < int(active_.size()); ++a) {
      const double here = signs_[a] * (w_[a] + correction_[a + 1]);
      const double shrinking = signs_[a] * direction_[a + 1];
      if (shrinking > 0)
        first.offer({here / shrinking, {}, a});
      else if (here < 0)
        first.retreat();
    }
  }

  // Corrects the weights and lowers the penalty, both only as far as the linear model is trusted,
  // which may be short of the event. Returns the largest change of a score.
  double move(Event& event) {
    const double correcting = largest_changes_[0],
                 lowering = std::fabs(event.drop) * largest_changes_[1];
    const double share = correcting > trust_radius ? trust_radius / correcting : 1;
    const double left = std::max(0.0, trust_radius - correcting);
    if (lowering > left) event = Event{event.drop * (left / lowering)};
    b_ += share * correction_[0] - event.drop * direction_[0];
    for (std::size_t a = 0; a < w_.size(); ++a)
      w_[a] += share * correction_[a + 1] - event.drop * direction_[a + 1];
    lambda_ -= event.drop;
    invalidate();
    return move_scores(region_.n, share, event.drop, corrected_.data(), moving_.data(),
                       scores_.score.data());
  }

  // Returns whether the support changed.
  bool apply(const Event& event) {
    if (event.leaves) {
      leave(*event.leaves);
      std::fill(excluded_.begin(), excluded_.end(), 0);
      return true;
    }
    const auto [column, sign] = *event.enters;
    if (independent(column)) {
      enter(column, sign);
      return true;
    }
    invalidate();
    return swap(column, sign);
  }

  // Whether column j is linearly independent of the active ones: a quick test on the linearised
  // problem, which the next pass needs anyway, and an exact one in case of doubt.
  bool independent(int j) {
    std::vector<int> columns = active_;
    columns.push_back(j);
    differentiate(columns);
    const int m = int(columns.size()) + 1;
    const double* last = &sums_.hessian[(m - 1) * m];
    const double alone = last[m - 1] - last[0] * last[0] / sums_.hessian[0];
    return Cholesky(sums_.hessian, m).last_pivot() > 1e-4 * alone ||
           region_.remaining_spread(j, active_) >
               independence_tolerance * region_.moments(j).spread;
  }

  // Column j is a combination of the active ones. At this penalty the weights may move along that
  // combination without changing any score or |w|_1, until one of them is zero: j takes its place.
  bool swap(int j, int sign) {
    const std::vector<double> share = combination(j);
    std::optional<int> leaving;
    double least = INFINITY;
    for (std::size_t a = 0; a < w_.size(); ++a) {
      const double rate = sign * share[a + 1];
      if (rate * signs_[a] > 1e-9 && w_[a] / rate < least) least = w_[a] / rate, leaving = int(a);
    }
    if (!leaving || is_copy(share)) {
      excluded_[j] = 1;
      return false;
    }
    for (std::size_t a = 0; a < w_.size(); ++a) w_[a] -= least * sign * share[a + 1];
    b_ -= least * sign * share[0];
    excluded_[active_[*leaving]] = 1;
    leave(*leaving);
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
    plain.first = plain.second = region_.v;
    const int m = int(active_.size()) + 1;
    std::vector<double> share(m);
    share[0] = dot(region_.n, region_.column(j), region_.v.data());
    for (int a = 1; a < m; ++a)
      share[a] = weighted_dot(region_.n, region_.column(j), region_.column(active_[a - 1]),
                              region_.v.data());
    Derivatives gram;
    plain.sum_up(active_, gram);
    Cholesky(gram.hessian, m).solve(share);
    return share;
  }

  Region<Real>& region_;
  Scores<Real> scores_;
  Derivatives sums_;
  bool differentiated_ = false, summed_ = false;  // whether scores_ and sums_ are up to date
  std::vector<std::uint8_t> excluded_, is_active_;
  std::vector<std::uint8_t> permitted_;  // beside the active columns; empty: all are
  std::vector<int> active_, signs_;
  std::vector<double> w_, correction_, direction_;
  RowValues corrected_, moving_;
  double largest_changes_[2] = {0, 0};  // of a score, by correction_ and direction_
  double b_, lambda_, largest_, event_;
  std::optional<int> just_left_;
  int passes_ = 1;  // the first one found the column to start with
  bool done_;
  std::optional<Event> next_;  // the next event, if it was already looked for
};

}  // namespace sorb
