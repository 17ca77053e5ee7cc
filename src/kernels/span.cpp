// Gram-Schmidt on functions that are constant on each pattern.
#include "span.hpp"

#include <algorithm>
#include <cmath>

namespace sorb {
namespace {

constexpr double dependent =
    1e-8;  // share of the largest norm that rounding leaves of a dependent vector

using Vector = std::vector<double>;

double inner(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t p = 0; p < a.size(); ++p) sum += a[p] * b[p];
  return sum;
}

void remove_part(const Vector& direction, Vector& from) {
  const double part = inner(direction, from);
  for (std::size_t p = 0; p < from.size(); ++p) from[p] -= part * direction[p];
}

// Gram-Schmidt, the longest remainder first, since a vector that depends on others may come before
// one that does not.
std::vector<Vector> orthonormal(std::vector<Vector> vectors) {
  std::vector<Vector> basis;
  double longest = 0;
  while (!vectors.empty()) {
    Vector squares;
    for (const Vector& vector : vectors) squares.push_back(inner(vector, vector));
    const auto largest = std::max_element(squares.begin(), squares.end());
    if (basis.empty()) longest = std::sqrt(*largest);
    if (!(std::sqrt(*largest) > dependent * longest)) break;
    const auto next = vectors.begin() + (largest - squares.begin());
    Vector chosen = std::move(*next);
    vectors.erase(next);
    for (const Vector& q : basis) remove_part(q, chosen);  // again, to remove what rounding left
    const double length = std::sqrt(inner(chosen, chosen));
    for (double& x : chosen) x /= length;
    for (Vector& other : vectors) remove_part(chosen, other);
    basis.push_back(std::move(chosen));
  }
  return basis;
}

}  // namespace

OffSpan project_off(int P, int r, const std::uint8_t* table, Buffer<std::int32_t> pattern,
                    const double* weight, const double* weighted_gradient) {
  const std::size_t n = pattern.size();
  Vector mass(P), total(P);
  for (std::size_t i = 0; i < n; ++i) {
    mass[pattern[i]] += weight[i];
    total[pattern[i]] += weighted_gradient[i];
  }
  // Scaled by the roots of the masses, so that plain inner products are weighted ones.
  std::vector<Vector> vectors(r + 1, Vector(P));
  for (int p = 0; p < P; ++p) {
    const double root = std::sqrt(mass[p]);
    vectors[0][p] = root;
    for (int m = 0; m < r; ++m) vectors[m + 1][p] = table[std::size_t(p) * r + m] ? root : 0;
  }
  const std::vector<Vector> scaled = orthonormal(std::move(vectors));
  const int k = int(scaled.size());
  Vector basis(std::size_t(P) * std::size_t(k));
  Vector explained(P);
  for (int c = 0; c < k; ++c) {
    double part = 0;
    for (int p = 0; p < P; ++p) {
      const double value = mass[p] > 0 ? scaled[c][p] / std::sqrt(mass[p]) : 0;
      basis[std::size_t(p) * k + c] = value;
      part += value * total[p];
    }
    for (int p = 0; p < P; ++p) explained[p] += part * basis[std::size_t(p) * k + c];
  }
  Vector gain(n);
  for (std::size_t i = 0; i < n; ++i)
    gain[i] = weighted_gradient[i] - weight[i] * explained[pattern[i]];
  return {std::move(gain), {std::move(pattern), {Buffer(std::move(basis)), P, k}}};
}

}  // namespace sorb
