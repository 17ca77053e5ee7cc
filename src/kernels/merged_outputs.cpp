#include "merged_outputs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sorb {

MergedOutputs::MergedOutputs(int n_outputs, const std::vector<std::int32_t>& rule_outputs)
    : size_(0), becomes_(n_outputs, -1) {
  for (std::int32_t output : rule_outputs) {
    if (becomes_[output] < 0) becomes_[output] = size_++;
    rule_outputs_.push_back(becomes_[output]);
  }
  if (size_ == n_outputs) return;
  std::replace(becomes_.begin(), becomes_.end(), -1, size_);
  ++size_;
}

std::vector<double> MergedOutputs::sums(const std::vector<double>& numbers) const {
  const std::size_t K = becomes_.size(), rows = numbers.size() / K;
  std::vector<double> sums(rows * size_);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < K; ++k) sums[i * size_ + becomes_[k]] += numbers[i * K + k];
  return sums;
}

std::vector<double> MergedOutputs::log_shares(const std::vector<double>& weight) const {
  std::vector<double> shares;
  const std::vector<double> total = sums(weight);
  const std::vector<double> count = sums(std::vector<double>(becomes_.size(), 1));
  for (std::size_t k = 0; k < becomes_.size(); ++k) {
    const double whole = total[becomes_[k]], alike = count[becomes_[k]];
    const double share = whole > 0 ? std::max(weight[k] / whole, 1e-12) : 1 / alike;
    shares.push_back(alike > 1 ? std::log(share) : 0);
  }
  return shares;
}

std::vector<double> MergedOutputs::merge(const std::vector<double>& theta) const {
  const std::size_t K = becomes_.size();
  std::vector<double> top(size_, -std::numeric_limits<double>::infinity()), total(size_);
  for (std::size_t k = 0; k < K; ++k) top[becomes_[k]] = std::max(top[becomes_[k]], theta[k]);
  for (std::size_t k = 0; k < K; ++k) total[becomes_[k]] += std::exp(theta[k] - top[becomes_[k]]);
  std::vector<double> merged;
  for (int k = 0; k < size_; ++k) merged.push_back(top[k] + std::log(total[k]));
  merged.insert(merged.end(), theta.begin() + std::ptrdiff_t(K), theta.end());
  return merged;
}

std::vector<double> MergedOutputs::separate(const std::vector<double>& theta,
                                            const std::vector<double>& log_shares) const {
  const std::size_t K = becomes_.size();
  std::vector<double> separate;
  double sum = 0;
  for (std::size_t k = 0; k < K; ++k) {
    separate.push_back(theta[becomes_[k]] + log_shares[k]);
    sum += separate.back();
  }
  if (K > 1)
    for (double& offset : separate) offset -= sum / double(K);
  separate.insert(separate.end(), theta.begin() + size_, theta.end());
  return separate;
}

}  // namespace sorb
