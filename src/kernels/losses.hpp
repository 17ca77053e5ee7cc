// The losses, a closed family: loss(y, f) = a(f) - b(f)·y + c(y) for an outcome y and K scores f.
//
// Each is linear in the outcome, so the sum of the losses of rows with the same scores needs only
// their Σw and Σwy, whatever a and b are. A loss is a struct with a name, with a and b and their
// slopes, and with the curvatures that follow from the slopes; c(y) never matters here.
#pragma once
#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace sorb {

// The losses of exponential families in their natural parameter: b(f) = f, and the slope of a is
// the expected outcome.
struct Canonical {
  static constexpr bool canonical = true, score_per_class = false;
  static double b(double f, double& slope) {
    slope = 1;
    return f;
  }
  static double b_curvature(double) { return 0; }
};

struct Squared : Canonical {
  static constexpr const char* name = "squared";
  static double a(const double* f, int, double* slope) {
    slope[0] = f[0];
    return 0.5 * f[0] * f[0];
  }
  static double a_curvature(const double*, int, int) { return 1; }
};

struct Logistic : Canonical {
  static constexpr const char* name = "logistic";
  static double a(const double* f, int, double* slope) {
    const double e = std::exp(-std::fabs(f[0]));
    slope[0] = f[0] >= 0 ? 1 / (1 + e) : e / (1 + e);
    return std::max(f[0], 0.0) + std::log1p(e);
  }
  static double a_curvature(const double* slope, int, int) { return slope[0] * (1 - slope[0]); }
};

struct Poisson : Canonical {
  static constexpr const char* name = "poisson";
  static double a(const double* f, int, double* slope) { return slope[0] = std::exp(f[0]); }
  static double a_curvature(const double* slope, int, int) { return slope[0]; }
};

// The outcome of a row is 1 for its class and 0 for the others.
struct Softmax : Canonical {
  static constexpr const char* name = "softmax";
  static constexpr bool score_per_class = true;
  static double a(const double* f, int K, double* slope) {
    const double top = *std::max_element(f, f + K);
    double total = 0;
    for (int k = 0; k < K; ++k) total += slope[k] = std::exp(f[k] - top);
    for (int k = 0; k < K; ++k) slope[k] /= total;
    return top + std::log(total);
  }
  static double a_curvature(const double* slope, int k, int l) {
    return k == l ? slope[k] * (1 - slope[k]) : -slope[k] * slope[l];
  }
};

// The score is the logarithm of the expected outcome.
struct LogLink {
  static constexpr bool canonical = false, score_per_class = false;
  static void mean(const double* f, double* mean) { mean[0] = std::exp(f[0]); }
};

struct Gamma : LogLink {
  static constexpr const char* name = "gamma";
  static double a(const double* f, int, double* slope) {
    slope[0] = 1;
    return f[0];
  }
  static double a_curvature(const double*, int, int) { return 0; }
  static double b(double f, double& slope) { return -(slope = std::exp(-f)); }
  static double b_curvature(double slope) { return -slope; }
};

// Between the losses of Poisson (power 1) and gamma (power 2), which are its limits.
struct Tweedie : LogLink {
  static constexpr const char* name = "tweedie";
  double power;

  explicit Tweedie(double p) : power(p) {
    if (!(p > 1 && p < 2)) throw std::invalid_argument("power must be between 1 and 2");
  }
  double a(const double* f, int, double* slope) const {
    slope[0] = std::exp((2 - power) * f[0]);
    return slope[0] / (2 - power);
  }
  double a_curvature(const double* slope, int, int) const { return (2 - power) * slope[0]; }
  double b(double f, double& slope) const {
    slope = std::exp((1 - power) * f);
    return slope / (1 - power);
  }
  double b_curvature(double slope) const { return (1 - power) * slope; }
};

using AnyLoss = std::variant<Squared, Logistic, Poisson, Softmax, Gamma, Tweedie>;

// One of the losses, by name; std::visit(…, loss.family) calls a function with its own type.
struct Loss {
  AnyLoss family;

  Loss(const std::string& name, std::optional<double> power)
      : family(named(name, power, AnyLoss())) {}

 private:
  template <class... Family>
  static AnyLoss named(const std::string& name, std::optional<double> power,
                       const std::variant<Family...>&) {
    AnyLoss found;
    const bool known = ((name == Family::name && (found = make<Family>(power), true)) || ...);
    if (!known) throw std::invalid_argument("unknown loss: " + name);
    return found;
  }

  template <class Family>
  static Family make(std::optional<double> power) {
    constexpr bool has_power = std::is_constructible_v<Family, double>;
    if (power.has_value() != has_power)
      throw std::invalid_argument(std::string("the loss ") + Family::name +
                                  (has_power ? " needs a power" : " has no power"));
    if constexpr (has_power)
      return Family(*power);
    else
      return Family();
  }
};

// The expected outcome at K scores, one for each of them.
template <class Family>
void expected_outcome(const Family& loss, const double* f, int K, double* mean) {
  if constexpr (Family::canonical)
    loss.a(f, K, mean);
  else
    loss.mean(f, mean);
}

// The derivatives of a and b of some order at K scores: of order 0, a is one number, else K.
// The last argument is room to work in.
template <class Family>
void derivatives(const Family& loss, int order, const double* f, int K, double* a, double* b,
                 std::vector<double>& a_slope) {
  a_slope.resize(K);
  const double value = loss.a(f, K, a_slope.data());
  if (order == 0) a[0] = value;
  for (int k = 0; k < K; ++k) {
    double b_slope;
    b[k] = loss.b(f[k], b_slope);
    if (order == 1) a[k] = a_slope[k], b[k] = b_slope;
    if (order == 2) a[k] = loss.a_curvature(a_slope.data(), k, k), b[k] = loss.b_curvature(b_slope);
  }
}

}  // namespace sorb
