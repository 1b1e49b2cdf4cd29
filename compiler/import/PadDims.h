// SPDX-License-Identifier: Apache-2.0
//
// PadDims: dimensions of which runs may have sizes between the listed ones.

#ifndef MINIC_COMPILER_IMPORT_PADDIMS_H
#define MINIC_COMPILER_IMPORT_PADDIMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace minic {

/// A padded dimension of an entry whose rows are not proved independent: what
/// fills its inputs has to be checked.
struct UnprovedPad {
  std::string entry, dim;
};

/// Marks functions of buckets (`pads` of graph.bucket) for runs that are padded
/// along a dimension to the next larger size, and their arguments with what is
/// behind the run's rows (graph.fill). `words` are dimensions, NAME, and fills,
/// INPUT=VALUE.
///
/// Without a fill a diagnostic where rows are not proved independent
/// (dialects/graph/IndependentRows.h); with one such a dimension is added to
/// `unproved` and not marked. A diagnostic where a name varies in no function,
/// for two unproved dimensions of one entry, and for a fill of no input, of one
/// without a padded dimension, or that its dtype cannot hold.
mlir::LogicalResult padDims(mlir::ModuleOp module,
                            const std::vector<std::string> &words,
                            std::vector<UnprovedPad> &unproved);

/// Marks the buckets of an entry for runs that are padded along `dim`; `axes`
/// says which axis of each result has its rows, -1 for none. `check` says for
/// people what was checked, empty where it is proved. A diagnostic where such a
/// result updates an input in place.
mlir::LogicalResult setPads(mlir::ModuleOp module, llvm::StringRef entry,
                            llvm::StringRef dim, llvm::ArrayRef<int64_t> axes,
                            llvm::StringRef check = "");

/// The buckets of an entry, in the order of the module.
llvm::SmallVector<mlir::func::FuncOp> bucketsOf(mlir::ModuleOp module,
                                                llvm::StringRef entry);

/// The size of `dim` in the bucket that `function` is; 0 where it has none.
int64_t bucketSize(mlir::func::FuncOp function, llvm::StringRef dim);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_PADDIMS_H
