// The module sorb._kernels; what it offers is declared in _kernels.pyi.
#include "bind.hpp"

NB_MODULE(_kernels, m) {
  sorb::bind_sparse_table(m);
  sorb::bind_table(m);
  sorb::bind_separators(m);
  sorb::bind_objective(m);
  sorb::bind_search(m);
  sorb::bind_refit(m);
  sorb::bind_rules(m);
}
