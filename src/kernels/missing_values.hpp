// How half-spaces treat the rows in which a value is missing.
#pragma once
#include <optional>
#include <vector>

#include "column_info.hpp"
#include "objective.hpp"
#include "row_numbers.hpp"

namespace sorb {

// For each of some rows, whether a value is missing in one of the columns. None if none is.
std::optional<Mask> missing_in_any(const ColumnInfo& info, const std::vector<int>& columns,
                                   const RowNumbers& rows);

// The best cut of some rows, if those with a missing value are all kept, or all dropped. It divides
// the others; only a set of categories asks whether a value is missing at all. Overwrites the
// projections of the rows with a missing value.
CutsBySign best_cuts_with_missing(const Objective& objective, const RowNumbers& rows,
                                  RowValues& projection, const std::optional<Mask>& missing,
                                  bool keep_missing, const Signs& signs);

}  // namespace sorb
