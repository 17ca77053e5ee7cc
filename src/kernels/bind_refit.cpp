// Binds the losses, the patterns of rules, and the refit of the votes.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cmath>
#include <tuple>

#include "bind.hpp"
#include "checks.hpp"
#include "refit.hpp"
#include "scores.hpp"

namespace sorb {
namespace {

void check_outputs(const Loss& loss, int n_outputs) {
  require_at_least(n_outputs, 1, "n_outputs");
  const bool several = std::visit([](const auto& l) { return l.score_per_class; }, loss.family);
  require(several || n_outputs == 1, "this loss has one output only");
}

// What a refit is given: outcomes and start for the rows and rules of the patterns.
void check_refit(const Loss& loss, const Patterns& patterns, const Array<double>& y,
                 double reg_lambda, const Array<double>& theta) {
  check_outputs(loss, patterns.n_outputs);
  require_size(y.size(), patterns.index.size(), "y");
  require_classes(y.data(), y.size(), patterns.n_outputs);
  require_size(theta.size(), patterns.n_coordinates(), "theta");
  require(reg_lambda >= 0, "reg_lambda must not be negative");
}

// The rows that a rule covers, and the output that it votes for.
void check_rule(const Patterns& patterns, const Array<bool>& covered, int output) {
  require_size(covered.size(), patterns.index.size(), "covered");
  require_flags(covered.data(), covered.size(), "covered");
  require_range(&output, 1, patterns.n_outputs, "output");
}

Patterns patterns_without_rules(std::size_t n_rows, int n_outputs) {
  require_at_least(n_outputs, 1, "n_outputs");
  return Patterns::without_rules(n_rows, n_outputs);
}

// What a vote may be, from the least to the largest.
using RangeOfVote = std::pair<double, double>;

VoteRange range_of(const RangeOfVote& range) {
  require(range.first <= range.second, "the least vote must not exceed the largest");
  return {range.first, range.second};
}

Patterns bound_split(const Patterns& patterns, Array<bool> covered, int output,
                     const RangeOfVote& range) {
  check_rule(patterns, covered, output);
  const VoteRange of_vote = range_of(range);
  nb::gil_scoped_release release;
  return patterns.split(covered.data(), output, of_vote);
}

Patterns bound_without(const Patterns& patterns, std::int64_t rule) {
  require_range(&rule, 1, patterns.table.columns, "rule");
  nb::gil_scoped_release release;
  return patterns.without(rule);
}

std::vector<double> bound_disagreements(const Patterns& patterns, Array<bool> covered,
                                        Array<double> weight) {
  check_rule(patterns, covered, 0);
  require_size(weight.size(), covered.size(), "weight");
  nb::gil_scoped_release release;
  return patterns.disagreements(covered.data(), weight.data());
}

NewMatrix<double> bound_scores(const Patterns& patterns, Array<double> theta) {
  require_size(theta.size(), patterns.n_coordinates(), "theta");
  return give(patterns.scores(theta.data()), std::size_t(patterns.table.rows),
              std::size_t(patterns.n_outputs));
}

auto bound_refit_votes(const Loss& loss, const Patterns& patterns, Array<double> y,
                       Array<double> weight, double reg_lambda, Array<double> theta) {
  check_refit(loss, patterns, y, reg_lambda, theta);
  require_size(weight.size(), y.size(), "weight");
  Fit fit;
  {
    nb::gil_scoped_release release;
    fit = refit_votes(loss, patterns, y.data(), weight.data(), reg_lambda,
                      copy_of<std::vector<double>>(theta));
  }
  return std::make_tuple(give(std::move(fit.theta)), fit.losses);
}

std::vector<double> bound_removal_costs(const Loss& loss, const Patterns& patterns, Array<double> y,
                                        Array<double> weight, double reg_lambda,
                                        Array<double> theta) {
  check_refit(loss, patterns, y, reg_lambda, theta);
  require_size(weight.size(), y.size(), "weight");
  nb::gil_scoped_release release;
  return removal_costs(loss, patterns, y.data(), weight.data(), reg_lambda,
                       copy_of<std::vector<double>>(theta));
}

auto bound_validation_losses(const Loss& loss, const Patterns& patterns, Array<double> y,
                             Array<double> training_weight, Array<double> validation_weight,
                             double reg_lambda, Array<double> theta,
                             const std::vector<std::tuple<Array<bool>, int, RangeOfVote>>& rules,
                             int threads) {
  check_refit(loss, patterns, y, reg_lambda, theta);
  require_size(training_weight.size(), y.size(), "training_weight");
  require_size(validation_weight.size(), y.size(), "validation_weight");
  std::vector<CandidateRule> candidates;
  for (const auto& [covered, output, range] : rules) {
    check_rule(patterns, covered, output);
    candidates.push_back({covered.data(), output, range_of(range)});
  }
  nb::gil_scoped_release release;
  RefittedLosses found = validation_losses(
      loss, patterns, candidates, {training_weight.data(), validation_weight.data()}, y.data(),
      reg_lambda, copy_of<std::vector<double>>(theta), threads);
  return std::make_pair(std::move(found.losses), std::move(found.squared_votes));
}

NewMatrix<double> bound_expected_outcome(const Loss& loss, Table<double> scores) {
  const std::size_t n = scores.shape(0), K = scores.shape(1);
  check_outputs(loss, int_of(K, "outputs"));
  std::vector<double> mean(n * K);
  std::visit(
      [&](const auto& family) {
        nb::gil_scoped_release release;
        expected_outcomes(family, scores.data(), n, int(K), mean.data());
      },
      loss.family);
  return give(std::move(mean), n, K);
}

NewMatrix<double> bound_two_probabilities(const Loss& loss, Array<double> scores) {
  check_outputs(loss, 1);
  using Pair = std::array<double, 2>;
  const std::size_t n = scores.size();
  auto* pairs = new Pair[n];
  nb::capsule owner(pairs, [](void* p) noexcept { delete[] static_cast<Pair*>(p); });
  std::visit(
      [&](const auto& family) {
        nb::gil_scoped_release release;
        two_probabilities(family, scores.data(), n, pairs);
      },
      loss.family);
  return NewMatrix<double>(pairs->data(), {n, 2}, owner);
}

auto bound_loss_derivatives(const Loss& loss, Table<double> scores, int order) {
  require_range(&order, 1, 3, "order");
  const std::size_t n = scores.shape(0), K = scores.shape(1), width = order == 0 ? 1 : K;
  check_outputs(loss, int_of(K, "outputs"));
  std::vector<double> a(n * width), b(n * K), room;
  std::visit(
      [&](const auto& family) {
        nb::gil_scoped_release release;
        for (std::size_t i = 0; i < n; ++i)
          derivatives(family, order, scores.data() + i * K, int(K), &a[i * width], &b[i * K], room);
      },
      loss.family);
  return std::make_tuple(give(std::move(a), n, width), give(std::move(b), n, K));
}

}  // namespace

void bind_refit(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<Loss>(m, "Loss").def(nb::init<const std::string&, std::optional<double>>(), "name"_a,
                                  "power"_a = nb::none());
  nb::class_<Patterns>(m, "Patterns")
      .def_static("without_rules", &patterns_without_rules, "n_rows"_a, "n_outputs"_a)
      .def("split", &bound_split, "covered"_a, "output"_a,
           "votes"_a = RangeOfVote(-INFINITY, INFINITY))
      .def("without", &bound_without, "rule"_a)
      .def("disagreements", &bound_disagreements, "covered"_a, "weight"_a)
      .def("scores", &bound_scores, "theta"_a)
      .def_prop_ro(
          "index", [](const Patterns& patterns) { return view(patterns.index); }, shared)
      .def_prop_ro(
          "table", [](const Patterns& patterns) { return view(patterns.table); }, shared)
      .def_ro("n_outputs", &Patterns::n_outputs);
  m.def("refit_votes", &bound_refit_votes, "loss"_a, "patterns"_a, "y"_a, "weight"_a,
        "reg_lambda"_a, "theta"_a);
  m.def("removal_costs", &bound_removal_costs, "loss"_a, "patterns"_a, "y"_a, "weight"_a,
        "reg_lambda"_a, "theta"_a);
  m.def("validation_losses", &bound_validation_losses, "loss"_a, "patterns"_a, "y"_a,
        "training_weight"_a, "validation_weight"_a, "reg_lambda"_a, "theta"_a, "rules"_a,
        "threads"_a = 1);
  m.def("expected_outcome", &bound_expected_outcome, "loss"_a, "scores"_a);
  m.def("two_probabilities", &bound_two_probabilities, "loss"_a, "scores"_a);
  m.def("loss_derivatives", &bound_loss_derivatives, "loss"_a, "scores"_a, "order"_a);
}

}  // namespace sorb
