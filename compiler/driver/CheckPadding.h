// SPDX-License-Identifier: Apache-2.0
//
// CheckPadding: whether what fills a model's inputs masks the rows that a
// padded run has too many, by the float64 reference.

#ifndef MINIC_COMPILER_DRIVER_CHECKPADDING_H
#define MINIC_COMPILER_DRIVER_CHECKPADDING_H

#include "compiler/import/ImportModel.h"
#include "compiler/options/Log.h"

namespace minic {

/// Marks the dimensions of ImportedModel::unprovedPads of `model`, which was
/// imported from `path` with `options`, as padded (setPads).
///
/// For each bucket the model is imported for two sizes below: one less, and
/// halfway to the next smaller bucket (half the size of the smallest one). It
/// is evaluated there and, padded, in the bucket, both in float64 and without
/// rounding, on the same random data. Rows that a run returns have to be equal
/// but for the rounding of float64. docs/sizes.md says what the data are.
///
/// A diagnostic names the output, the size and the worst difference, or why
/// the model cannot be checked: also where that would take more than `budget`
/// seconds of a core by estimate (0: no limit).
mlir::LogicalResult checkPadding(llvm::StringRef path,
                                 const ImportOptions &options,
                                 ImportedModel &model, double budget,
                                 const Log &log);

} // namespace minic

#endif // MINIC_COMPILER_DRIVER_CHECKPADDING_H
