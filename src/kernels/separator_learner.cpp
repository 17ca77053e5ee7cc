// One path for the plain columns and one for the logarithms, each followed as far as needed.
#include "separator_learner.hpp"

#include <algorithm>
#include <utility>

namespace sorb {

template <typename Real>
SeparatorLearner<Real>::SeparatorLearner(const SearchProblem<Real>& problem, SharedRowNumbers rows,
                                         int threads, const std::vector<int>& others_use)
    : rows_(std::move(rows)),
      small_(problem.Z.sparse() || is_small(problem, rows_->size())),
      gathered_(worth_copying(problem, rows_->size())) {
  const int border = problem.first_logarithm();
  for (const auto& [first, end] : {std::pair(0, border), std::pair(border, problem.d)}) {
    if (first == end) continue;
    Region<Real> region(problem.Z, first, end - first, rows_, problem.weighted_gradient.data(),
                        gathered_, threads);
    region.limits = {problem.columns.limits, first, others_use};
    groups_.push_back({first, end - first, SeparatorPath<Real>(std::move(region), !small_)});
  }
}

template <typename Real>
const std::vector<Separator>& SeparatorLearner<Real>::of_size(int size, bool direction_only) {
  return remembered(of_size_, size, [&](Group& group) {
    return size <= group.width ? group.path.of_size(size, direction_only)
                               : std::vector<Separator>();
  });
}

template <typename Real>
const std::vector<Separator>& SeparatorLearner<Real>::up_to(int largest) {
  return remembered(up_to_, largest,
                    [&](Group& group) { return group.path.up_to(std::min(largest, group.width)); });
}

template <typename Real>
RowValues SeparatorLearner<Real>::projection(Separator separator) const {
  const bool in_front = separator.support[0] < groups_.back().first;
  const Group& group = in_front ? groups_.front() : groups_.back();
  for (int& j : separator.support) j -= group.first;
  RowValues all = group.path.projection(separator);
  if (gathered_) return all;
  for (std::size_t i = 0; i < rows().size(); ++i) all[i] = all[rows()[i]];  // rows are ascending
  all.resize(rows().size());
  return all;
}

template <typename Real>
template <typename Learn>
const std::vector<Separator>& SeparatorLearner<Real>::remembered(BySize& known, int size,
                                                                 Learn learn) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto [found, is_new] = known.try_emplace(size);
  if (!is_new) return found->second;
  for (Group& group : groups_)
    for (Separator& separator : learn(group)) {
      for (int& j : separator.support) j += group.first;
      found->second.push_back(std::move(separator));
    }
  return found->second;
}

template class SeparatorLearner<float>;
template class SeparatorLearner<double>;

}  // namespace sorb
