// Separators of growing size on some rows, each learned once.
#pragma once
#include <map>
#include <mutex>
#include <vector>

#include "row_numbers.hpp"
#include "search_problem.hpp"
#include "separator.hpp"

namespace sorb {

// Learns separators on the rows that the rest of a conjunction covers, which uses some columns. All
// sizes come from one path
// for the plain columns and one for the logarithms.
template <typename Real>
class SeparatorLearner {
 public:
  SeparatorLearner(const SearchProblem<Real>& problem, SharedRowNumbers rows, int threads,
                   const std::vector<int>& others_use = {});

  const RowNumbers& rows() const { return *rows_; }
  // Whether it is worth keeping, because it takes little memory.
  bool small() const { return small_; }

  // Both chains call these two on the learner for the whole bag, possibly at the same time.
  const std::vector<Separator>& of_size(int size, bool direction_only);
  const std::vector<Separator>& up_to(int largest);

  // w·z for each of the rows, for a separator that was learned here.
  RowValues projection(Separator separator) const;

 private:
  using BySize = std::map<int, std::vector<Separator>>;

  // Neighbouring columns that one sum may mix.
  struct Group {
    int first, width;
    SeparatorPath<Real> path;
  };

  template <typename Learn>
  const std::vector<Separator>& remembered(BySize& known, int size, Learn learn);

  std::mutex mutex_;
  SharedRowNumbers rows_;
  bool small_, gathered_;
  std::vector<Group> groups_;
  BySize of_size_, up_to_;
};

}  // namespace sorb
