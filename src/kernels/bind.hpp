// What the files that bind the kernels share: kinds of arrays, and how they cross the boundary.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "buffer.hpp"
#include "patience.hpp"
#include "sparse_columns.hpp"

namespace sorb {

namespace nb = nanobind;

template <typename T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Columns = nb::ndarray<const T, nb::ndim<2>, nb::f_contig, nb::device::cpu>;
template <typename T>
using Strided = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;
template <typename T>
using NewVector = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <typename T>
using NewMatrix = nb::ndarray<nb::numpy, T, nb::ndim<2>>;
template <typename T>
using View = nb::ndarray<nb::numpy, const T, nb::ndim<1>>;
template <typename T>
using MatrixView = nb::ndarray<nb::numpy, const T, nb::ndim<2>>;

// A table of which only some values are stored, as Python sees it.
struct SparseTable {
  std::variant<SparseColumns<double>, SparseColumns<float>> columns;

  std::int64_t n() const {
    return std::visit([](const auto& table) { return table.n; }, columns);
  }
  int d() const {
    return std::visit([](const auto& table) { return table.d; }, columns);
  }
};

// ---- from Python ----

// The values of a Python array, which the buffer keeps alive.
template <typename T, typename... Options>
Buffer<T> share(const nb::ndarray<const T, Options...>& array) {
  using Kept = nb::ndarray<const T, Options...>;
  return {array.data(), array.size(), std::make_shared<const Kept>(array)};
}

template <typename Vector>
Vector copy_of(const Array<typename Vector::value_type>& values) {
  return {values.data(), values.data() + values.size()};
}

// A copy, for values that were checked and that Python must not change any more.
template <typename T>
Buffer<T> keep(const Array<T>& values) {
  std::unique_ptr<T[]> copy(new T[values.size()]);
  std::copy_n(values.data(), values.size(), copy.get());
  return {std::move(copy), values.size()};
}

// ---- to Python ----

// A NumPy array that owns the values.
template <typename T>
NewVector<T> give(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return NewVector<T>(kept->data(), {kept->size()}, owner);
}

// The same for an array, which unlike a vector need not be set to zero first.
template <typename T>
NewVector<T> give(std::unique_ptr<T[]> values, std::size_t size) {
  T* kept = values.release();
  nb::capsule owner(kept, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return NewVector<T>(kept, {size}, owner);
}

// A row-major matrix that owns the values.
template <typename T>
NewMatrix<T> give(std::vector<T>&& values, std::size_t rows, std::size_t columns) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return NewMatrix<T>(kept->data(), {rows, columns}, owner);
}

// Python's share in the owner of a buffer.
template <typename T>
nb::capsule share_of_owner(const Buffer<T>& buffer) {
  using Owner = std::shared_ptr<const void>;
  return nb::capsule(new Owner(buffer.owner()),
                     [](void* p) noexcept { delete static_cast<Owner*>(p); });
}

// A read-only NumPy array that shares the values.
template <typename T>
View<T> view(const Buffer<T>& buffer) {
  return View<T>(buffer.data(), {buffer.size()}, share_of_owner(buffer));
}

template <typename T>
MatrixView<T> view(const Matrix<T>& matrix) {
  return MatrixView<T>(matrix.values.data(),
                       {std::size_t(matrix.rows), std::size_t(matrix.columns)},
                       share_of_owner(matrix.values));
}

// ---- time ----

// The seconds of a call that may take as long as it needs.
constexpr double no_limit = std::numeric_limits<double>::infinity();

// While it exists, kernels end when the time is over, or when Python's handler of a signal throws,
// such as that of Ctrl-C.
class PatientCall {
 public:
  explicit PatientCall(double seconds)
      : patience_(seconds, obey_signals), scope_(&patience_, true) {}

 private:
  static void obey_signals() {
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }

  Patience patience_;
  PatienceOfThread scope_;
};

// ---- definitions ----

// For properties that are views: these have an owner of their own.
constexpr auto shared = nb::rv_policy::automatic;

// Binds a function for tables of doubles and for tables of floats. `instance` gives the function
// for the type of its argument.
template <typename Instance, typename... Extra>
void define_for_reals(nb::module_& m, const char* name, Instance instance, const Extra&... extra) {
  m.def(name, instance(double()), extra...);
  m.def(name, instance(float()), extra...);
}

void bind_sparse_table(nb::module_& m);
void bind_table(nb::module_& m);
void bind_separators(nb::module_& m);
void bind_objective(nb::module_& m);
void bind_search(nb::module_& m);
void bind_refit(nb::module_& m);
void bind_rules(nb::module_& m);

}  // namespace sorb
