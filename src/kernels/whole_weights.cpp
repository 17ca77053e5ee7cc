// Rounds the direction of a separator to small whole numbers, and tries their neighbours.
#include "whole_weights.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "proposition.hpp"
#include "scaling.hpp"

namespace sorb {
namespace {

constexpr int largest_weight = 5;
constexpr double smallest_scale = std::numeric_limits<double>::denorm_min();

// The weights of a separator in the user's units, but for a common factor. The quotients are finite
// even if the scale of a column is subnormal or was rounded to zero.
std::vector<double> direction_in_units(const Separator& separator, const Buffer<double>& scale) {
  std::vector<double> scales;
  double largest = 0;
  for (std::size_t a = 0; a < separator.weights.size(); ++a) {
    scales.push_back(std::max(scale[separator.support[a]], smallest_scale));
    largest = std::max(largest, std::fabs(separator.weights[a]));
  }
  const double of_weights = power_of_two(largest);
  const double of_scales = power_of_two(*std::min_element(scales.begin(), scales.end()));
  std::vector<double> direction;
  for (std::size_t a = 0; a < scales.size(); ++a)
    direction.push_back(separator.weights[a] * of_weights / (scales[a] * of_scales));
  return direction;
}

// The whole numbers nearest to a direction, if its largest weight becomes `largest`; none is zero.
std::vector<int> nearest_weights(const std::vector<double>& direction, int largest) {
  double top = 0;
  for (double x : direction) top = std::max(top, std::fabs(x));
  std::vector<int> weights;
  for (double x : direction) {
    const double size = largest * std::fabs(x) / top;
    const double nearest = size >= 1 ? std::round(size) : 1;  // 1 also if the size is NaN
    weights.push_back(int(std::copysign(nearest, x)));
  }
  return weights;
}

}  // namespace

WholeWeightClimb::WholeWeightClimb(const Separator& separator, const Buffer<double>& scale) {
  const std::vector<double> direction = direction_in_units(separator, scale);
  for (int largest = largest_weight; largest > 0; --largest)  // the smallest are tried first
    propose(nearest_weights(direction, largest));
}

std::optional<std::vector<int>> WholeWeightClimb::next() {
  if (waiting_.empty() && best_value_ > climbed_from_) propose_neighbours();
  if (waiting_.empty()) return std::nullopt;
  std::vector<int> weights = std::move(waiting_.back());
  waiting_.pop_back();
  return weights;
}

void WholeWeightClimb::report(const std::vector<int>& weights, double value) {
  if (value > best_value_ * (1 + rounding)) best_value_ = value, best_ = weights;
}

void WholeWeightClimb::propose(std::vector<int> weights) {
  int divisor = 0;
  for (int w : weights) divisor = std::gcd(divisor, w);
  for (int& w : weights) w /= divisor;
  if (proposed_.insert(weights).second) waiting_.push_back(std::move(weights));
}

void WholeWeightClimb::propose_neighbours() {
  climbed_from_ = best_value_;
  for (std::size_t a = 0; a < best_.size(); ++a)
    for (int step : {1, -1}) {
      std::vector<int> weights = best_;
      weights[a] += weights[a] + step == 0 ? 2 * step : step;
      if (std::abs(weights[a]) <= largest_weight) propose(std::move(weights));
    }
}

void merge_equal(RowValues& sums) {
  if (sums.empty()) return;
  const auto [low, high] = std::minmax_element(sums.begin(), sums.end());
  const double start = *low, grain = (*high - start) * 0x1p-40;
  if (!(grain > 0)) return;
  // Shifted by an irrational part of a grain, since sums tend to lie on simple fractions.
  constexpr double shift = 0.3819660112501051;
  for (double& x : sums) x = start + std::floor((x - start) / grain + shift) * grain;
}

}  // namespace sorb
