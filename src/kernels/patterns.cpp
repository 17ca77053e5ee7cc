// Patterns grow rule by rule: each rule divides those that it covers in part.
#include "patterns.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace sorb {

Patterns Patterns::without_rules(std::size_t rows, int n_outputs) {
  return {Buffer(std::vector<std::int32_t>(rows)), {{}, 1, 0}, {}, {}, n_outputs};
}

Patterns Patterns::split(const bool* covered, int output, VoteRange range) const {
  std::vector<std::int32_t> pattern(index.size());
  std::vector<std::uint8_t> has_rows(2 * std::size_t(table.rows));
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    pattern[i] = 2 * index[i] + covered[i];
    has_rows[pattern[i]] = 1;
  }
  std::vector<std::int32_t> number(has_rows.size());
  std::vector<std::uint8_t> divided;
  std::int32_t count = 0;
  for (std::size_t code = 0; code < number.size(); ++code) {
    if (!has_rows[code]) continue;
    number[code] = count++;
    const std::uint8_t* old = table.row(std::int64_t(code / 2));
    divided.insert(divided.end(), old, old + table.columns);
    divided.push_back(code % 2);
  }
  // Twice as many must still be countable.
  if (count > std::numeric_limits<std::int32_t>::max() / 2)
    throw std::length_error("there are too many patterns");
  for (std::int32_t& code : pattern) code = number[code];
  std::vector<std::int32_t> all_outputs(outputs.begin(), outputs.end());
  all_outputs.push_back(output);
  std::vector<VoteRange> all_ranges(ranges.begin(), ranges.end());
  all_ranges.push_back(range);
  return {Buffer(std::move(pattern)),
          {Buffer(std::move(divided)), count, table.columns + 1},
          Buffer(std::move(all_outputs)),
          Buffer(std::move(all_ranges)),
          n_outputs};
}

Patterns Patterns::without(std::int64_t rule) const {
  const std::size_t others = std::size_t(table.columns) - 1;
  std::unordered_map<std::string_view, std::int32_t> numbers;
  numbers.reserve(std::size_t(table.rows));
  std::vector<std::int32_t> number(std::size_t(table.rows));
  // Never too small, so that the keys of the map, which are its rows, stay where they are.
  std::vector<std::uint8_t> merged(std::size_t(table.rows) * others);
  for (std::int64_t p = 0; p < table.rows; ++p) {
    const std::uint8_t* all = table.row(p);
    std::uint8_t* next = merged.data() + numbers.size() * others;
    std::copy(all + rule + 1, all + table.columns, std::copy(all, all + rule, next));
    const std::string_view rules(reinterpret_cast<const char*>(next), others);
    number[std::size_t(p)] = numbers.try_emplace(rules, std::int32_t(numbers.size())).first->second;
  }
  merged.resize(numbers.size() * others);
  std::vector<std::int32_t> pattern(index.size());
  for (std::size_t i = 0; i < pattern.size(); ++i) pattern[i] = number[std::size_t(index[i])];
  std::vector<std::int32_t> other_outputs(outputs.begin(), outputs.end());
  other_outputs.erase(other_outputs.begin() + rule);
  std::vector<VoteRange> other_ranges(ranges.begin(), ranges.end());
  other_ranges.erase(other_ranges.begin() + rule);
  return {Buffer(std::move(pattern)),
          {Buffer(std::move(merged)), std::int64_t(numbers.size()), table.columns - 1},
          Buffer(std::move(other_outputs)),
          Buffer(std::move(other_ranges)),
          n_outputs};
}

std::vector<double> Patterns::disagreements(const bool* covered, const double* weight) const {
  // By pattern: the weight of the rows that are not covered, and of those that are.
  std::vector<double> weights(2 * std::size_t(table.rows));
  for (std::size_t i = 0; i < index.size(); ++i)
    weights[2 * std::size_t(index[i]) + covered[i]] += weight[i];
  std::vector<double> disagreement(std::size_t(table.columns));
  for (std::int64_t p = 0; p < table.rows; ++p)
    for (std::int64_t m = 0; m < table.columns; ++m)
      disagreement[std::size_t(m)] += weights[2 * std::size_t(p) + !table.row(p)[m]];
  return disagreement;
}

std::vector<double> Patterns::scores(const double* theta) const {
  std::vector<double> scores;
  for (std::int64_t p = 0; p < table.rows; ++p) {
    scores.insert(scores.end(), theta, theta + n_outputs);
    double* f = &scores[scores.size() - std::size_t(n_outputs)];
    for (std::int64_t m = 0; m < table.columns; ++m)
      if (table.row(p)[m]) f[outputs[m]] += theta[n_outputs + m];
  }
  return scores;
}

}  // namespace sorb
