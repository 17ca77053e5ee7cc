#include "search.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <future>
#include <map>
#include <mutex>

#include "packed.hpp"
#include "separator.hpp"
#include "table.hpp"

namespace sorb {
namespace {

using Mask = std::vector<std::uint8_t>;

// The rows for which something holds. Without a branch, since none could be foretold.
template <typename Holds>
std::vector<std::int64_t> rows_where(const std::vector<std::int64_t>& rows, Holds holds) {
  std::vector<std::int64_t> out(rows.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out[count] = rows[i];
    count += holds(i);
  }
  out.resize(count);
  return out;
}

// Which of some rows are inside all half-spaces.
std::vector<std::int64_t> intersection(const Conjunction& halves,
                                       const std::vector<std::int64_t>& rows) {
  if (halves.empty()) return rows;
  Mask all = halves[0]->rows;
  for (std::size_t h = 1; h < halves.size(); ++h)
    for (std::size_t i = 0; i < all.size(); ++i) all[i] &= halves[h]->rows[i];
  return rows_where(rows, [&](std::size_t i) { return all[rows[i]]; });
}

// Fills in which rows are inside, by the same sums that the separators' projections are made of.
template <typename Real>
std::shared_ptr<const HalfSpace> completed(const Problem<Real>& problem, HalfSpace half) {
  half.rows = rows_inside(problem.Z, problem.n, half.support, half.w, half.threshold);
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

constexpr double rounding = 1e-9;  // gains that differ by less are equal

// Half-spaces learned where some others hold, for growing numbers of columns, from one path.
template <typename Real>
class Learner {
 public:
  Learner(const Problem<Real>& problem, Rows rows)
      : rows_(std::move(rows)),
        small_(is_small(problem, rows_->size())),
        gathered_(worth_copying(problem, rows_->size())),
        path_(Region<Real>(problem.Z, problem.n, problem.d, rows_, problem.strength, gathered_),
              !small_) {}

  const std::vector<std::int64_t>& rows() const { return *rows_; }
  bool small() const { return small_; }

  // Called from both chains for the rows of the whole bag, as is the next one.
  const std::vector<Separator>& of_size(int size, bool direction_only) {
    return remembered(of_size_, size, [&] { return path_.of_size(size, direction_only); });
  }

  const std::vector<Separator>& up_to(int largest) {
    return remembered(up_to_, largest, [&] { return path_.up_to(largest); });
  }

  std::vector<double> projection(const Separator& s) const {
    std::vector<double> all = path_.projection(s);
    if (gathered_) return all;
    for (std::size_t i = 0; i < rows().size(); ++i) all[i] = all[rows()[i]];  // rows are ascending
    all.resize(rows().size());
    return all;
  }

 private:
  using Found = std::map<int, std::vector<Separator>>;

  template <typename Find>
  const std::vector<Separator>& remembered(Found& found, int size, Find find) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto known = found.find(size);
    if (known == found.end()) known = found.emplace(size, find()).first;
    return known->second;
  }

  std::mutex mutex_;
  Rows rows_;
  bool small_, gathered_;
  SeparatorPath<Real> path_;
  Found of_size_, up_to_;
};

template <typename Real>
class Chain {
 public:
  Chain(const Problem<Real>& problem, std::shared_ptr<Learner<Real>> everywhere, int sign)
      : problem_(problem), everywhere_(std::move(everywhere)), sign_(sign) {}

  std::vector<Conjunction> levels(int max_weights, Steps steps) {
    std::vector<Conjunction> out;
    Conjunction halves;
    for (int left = max_weights; left > 0;) {
      best_ = -1;
      steps == Steps::refine ? refine(halves) : append(halves, left);
      if (best_ < 0) break;
      left -= steps == Steps::refine ? 1 : int(half_.support.size());
      known_others_ = without(halves, place_);
      known_ = std::move(winner_);
      halves = with(halves, place_, completed(problem_, std::move(half_)));
      out.push_back(halves);
    }
    return out;
  }

 private:
  static Conjunction without(const Conjunction& halves, std::size_t j) {
    Conjunction others = halves;
    if (j < halves.size()) others.erase(others.begin() + j);
    return others;
  }

  // Where these others hold. The winner of the last level is likely to be asked again.
  std::shared_ptr<Learner<Real>> learner(const Conjunction& others) {
    if (others.empty()) return everywhere_;
    if (known_ && others == known_others_) return known_;
    return std::make_shared<Learner<Real>>(
        problem_, std::make_shared<std::vector<std::int64_t>>(intersection(others, *problem_.bag)));
  }

  // Learns each half-space again with one more column, where all others hold, or adds one.
  void refine(const Conjunction& halves) {
    for (std::size_t j = 0; j <= halves.size(); ++j) {
      const int size = j < halves.size() ? int(halves[j]->support.size()) + 1 : 1;
      if (size > problem_.d) continue;
      const std::shared_ptr<Learner<Real>> where = learner(without(halves, j));
      consider(where, where->of_size(size, problem_.cutter != nullptr), j);
    }
  }

  // Adds a half-space of any size that is left.
  void append(const Conjunction& halves, int left) {
    const std::shared_ptr<Learner<Real>> where = learner(halves);
    consider(where, where->up_to(std::min(left, problem_.d)), halves.size());
  }

  void consider(const std::shared_ptr<Learner<Real>>& where,
                const std::vector<Separator>& separators, std::size_t place) {
    for (const Separator& separator : separators) {
      HalfSpace half;
      const std::vector<std::int64_t> kept = cut(*where, separator, half);
      if (kept.empty() || kept.size() == where->rows().size()) continue;
      const double value = problem_.objective.score(kept, sign_);
      if (!(value > best_ * (1 + rounding))) continue;
      best_ = value;
      place_ = place;
      half_ = std::move(half);
      winner_ = where->small() ? where : nullptr;
    }
  }

  // The separator with its threshold, seen from the side of the sign; the rows that it keeps.
  std::vector<std::int64_t> cut(const Learner<Real>& where, const Separator& separator,
                                HalfSpace& half) const {
    std::vector<double> projection = where.projection(separator);
    half.support = separator.support;
    half.w = separator.w;
    half.threshold = -sign_ * separator.b;
    if (sign_ < 0) {
      for (double& x : projection) x = -x;
      for (double& x : half.w) x = -x;
    }
    if (problem_.cutter) {
      const Cut cut = problem_.cutter->cut(where.rows(), projection, sign_);
      if (!(cut.value > 0)) return {};
      half.threshold = cut.threshold;
    }
    return rows_where(where.rows(),
                      [&](std::size_t i) { return projection[i] >= half.threshold; });
  }

  const Problem<Real>& problem_;
  const std::shared_ptr<Learner<Real>> everywhere_;
  const int sign_;
  Conjunction known_others_;
  std::shared_ptr<Learner<Real>> known_;
  // The best step of this level: its objective, place, half-space, and where it was learned.
  double best_ = -1;
  std::size_t place_ = 0;
  HalfSpace half_;
  std::shared_ptr<Learner<Real>> winner_;
};

}  // namespace

std::uint64_t division(const std::uint8_t* members, std::int64_t n) {
  std::uint64_t key = 0, across = 0;
  const std::uint64_t all = n > 0 && members[0] ? 0x0101010101010101u : 0;
  for (std::int64_t start = 0; start < n; start += 64) {
    std::uint64_t word = 0;
    for (std::int64_t i = start; i < std::min(start + 64, n); i += 8) {
      std::uint64_t eight = all;
      if (i + 8 <= n)
        std::memcpy(&eight, members + i, 8);
      else
        std::memcpy(&eight, members + i, std::size_t(n - i));
      // The product brings the lowest bits of the eight bytes together in the highest byte.
      word |= ((eight ^ all) * 0x0102040810204080u >> 56) << (i - start);
    }
    key = mix(key ^ word) + 1;
    across |= word;
  }
  return across ? key : 0;
}

namespace {

template <typename Real>
std::vector<std::vector<Conjunction>> both_chains(const Problem<Real>& problem, int max_weights,
                                                  Steps steps, int threads) {
  const auto everywhere = std::make_shared<Learner<Real>>(problem, problem.bag);
  std::vector<std::vector<Conjunction>> out(2);
  const auto run = [&](int which) {
    out[which] = Chain<Real>(problem, everywhere, which == 0 ? 1 : -1).levels(max_weights, steps);
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

}  // namespace

template <typename Real>
std::vector<std::vector<Conjunction>> oblique_levels(const Problem<Real>& problem, int max_weights,
                                                     Steps steps, int threads) {
  if (!worth_copying(problem, problem.bag->size()))
    return both_chains(problem, max_weights, steps, threads);
  const PackedProblem<Real> packed(problem);
  auto out = both_chains(*packed.problem, max_weights, steps, threads);
  // The half-spaces know by now which rows of the bag are inside: tell them those of the table.
  std::map<std::shared_ptr<const HalfSpace>, std::shared_ptr<const HalfSpace>> known;
  for (auto& chain : out)
    for (Conjunction& halves : chain)
      for (auto& half : halves) {
        auto& whole = known[half];
        if (!whole) whole = completed(problem, *half);
        half = whole;
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
      const std::vector<std::int64_t> rows = intersection(halves, *problem.bag);
      HalfSpace next;
      std::vector<double> projection(rows.size());
      for (int j = 0; j < problem.d; ++j) {
        for (double direction : {1.0, -1.0}) {
          for (std::size_t i = 0; i < rows.size(); ++i)
            projection[i] = direction * problem.Z[std::size_t(j) * problem.n + rows[i]];
          const Cut cut = problem.objective.cut(rows, projection, sign);
          if (cut.value > best * (1 + rounding))
            best = cut.value, next = {{j}, {direction}, cut.threshold, {}};
        }
      }
      if (next.support.empty()) break;
      halves = with(halves, halves.size(), completed(problem, std::move(next)));
      out.back().push_back(halves);
    }
  }
  return out;
}

template std::vector<std::vector<Conjunction>> oblique_levels(const Problem<float>&, int, Steps, int);
template std::vector<std::vector<Conjunction>> oblique_levels(const Problem<double>&, int, Steps, int);
template std::vector<std::vector<Conjunction>> axis_levels(const Problem<float>&, int);
template std::vector<std::vector<Conjunction>> axis_levels(const Problem<double>&, int);

}  // namespace sorb
