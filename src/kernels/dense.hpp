// Cholesky factorisation and solution of small dense symmetric systems.
#pragma once
#include <cmath>
#include <vector>

namespace sorb {

class Cholesky {
 public:
  // Factorises the lower triangle of the row-major m x m matrix. A pivot that cancels to nothing
  // (a dependent column) is replaced by a huge one, which sets that coordinate's step to zero.
  Cholesky(const std::vector<double>& matrix, std::size_t m) : m_(m), L_(matrix) {
    for (std::size_t j = 0; j < m; ++j) {
      const double diagonal = matrix[j * m + j];
      last_pivot_ = diagonal;
      for (std::size_t k = 0; k < j; ++k) last_pivot_ -= L_[j * m + k] * L_[j * m + k];
      const bool cancelled = !(last_pivot_ > 1e-13 * diagonal) || !(last_pivot_ > 0);
      const double root = cancelled ? 1e150 : std::sqrt(last_pivot_);
      L_[j * m + j] = root;
      for (std::size_t i = j + 1; i < m; ++i) {
        double sum = matrix[i * m + j];
        for (std::size_t k = 0; k < j; ++k) sum -= L_[i * m + k] * L_[j * m + k];
        L_[i * m + j] = sum / root;
      }
    }
  }

  // What the other coordinates leave of the last diagonal entry.
  double last_pivot() const { return last_pivot_; }

  void solve(std::vector<double>& b) const {
    for (std::size_t i = 0; i < m_; ++i) {
      double sum = b[i];
      for (std::size_t k = 0; k < i; ++k) sum -= L_[i * m_ + k] * b[k];
      b[i] = sum / L_[i * m_ + i];
    }
    for (std::size_t i = m_; i-- > 0;) {
      double sum = b[i];
      for (std::size_t k = i + 1; k < m_; ++k) sum -= L_[k * m_ + i] * b[k];
      b[i] = sum / L_[i * m_ + i];
    }
  }

 private:
  std::size_t m_;
  double last_pivot_;
  std::vector<double> L_;
};

}  // namespace sorb
