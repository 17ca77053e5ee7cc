#include "search.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <future>
#include <map>
#include <mutex>
#include <numeric>
#include <set>

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

// For each category, the last standing for "missing", whether a set holds for it.
Mask held(const HalfSpace& set, const Categories& categories) {
  Mask out(categories.count + 1, set.negated);
  for (int category : set.named) out[category] = !set.negated;
  out[categories.count] = set.missing;
  return out;
}

// Fills in which rows are inside, by the same sums that the separators' projections are made of.
template <typename Real>
std::shared_ptr<const HalfSpace> completed(const Problem<Real>& problem, HalfSpace half) {
  if (half.is_set()) {
    const Categories& categories = problem.meaning.categories[half.support[0]];
    const Mask holds = held(half, categories);
    half.rows.resize(problem.n);
    for (std::int64_t i = 0; i < problem.n; ++i) half.rows[i] = holds[categories.code[i]];
  } else {
    half.rows = rows_inside(problem.Z, problem.n, half.support, half.w, half.threshold);
    for (int j : half.support)
      if (const std::uint8_t* missing = problem.meaning.missing[j])
        for (std::int64_t i = 0; i < problem.n; ++i)
          if (missing[i]) half.rows[i] = half.missing;
  }
  return std::make_shared<const HalfSpace>(std::move(half));
}

// Whether a single-column half-space follows from another on the same column and side.
bool implied(const HalfSpace& weak, const HalfSpace& strong) {
  return weak.w.size() == 1 && strong.w.size() == 1 && weak.support == strong.support &&
         weak.w[0] * strong.w[0] > 0 && weak.missing >= strong.missing &&
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

// Whether there is a set of categories of this column.
bool has_set(const Conjunction& halves, int column) {
  return std::any_of(halves.begin(), halves.end(), [&](const auto& half) {
    return half->is_set() && half->support[0] == column;
  });
}

constexpr double rounding = 1e-9;  // gains that differ by less are equal

// Which of some rows miss a value in one of some columns; empty if none does.
Mask gone(const Meaning& meaning, const std::vector<int>& support,
          const std::vector<std::int64_t>& rows) {
  Mask out;
  for (int j : support) {
    const std::uint8_t* missing = meaning.missing[j];
    if (!missing) continue;
    out.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) out[i] |= missing[rows[i]];
  }
  if (std::find(out.begin(), out.end(), 1) == out.end()) out.clear();
  return out;
}

// The best threshold if the rows whose value is missing are inside, or outside. It divides the others:
// whether a value is missing at all is for a set to ask.
Cut cut_with_missing(const Objective& objective, const std::vector<std::int64_t>& rows,
                     std::vector<double>& projection, const Mask& missing, bool inside, int sign) {
  double low = INFINITY, high = -INFINITY;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!missing[i]) low = std::min(low, projection[i]), high = std::max(high, projection[i]);
  if (!(high > low)) return {0, 0};
  const double beyond = inside ? high + (high - low) : low - (high - low);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (missing[i]) projection[i] = beyond;
  const Cut cut = objective.cut(rows, projection, sign);
  return cut.threshold > low && cut.threshold <= high ? cut : Cut{0, 0};
}

// Makes equal what differs by rounding alone, so that no cut falls between equal sums.
void merge_equal(std::vector<double>& projection) {
  const auto [low, high] = std::minmax_element(projection.begin(), projection.end());
  const double start = projection.empty() ? 0 : *low;
  const double grain = projection.empty() ? 0 : (*high - start) * 0x1p-40;
  if (!(grain > 0)) return;
  // Shifted by an irrational part of a grain, since sums like to lie on simple fractions.
  for (double& x : projection) x = start + std::floor((x - start) / grain + 0.3819660112501051) * grain;
}

// A step that a search may take: what it promises, and the half-space.
struct Step {
  double value = -INFINITY;
  HalfSpace half;
};

// Searches for the best set of categories where the given rows are.
class SetSearch {
 public:
  SetSearch(const Meaning& meaning, const Objective& objective, int sign)
      : meaning_(meaning), objective_(objective), sign_(sign) {}

  // The best set that names no fewer and no more categories than that.
  Step best(int column, const std::vector<std::int64_t>& rows, int least, int most) const {
    const Categories& categories = meaning_.categories[column];
    const Sums sums(categories, rows, objective_, sign_);
    if (sums.present.size() < 2) return Step();
    // Of all sets, the best one is at one end of the order by the mean gain.
    const std::vector<int> order = sums.ordered(1);
    const std::vector<double> projection = places(categories, rows, order);
    const Cut cut = objective_.cut(rows, projection, sign_);
    if (!(cut.value > 0)) return Step();
    Step step{cut.value, named(column, order, std::size_t(std::floor(-cut.threshold)) + 1)};
    if (least <= step.half.size() && step.half.size() <= most) return step;
    // Few that are named should be frequent as well: their sum then decides, rather than their mean.
    step = {0, HalfSpace()};
    for (double power : {1.0, 0.5, 0.0}) consider(column, rows, sums.ordered(power), least, most, step);
    return step.value > 0 ? step : Step();
  }

 private:
  // What the rows of each category sum up to.
  struct Sums {
    Sums(const Categories& categories, const std::vector<std::int64_t>& rows,
         const Objective& objective, int sign)
        : gain(categories.count + 1), mass(categories.count + 1) {
      std::vector<std::uint8_t> seen(categories.count + 1);
      for (std::int64_t row : rows) {
        const int code = categories.code[row];
        gain[code] += sign * objective.gain[row];
        mass[code] += objective.mass[row];
        seen[code] = 1;
      }
      for (int code = 0; code <= categories.count; ++code)
        if (seen[code]) present.push_back(code);
    }

    // The categories with the highest gain / mass^power first.
    std::vector<int> ordered(double power) const {
      std::vector<double> size(mass);
      for (double& x : size) x = std::pow(x, power);
      std::vector<int> order = present;
      std::stable_sort(order.begin(), order.end(),
                       [&](int a, int b) { return gain[a] * size[b] > gain[b] * size[a]; });
      return order;
    }

    std::vector<double> gain, mass;
    std::vector<int> present;
  };

  // For each row minus the place of its category in the order.
  static std::vector<double> places(const Categories& categories,
                                    const std::vector<std::int64_t>& rows,
                                    const std::vector<int>& order) {
    std::vector<double> place(categories.count + 1), out(rows.size());
    for (std::size_t a = 0; a < order.size(); ++a) place[order[a]] = -double(a);
    for (std::size_t i = 0; i < rows.size(); ++i) out[i] = place[categories.code[rows[i]]];
    return out;
  }

  void consider(int column, const std::vector<std::int64_t>& rows, const std::vector<int>& order,
                int least, int most, Step& step) const {
    const Categories& categories = meaning_.categories[column];
    const std::vector<double> projection = places(categories, rows, order);
    const auto missing = std::find(order.begin(), order.end(), categories.count) - order.begin();
    for (std::size_t kept = 1; kept < order.size(); ++kept) {
      // What is missing is on one of the sides, but not named.
      const std::size_t absent = std::size_t(missing) < kept;
      const std::size_t rest = order.size() - kept - (std::size_t(missing) < order.size() && !absent);
      const int size = std::max(1, int(std::min(kept - absent, rest)));
      if (size < least || size > most) continue;
      const double value = objective_.score(
          rows_where(rows, [&](std::size_t i) { return projection[i] > -double(kept); }), sign_);
      if (value > step.value * (1 + rounding)) step = {value, named(column, order, kept)};
    }
  }

  // The first categories of the order, or the complement of the others, whichever names fewer.
  HalfSpace named(int column, const std::vector<int>& order, std::size_t kept) const {
    const int missing = meaning_.categories[column].count;
    HalfSpace set{{column}, {}, 0};
    std::vector<int> sides[2];
    for (std::size_t a = 0; a < order.size(); ++a) {
      if (order[a] == missing)
        set.missing = a < kept;
      else
        sides[a < kept ? 0 : 1].push_back(order[a]);
    }
    set.negated = sides[1].size() < sides[0].size();
    set.named = sides[set.negated ? 1 : 0];
    std::sort(set.named.begin(), set.named.end());
    return set;
  }

  const Meaning& meaning_;
  const Objective& objective_;
  const int sign_;
};

// Half-spaces learned where some others hold, for growing numbers of columns, from one path.
template <typename Real>
class Learner {
 public:
  Learner(const Problem<Real>& problem, Rows rows)
      : rows_(std::move(rows)),
        small_(is_small(problem, rows_->size())),
        gathered_(worth_copying(problem, rows_->size())) {
    const int border = problem.meaning.first_logarithm;
    for (const auto& [first, end] : {std::pair(0, border), std::pair(border, problem.d)}) {
      if (first == end) continue;
      groups_.push_back(
          {first, end - first,
           SeparatorPath<Real>(Region<Real>(problem.Z + std::size_t(first) * problem.n, problem.n,
                                            end - first, rows_, problem.strength, gathered_),
                               !small_)});
    }
  }

  const std::vector<std::int64_t>& rows() const { return *rows_; }
  bool small() const { return small_; }

  // Called from both chains for the rows of the whole bag, as is the next one.
  const std::vector<Separator>& of_size(int size, bool direction_only) {
    return remembered(of_size_, size, [&](Group& group) {
      return size <= group.width ? group.path.of_size(size, direction_only)
                                 : std::vector<Separator>();
    });
  }

  const std::vector<Separator>& up_to(int largest) {
    return remembered(up_to_, largest, [&](Group& group) {
      return group.path.up_to(std::min(largest, group.width));
    });
  }

  std::vector<double> projection(Separator s) const {
    const Group& group = s.support[0] < groups_.back().first ? groups_.front() : groups_.back();
    for (int& j : s.support) j -= group.first;
    std::vector<double> all = group.path.projection(s);
    if (gathered_) return all;
    for (std::size_t i = 0; i < rows().size(); ++i) all[i] = all[rows()[i]];  // rows are ascending
    all.resize(rows().size());
    return all;
  }

 private:
  using Found = std::map<int, std::vector<Separator>>;

  // Columns that may stand in one sum.
  struct Group {
    int first, width;
    SeparatorPath<Real> path;
  };

  template <typename Find>
  const std::vector<Separator>& remembered(Found& found, int size, Find find) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto known = found.find(size);
    if (known != found.end()) return known->second;
    std::vector<Separator>& all = found[size];
    for (Group& group : groups_)
      for (Separator& s : find(group)) {
        for (int& j : s.support) j += group.first;
        all.push_back(std::move(s));
      }
    return all;
  }

  std::mutex mutex_;
  Rows rows_;
  bool small_, gathered_;
  std::vector<Group> groups_;
  Found of_size_, up_to_;
};

constexpr int largest_weight = 5;

// A climb over vectors of whole weights, none of them zero: first those nearest to the direction of a
// separator, for each size of the largest weight, then the neighbours of the best so far.
class WholeWeights {
 public:
  WholeWeights(const Separator& separator, const double* scale) {
    std::vector<double> direction;
    double top = 0;
    for (std::size_t a = 0; a < separator.w.size(); ++a) {
      direction.push_back(separator.w[a] / scale[separator.support[a]]);
      top = std::max(top, std::fabs(direction.back()));
    }
    for (int largest = largest_weight; largest > 0; --largest) {  // the smallest are tried first
      std::vector<int> weights;
      for (double x : direction)
        weights.push_back(int(std::copysign(std::max(1.0, std::round(largest * std::fabs(x) / top)), x)));
      propose(std::move(weights));
    }
  }

  // The next weights to try, or null; what they reach is to be told before the next call.
  const std::vector<int>* next() {
    if (waiting_.empty() && best_ > from_) {
      from_ = best_;
      for (std::size_t a = 0; a < best_weights_.size(); ++a)
        for (int step : {1, -1}) {
          std::vector<int> weights = best_weights_;
          weights[a] += weights[a] + step == 0 ? 2 * step : step;
          if (std::abs(weights[a]) <= largest_weight) propose(std::move(weights));
        }
    }
    if (waiting_.empty()) return nullptr;
    present_ = std::move(waiting_.back());
    waiting_.pop_back();
    return &present_;
  }

  void reached(double value) {
    if (value > best_ * (1 + rounding)) best_ = value, best_weights_ = present_;
  }

 private:
  void propose(std::vector<int> weights) {
    int divisor = 0;
    for (int w : weights) divisor = std::gcd(divisor, w);
    for (int& w : weights) w /= divisor;
    if (known_.insert(weights).second) waiting_.push_back(std::move(weights));
  }

  std::set<std::vector<int>> known_;
  std::vector<std::vector<int>> waiting_;
  std::vector<int> present_, best_weights_;
  double best_ = 0, from_ = 0;
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
      left -= steps == Steps::refine ? 1 : half_.size();
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

  // Learns each half-space or set again with one more column or category, where all others hold, or
  // adds one.
  void refine(const Conjunction& halves) {
    for (std::size_t j = 0; j <= halves.size(); ++j) {
      const bool added = j == halves.size();
      const int size = added ? 1 : halves[j]->size() + 1;
      const Conjunction others = without(halves, j);
      if (!added && halves[j]->is_set()) {
        consider_set(learner(others), j, halves[j]->support[0], size, size);
      } else if (added || size <= problem_.d) {
        const std::shared_ptr<Learner<Real>> where = learner(others);
        consider(where, where->of_size(size, cutter() != nullptr), j);
        if (added) consider_sets(where, halves, size);
      }
    }
  }

  // Adds a half-space of any size that is left.
  void append(const Conjunction& halves, int left) {
    const std::shared_ptr<Learner<Real>> where = learner(halves);
    consider(where, where->up_to(std::min(left, problem_.d)), halves.size());
    consider_sets(where, halves, left);
  }

  void consider(const std::shared_ptr<Learner<Real>>& where,
                const std::vector<Separator>& separators, std::size_t place) {
    for (const Separator& separator : separators)
      take(where, place, problem_.meaning.scale ? whole(*where, separator) : cut(*where, separator));
  }

  // Adds a set of up to `most` categories of a column that has none yet.
  void consider_sets(const std::shared_ptr<Learner<Real>>& where, const Conjunction& halves,
                     int most) {
    for (std::size_t c = 0; c < problem_.meaning.categories.size(); ++c)
      if (!has_set(halves, int(c))) consider_set(where, halves.size(), int(c), 1, most);
  }

  void consider_set(const std::shared_ptr<Learner<Real>>& where, std::size_t place, int column,
                    int least, int most) {
    const SetSearch search(problem_.meaning, problem_.objective, sign_);
    take(where, place, search.best(column, where->rows(), least, most));
  }

  void take(const std::shared_ptr<Learner<Real>>& where, std::size_t place, Step step) {
    if (!(step.value > best_ * (1 + rounding))) return;
    best_ = step.value;
    place_ = place;
    half_ = std::move(step.half);
    winner_ = where->small() ? where : nullptr;
  }

  const Objective* cutter() const {
    // The separator's own threshold belongs to its own weights.
    return problem_.cutter || !problem_.meaning.scale ? problem_.cutter : &problem_.objective;
  }

  // The separator with its threshold, seen from the side of the sign.
  Step cut(const Learner<Real>& where, const Separator& separator) const {
    std::vector<double> projection = where.projection(separator);
    if (problem_.meaning.scale && separator.w.size() > 1) merge_equal(projection);
    HalfSpace half{separator.support, separator.w, -sign_ * separator.b};
    if (sign_ < 0) {
      for (double& x : projection) x = -x;
      for (double& x : half.w) x = -x;
    }
    const Mask missing = gone(problem_.meaning, half.support, where.rows());
    Step best;
    for (bool inside : {false, true}) {
      if (inside && missing.empty()) break;
      half.missing = inside;
      if (const Objective* objective = cutter()) {
        const Cut cut = missing.empty() ? objective->cut(where.rows(), projection, sign_)
                                        : cut_with_missing(*objective, where.rows(), projection,
                                                           missing, inside, sign_);
        if (!(cut.value > 0)) continue;
        half.threshold = cut.threshold;
      }
      const std::vector<std::int64_t> kept = rows_where(where.rows(), [&](std::size_t i) {
        return missing.empty() || !missing[i] ? projection[i] >= half.threshold : inside;
      });
      if (kept.empty() || kept.size() == where.rows().size()) continue;
      const double value = problem_.objective.score(kept, sign_);
      if (value > best.value) best = {value, half};
    }
    return best;
  }

  // The best whole weights, up to `largest_weight`, that are met on a climb from the separator's own.
  Step whole(const Learner<Real>& where, const Separator& separator) const {
    WholeWeights climb(separator, problem_.meaning.scale);
    Step best;
    while (const std::vector<int>* weights = climb.next()) {
      Separator rounded = separator;
      for (std::size_t a = 0; a < weights->size(); ++a)
        rounded.w[a] = (*weights)[a] * problem_.meaning.scale[separator.support[a]];
      Step step = cut(where, rounded);
      climb.reached(step.value);
      if (step.value > best.value * (1 + rounding)) best = std::move(step);
    }
    return best;
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
    for (int left = max_weights; left > 0;) {
      const std::vector<std::int64_t> rows = intersection(halves, *problem.bag);
      Step next{best, {}};
      for (int j = 0; j < problem.d; ++j) {
        const Mask missing = gone(problem.meaning, {j}, rows);
        for (double direction : {1.0, -1.0}) {
          std::vector<double> projection(rows.size());
          for (std::size_t i = 0; i < rows.size(); ++i)
            projection[i] = direction * problem.Z[std::size_t(j) * problem.n + rows[i]];
          for (bool inside : {false, true}) {
            if (inside && missing.empty()) break;
            const Cut cut = missing.empty() ? problem.objective.cut(rows, projection, sign)
                                            : cut_with_missing(problem.objective, rows, projection,
                                                               missing, inside, sign);
            if (cut.value > next.value * (1 + rounding))
              next = {cut.value, {{j}, {direction}, cut.threshold, inside}};
          }
        }
      }
      const SetSearch sets(problem.meaning, problem.objective, sign);
      for (std::size_t c = 0; c < problem.meaning.categories.size(); ++c) {
        if (has_set(halves, int(c))) continue;
        Step set = sets.best(int(c), rows, 1, left);
        if (set.value > next.value * (1 + rounding)) next = std::move(set);
      }
      if (next.half.support.empty()) break;
      best = next.value;
      left -= next.half.size();
      halves = with(halves, halves.size(), completed(problem, std::move(next.half)));
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
