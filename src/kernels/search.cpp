#include "search.hpp"

#include <algorithm>
#include <cmath>
#include <future>
#include <map>
#include <mutex>

#include "separator.hpp"

namespace sorb {
namespace {

using Mask = std::vector<std::uint8_t>;

Mask intersection(const Conjunction& halves, std::size_t n) {
  Mask all(n, 1);
  for (const auto& half : halves)
    for (std::size_t i = 0; i < n; ++i) all[i] &= half->bag[i];
  return all;
}

std::vector<std::int64_t> chosen(const std::vector<std::int64_t>& rows, const Mask& mask) {
  std::vector<std::int64_t> out;
  out.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (mask[i]) out.push_back(rows[i]);
  return out;
}

// Fills in which rows are inside, by the same sums that the separators' projections are made of.
template <typename Real>
std::shared_ptr<const HalfSpace> completed(const Problem<Real>& problem, HalfSpace half) {
  half.rows = rows_inside(problem.Z, problem.n, half.support, half.w, half.threshold);
  half.bag.resize(problem.bag.size());
  for (std::size_t i = 0; i < problem.bag.size(); ++i) half.bag[i] = half.rows[problem.bag[i]];
  return std::make_shared<const HalfSpace>(std::move(half));
}

// Whether a single-column half-space follows from another on the same column and side.
bool implied(const HalfSpace& weak, const HalfSpace& strong) {
  return weak.support.size() == 1 && weak.support == strong.support && weak.w[0] * strong.w[0] > 0 &&
         weak.threshold / std::fabs(weak.w[0]) <= strong.threshold / std::fabs(strong.w[0]);
}

// The conjunction with half-space j replaced (or added at the end), less what that one implies.
Conjunction with(const Conjunction& halves, std::size_t j, std::shared_ptr<const HalfSpace> half) {
  Conjunction out;
  for (std::size_t i = 0; i < halves.size(); ++i)
    if (i != j && !implied(*halves[i], *half)) out.push_back(halves[i]);
  out.insert(out.begin() + std::min(j, out.size()), std::move(half));
  return out;
}

// Half-spaces learned where some others hold, for growing numbers of columns, from one path.
template <typename Real>
class Learner {
 public:
  Learner(const Problem<Real>& problem, const std::vector<double>& weight,
          const std::vector<double>& side, const Mask& where)
      : rows_(chosen(problem.bag, where)),
        path_(Region<Real>(problem.Z, problem.n, problem.d, std::int64_t(rows_.size()),
                           rows_.data(), weight.data(), side.data())) {}

  struct Found {
    Separator separator;
    std::vector<double> projection;
  };

  const std::vector<std::int64_t>& rows() const { return rows_; }

  // Called from both chains for the rows of the whole bag.
  const std::vector<Found>& of_size(int size, bool direction_only) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto known = found_.find(size);
    if (known == found_.end()) {
      std::vector<Found> found;
      for (Separator& s : path_.of_size(size, direction_only)) {
        std::vector<double> projection = path_.projection(s);
        found.push_back({std::move(s), std::move(projection)});
      }
      known = found_.emplace(size, std::move(found)).first;
    }
    return known->second;
  }

 private:
  std::mutex mutex_;
  std::vector<std::int64_t> rows_;
  SeparatorPath<Real> path_;
  std::map<int, std::vector<Found>> found_;
};

template <typename Real>
class Chain {
 public:
  Chain(const Problem<Real>& problem, const std::vector<double>& weight,
        const std::vector<double>& side, std::shared_ptr<Learner<Real>> everywhere, int sign)
      : problem_(problem), weight_(weight), side_(side), sign_(sign) {
    learners_[{}] = std::move(everywhere);
  }

  std::vector<Conjunction> levels(int max_weights) {
    std::vector<Conjunction> out;
    Conjunction halves;
    for (int level = 0; level < max_weights; ++level) {
      best_ = -1;
      for (std::size_t j = 0; j <= halves.size(); ++j) refine(halves, j);
      if (best_ < 0) break;
      halves = with(halves, place_, completed(problem_, std::move(half_)));
      out.push_back(halves);
      forget(halves);
    }
    return out;
  }

 private:
  static Conjunction without(const Conjunction& halves, std::size_t j) {
    Conjunction others = halves;
    if (j < halves.size()) others.erase(others.begin() + j);
    return others;
  }

  // Learns half-space j of the conjunction again with one more column, where all others hold.
  void refine(const Conjunction& halves, std::size_t j) {
    const int size = j < halves.size() ? int(halves[j]->support.size()) + 1 : 1;
    if (size > problem_.d) return;
    const Conjunction others = without(halves, j);
    const Mask region = intersection(others, problem_.bag.size());
    std::shared_ptr<Learner<Real>>& learner = learners_[others];
    if (!learner) learner = std::make_shared<Learner<Real>>(problem_, weight_, side_, region);
    for (const auto& found : learner->of_size(size, problem_.cutter != nullptr)) {
      HalfSpace half;
      const std::vector<std::int64_t> kept = cut(*learner, found, half);
      if (kept.empty() || kept.size() == learner->rows().size()) continue;
      const double value = problem_.objective.score(kept, sign_);
      if (value > best_) best_ = value, place_ = j, half_ = std::move(half);
    }
  }

  // The separator with its threshold, seen from the side of the sign; the rows that it keeps.
  std::vector<std::int64_t> cut(const Learner<Real>& learner,
                                const typename Learner<Real>::Found& found, HalfSpace& half) const {
    std::vector<double> projection = found.projection;
    half.support = found.separator.support;
    half.w = found.separator.w;
    half.threshold = -sign_ * found.separator.b;
    if (sign_ < 0) {
      for (double& x : projection) x = -x;
      for (double& x : half.w) x = -x;
    }
    std::vector<std::int64_t> kept;
    kept.reserve(projection.size());
    if (problem_.cutter) {
      const Cut cut = problem_.cutter->cut(learner.rows(), projection, sign_);
      if (!(cut.value > 0)) return kept;
      half.threshold = cut.threshold;
    }
    for (std::size_t i = 0; i < projection.size(); ++i)
      if (projection[i] >= half.threshold) kept.push_back(learner.rows()[i]);
    return kept;
  }

  // Keeps only what the next level can use again.
  void forget(const Conjunction& halves) {
    std::map<Conjunction, std::shared_ptr<Learner<Real>>> kept;
    for (std::size_t j = 0; j <= halves.size(); ++j) {
      const auto known = learners_.find(without(halves, j));
      if (known != learners_.end()) kept.insert(*known);
    }
    learners_.swap(kept);
  }

  const Problem<Real>& problem_;
  const std::vector<double>&weight_, &side_;
  const int sign_;
  std::map<Conjunction, std::shared_ptr<Learner<Real>>> learners_;  // by the other half-spaces
  double best_ = -1;      // of the refinements of this level: objective,
  std::size_t place_ = 0;  // place in the conjunction
  HalfSpace half_;         // and half-space
};

}  // namespace

template <typename Real>
std::vector<std::vector<Conjunction>> oblique_levels(const Problem<Real>& problem, int max_weights,
                                                     int threads) {
  std::vector<double> weight(problem.n), side(problem.n);
  for (std::int64_t i = 0; i < problem.n; ++i) {
    weight[i] = std::fabs(problem.strength[i]);
    side[i] = problem.strength[i] < 0 ? -1 : 1;
  }
  const auto everywhere =
      std::make_shared<Learner<Real>>(problem, weight, side, Mask(problem.bag.size(), 1));
  std::vector<std::vector<Conjunction>> out(2);
  const auto run = [&](int which) {
    out[which] =
        Chain<Real>(problem, weight, side, everywhere, which == 0 ? 1 : -1).levels(max_weights);
  };
  if (threads > 1) {
    std::future<void> other = std::async(std::launch::async, run, 1);
    run(0);
    other.get();
  } else {
    run(0);
    run(1);
  }
  return out;
}

template <typename Real>
std::vector<std::vector<Conjunction>> axis_levels(const Problem<Real>& problem, int max_weights) {
  std::vector<std::vector<Conjunction>> out;
  for (int sign : {1, -1}) {
    out.emplace_back();
    Conjunction halves;
    double best = 0;
    for (int level = 0; level < max_weights; ++level) {
      const Mask region = intersection(halves, problem.bag.size());
      const std::vector<std::int64_t> rows = chosen(problem.bag, region);
      HalfSpace next;
      std::vector<double> projection(rows.size());
      for (int j = 0; j < problem.d; ++j) {
        for (double direction : {1.0, -1.0}) {
          for (std::size_t i = 0; i < rows.size(); ++i)
            projection[i] = direction * problem.Z[std::size_t(j) * problem.n + rows[i]];
          const Cut cut = problem.objective.cut(rows, projection, sign);
          if (cut.value > best) best = cut.value, next = {{j}, {direction}, cut.threshold, {}, {}};
        }
      }
      if (next.support.empty()) break;
      halves = with(halves, halves.size(), completed(problem, std::move(next)));
      out.back().push_back(halves);
    }
  }
  return out;
}

template std::vector<std::vector<Conjunction>> oblique_levels(const Problem<float>&, int, int);
template std::vector<std::vector<Conjunction>> oblique_levels(const Problem<double>&, int, int);
template std::vector<std::vector<Conjunction>> axis_levels(const Problem<float>&, int);
template std::vector<std::vector<Conjunction>> axis_levels(const Problem<double>&, int);

}  // namespace sorb
