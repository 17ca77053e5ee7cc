// The outputs that a refit sees: all classes that no rule votes for are one.
//
// The scores of such classes differ from one another by the same amounts in all rows, and offsets
// are not penalised. Whatever the votes are, the best of these amounts are known: the classes share
// the probability of all of them in proportion to their weights. So a refit has as many outputs as
// its rules vote for, and one more, however many classes there are.
#pragma once
#include <cstdint>
#include <vector>

namespace sorb {

class MergedOutputs {
 public:
  // Rule m votes for output rule_outputs[m] < n_outputs. A single class is not merged.
  MergedOutputs(int n_outputs, const std::vector<std::int32_t>& rule_outputs);

  // How many there are after merging, and which of them an output, or the one that a rule votes
  // for, has become.
  int size() const { return size_; }
  int of_output(std::size_t output) const { return becomes_[output]; }
  int of_rule(std::size_t rule) const { return rule_outputs_[rule]; }
  std::size_t n_rules() const { return rule_outputs_.size(); }

  // Numbers for each output (by row of n_outputs, any number of rows), added up.
  std::vector<double> sums(const std::vector<double>& numbers) const;

  // The logarithm of the share of each output in what it has become: the weight of a class in that
  // of all that were merged with it. No share is less than 1e-12, so that scores stay finite.
  std::vector<double> log_shares(const std::vector<double>& weight) const;

  // Theta (offsets, then votes) after merging, and back. The offsets of several outputs then add
  // up to zero, since a shift of all of them together changes no probability.
  std::vector<double> merge(const std::vector<double>& theta) const;
  std::vector<double> separate(const std::vector<double>& theta,
                               const std::vector<double>& log_shares) const;

 private:
  int size_;
  std::vector<std::int32_t> becomes_, rule_outputs_;
};

}  // namespace sorb
