// The rows of a bag, side by side in a copy of their own.
#pragma once
#include <list>
#include <memory>
#include <numeric>
#include <optional>

#include "search.hpp"

namespace sorb {

// Copies of columns are kept only up to this size; beyond it, memory is dearer than time.
constexpr std::size_t largest_copy = std::size_t(4) << 20;

template <typename Real>
bool is_small(const Problem<Real>& problem, std::size_t rows) {
  return rows * problem.d * sizeof(Real) <= largest_copy;
}

// Whether rows are few enough to be copied, so that passes over them meet no others.
template <typename Real>
bool worth_copying(const Problem<Real>& problem, std::size_t rows) {
  return is_small(problem, rows) || 3 * std::int64_t(rows) < problem.n;
}

template <typename T>
std::vector<T> picked(const T* from, const std::vector<std::int64_t>& rows) {
  std::vector<T> out(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) out[i] = from[rows[i]];
  return out;
}

// An objective for some of the rows.
class PackedObjective {
 public:
  PackedObjective(const Objective& from, const std::vector<std::int64_t>& rows)
      : gain_(picked(from.gain, rows)), mass_(picked(from.mass, rows)),
        pattern_(picked(from.pattern, rows)), objective(from) {
    objective.gain = gain_.data();
    objective.mass = mass_.data();
    objective.pattern = pattern_.data();
  }

 private:
  std::vector<double> gain_, mass_;
  std::vector<std::int32_t> pattern_;

 public:
  Objective objective;
};

// The rows of the bag alone, side by side.
template <typename Real>
class PackedProblem {
 public:
  explicit PackedProblem(const Problem<Real>& from)
      : Z_(new Real[from.bag->size() * from.d]), strength_(picked(from.strength, *from.bag)),
        objective_(from.objective, *from.bag) {
    const std::int64_t n = std::int64_t(from.bag->size());
    const std::int64_t* rows = from.bag->data();
    for (int j = 0; j < from.d; ++j)
      for (std::int64_t i = 0; i < n; ++i) Z_[j * n + i] = from.Z[j * from.n + rows[i]];
    if (from.cutter) cutter_.emplace(*from.cutter, *from.bag);
    auto all = std::make_shared<std::vector<std::int64_t>>(n);
    std::iota(all->begin(), all->end(), 0);
    problem.emplace(Problem<Real>{Z_.get(), n, from.d, all, objective_.objective,
                                  cutter_ ? &cutter_->objective : nullptr, strength_.data(),
                                  packed(from.meaning, *from.bag)});
  }

 private:
  Meaning packed(Meaning meaning, const std::vector<std::int64_t>& rows) {
    for (const std::uint8_t*& column : meaning.missing)
      if (column) column = missing_.emplace_back(picked(column, rows)).data();
    for (Categories& categories : meaning.categories)
      categories.code = codes_.emplace_back(picked(categories.code, rows)).data();
    return meaning;
  }

  std::unique_ptr<Real[]> Z_;
  std::list<std::vector<std::uint8_t>> missing_;
  std::list<std::vector<std::int32_t>> codes_;
  std::vector<double> strength_;
  PackedObjective objective_;
  std::optional<PackedObjective> cutter_;

 public:
  std::optional<Problem<Real>> problem;
};

}  // namespace sorb
