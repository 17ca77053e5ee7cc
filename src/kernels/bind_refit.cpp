// Binds the losses, the patterns of rules, and the refit of the votes.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bind.hpp"
#include "checks.hpp"
#include "weights.hpp"

namespace sorb {
namespace {

// The outputs that the rules of a table vote for.
Patterns patterns_of(const Table<std::uint8_t>& table, const Array<std::int32_t>& outputs,
                     int n_outputs) {
  require_at_least(n_outputs, 1, "n_outputs");
  require_size(outputs.size(), table.shape(1), "outputs");
  require_range(outputs.data(), outputs.size(), n_outputs, "outputs");
  return {int(table.shape(0)), int(table.shape(1)), n_outputs, table.data(), outputs.data()};
}

void check_outputs(const Loss& loss, int n_outputs) {
  require_at_least(n_outputs, 1, "n_outputs");
  const bool several = std::visit([](const auto& l) { return l.score_per_class; }, loss.family);
  require(several || n_outputs == 1, "this loss has one output only");
}

auto bound_pattern_sums(Array<std::int32_t> pattern, int n_patterns, int n_outputs,
                        Array<double> weight, Array<double> y) {
  const std::size_t n = pattern.size();
  require_range(pattern.data(), n, n_patterns, "pattern");
  require_at_least(n_outputs, 1, "n_outputs");
  require_size(weight.size(), n, "weight");
  require_size(y.size(), n, "y");
  require_classes(y.data(), n, n_outputs);
  Sums sums;
  {
    nb::gil_scoped_release release;
    sums = sums_over_rows(pattern.data(), std::int64_t(n), n_patterns, n_outputs, weight.data(),
                          y.data());
  }
  return std::make_tuple(
      give(std::move(sums.weight)),
      give(std::move(sums.outcome), std::size_t(n_patterns), std::size_t(n_outputs)));
}

auto bound_refit_votes(const Loss& loss, Table<std::uint8_t> table, Array<std::int32_t> outputs,
                       Array<double> weight, Table<double> outcome, double reg_lambda,
                       Array<double> start) {
  const int n_outputs = int(outcome.shape(1));
  check_outputs(loss, n_outputs);
  const Patterns patterns = patterns_of(table, outputs, n_outputs);
  require_size(weight.size(), table.shape(0), "weight");
  require_size(outcome.shape(0), table.shape(0), "outcome");
  require_size(start.size(), std::size_t(n_outputs) + outputs.size(), "start");
  Fit fit;
  {
    nb::gil_scoped_release release;
    const Sums sums{copy_of(weight), {outcome.data(), outcome.data() + outcome.size()}};
    fit = refit_votes(loss, patterns, sums, reg_lambda, copy_of(start));
  }
  return std::make_tuple(give(std::move(fit.theta)), fit.losses);
}

NewMatrix<double> bound_pattern_scores(Table<std::uint8_t> table, Array<std::int32_t> outputs,
                                       int n_outputs, Array<double> theta) {
  const Patterns patterns = patterns_of(table, outputs, n_outputs);
  require_size(theta.size(), std::size_t(n_outputs) + outputs.size(), "theta");
  return give(scores_of(patterns, theta.data()), table.shape(0), std::size_t(n_outputs));
}

auto bound_divide_patterns(Array<std::int32_t> pattern, Table<std::uint8_t> table,
                           Array<bool> covered) {
  const int P = int(table.shape(0)), r = int(table.shape(1));
  require_range(pattern.data(), pattern.size(), P, "pattern");
  require_size(covered.size(), pattern.size(), "covered");
  Divided divided;
  {
    nb::gil_scoped_release release;
    divided = divide({P, r, 1, table.data(), nullptr}, pattern.data(), std::int64_t(pattern.size()),
                     covered.data());
  }
  const std::size_t columns = std::size_t(r) + 1, rows = divided.table.size() / columns;
  return std::make_tuple(give(std::move(divided.pattern)),
                         give(std::move(divided.table), rows, columns));
}

std::vector<double> bound_validation_losses(const Loss& loss, Table<std::uint8_t> table,
                                            Array<std::int32_t> outputs, int n_outputs,
                                            Array<std::int32_t> pattern,
                                            std::vector<Array<bool>> covered,
                                            std::vector<int> output, Array<double> training_weight,
                                            Array<double> validation_weight, Array<double> y,
                                            double reg_lambda, Array<double> theta) {
  check_outputs(loss, n_outputs);
  const Patterns patterns = patterns_of(table, outputs, n_outputs);
  const std::size_t n = pattern.size();
  require_range(pattern.data(), n, patterns.P, "pattern");
  require_size(training_weight.size(), n, "training_weight");
  require_size(validation_weight.size(), n, "validation_weight");
  require_size(y.size(), n, "y");
  require_classes(y.data(), n, n_outputs);
  require_size(theta.size(), std::size_t(n_outputs) + outputs.size(), "theta");
  require_size(output.size(), covered.size(), "output");
  require_range(output.data(), output.size(), n_outputs, "output");
  std::vector<CandidateRule> candidates;
  for (std::size_t c = 0; c < covered.size(); ++c) {
    require_size(covered[c].size(), n, "covered");
    candidates.push_back({covered[c].data(), output[c]});
  }
  nb::gil_scoped_release release;
  return validation_losses(loss, patterns, pattern.data(), std::int64_t(n), candidates,
                           {training_weight.data(), validation_weight.data()}, y.data(), reg_lambda,
                           copy_of(theta));
}

NewMatrix<double> bound_expected_outcome(const Loss& loss, Table<double> scores) {
  const std::size_t n = scores.shape(0), K = scores.shape(1);
  check_outputs(loss, int(K));
  std::vector<double> mean(n * K);
  std::visit(
      [&](const auto& family) {
        nb::gil_scoped_release release;
        for (std::size_t i = 0; i < n; ++i)
          expected_outcome(family, scores.data() + i * K, int(K), &mean[i * K]);
      },
      loss.family);
  return give(std::move(mean), n, K);
}

auto bound_loss_derivatives(const Loss& loss, Table<double> scores, int order) {
  const std::size_t n = scores.shape(0), K = scores.shape(1), width = order == 0 ? 1 : K;
  check_outputs(loss, int(K));
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
  m.def("pattern_sums", &bound_pattern_sums, "pattern"_a, "n_patterns"_a, "n_outputs"_a, "weight"_a,
        "y"_a);
  m.def("refit_votes", &bound_refit_votes, "loss"_a, "table"_a, "outputs"_a, "weight"_a,
        "outcome"_a, "reg_lambda"_a, "start"_a);
  m.def("pattern_scores", &bound_pattern_scores, "table"_a, "outputs"_a, "n_outputs"_a, "theta"_a);
  m.def("divide_patterns", &bound_divide_patterns, "pattern"_a, "table"_a, "covered"_a);
  m.def("validation_losses", &bound_validation_losses, "loss"_a, "table"_a, "outputs"_a,
        "n_outputs"_a, "pattern"_a, "covered"_a, "output"_a, "training_weight"_a,
        "validation_weight"_a, "y"_a, "reg_lambda"_a, "theta"_a);
  m.def("expected_outcome", &bound_expected_outcome, "loss"_a, "scores"_a);
  m.def("loss_derivatives", &bound_loss_derivatives, "loss"_a, "scores"_a, "order"_a);
}

}  // namespace sorb
