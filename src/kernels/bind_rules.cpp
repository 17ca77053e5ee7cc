// Binds the evaluation of rules: their propositions, and the sums of their votes.
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>

#include "bind.hpp"
#include "checks.hpp"
#include "infinity.hpp"
#include "scores.hpp"
#include "weighted_sum.hpp"

namespace sorb {
namespace {

using Column = nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>;

// A sum of columns, all of them as long as the first.
struct Sum {
  std::vector<Term> terms;
  std::size_t rows;

  Sum(const std::vector<Column>& columns, const std::vector<double>& weights) {
    require(!columns.empty(), "there are no columns to add up");
    require_size(weights.size(), columns.size(), "weights");
    rows = columns[0].size();
    for (std::size_t j = 0; j < columns.size(); ++j) {
      require_size(columns[j].size(), rows, "each column");
      terms.push_back({weights[j], columns[j].data(), columns[j].stride(0)});
    }
  }
};

NewVector<double> bound_weighted_sum(const std::vector<Column>& columns,
                                     const std::vector<double>& weights) {
  const Sum sum(columns, weights);
  std::unique_ptr<double[]> sums(new double[sum.rows]);
  {
    nb::gil_scoped_release release;
    weighted_sum(sum.terms, std::int64_t(sum.rows), sums.get());
  }
  return give(std::move(sums), sum.rows);
}

NewVector<bool> bound_reaches(const std::vector<Column>& columns,
                              const std::vector<double>& weights, double threshold, bool missing) {
  const Sum sum(columns, weights);
  std::unique_ptr<bool[]> reached(new bool[sum.rows]);
  {
    nb::gil_scoped_release release;
    reaches(sum.terms, std::int64_t(sum.rows), threshold, missing, reached.get());
  }
  return give(std::move(reached), sum.rows);
}

bool bound_holds_infinity(const Column& values) {
  return holds_infinity(values.data(), std::int64_t(values.shape(0)), values.stride(0));
}

NewMatrix<double> bound_sum_votes(const std::vector<double>& offsets,
                                  const std::vector<double>& votes,
                                  const std::vector<std::int64_t>& outputs, Table<bool> covered) {
  const std::size_t rules = covered.shape(0), n = covered.shape(1), K = offsets.size();
  require_size(votes.size(), rules, "votes");
  require_size(outputs.size(), rules, "outputs");
  require_range(outputs.data(), rules, std::int64_t(K), "outputs");
  require_flags(covered.data(), covered.size(), "covered");
  std::vector<double> scores(product_of(n, K));
  {
    nb::gil_scoped_release release;
    sum_votes(offsets.data(), int(K), votes.data(), outputs.data(), rules,
              reinterpret_cast<const std::uint8_t*>(covered.data()), n, scores.data());
  }
  return give(std::move(scores), n, K);
}

}  // namespace

void bind_rules(nb::module_& m) {
  using namespace nb::literals;
  m.def("weighted_sum", &bound_weighted_sum, "columns"_a, "weights"_a);
  m.def("reaches", &bound_reaches, "columns"_a, "weights"_a, "threshold"_a, "missing"_a);
  m.def("holds_infinity", &bound_holds_infinity, "values"_a);
  m.def("sum_votes", &bound_sum_votes, "offsets"_a, "votes"_a, "outputs"_a, "covered"_a);
}

}  // namespace sorb
