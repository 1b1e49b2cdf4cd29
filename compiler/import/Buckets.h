// SPDX-License-Identifier: Apache-2.0
//
// Buckets: the sets of sizes that a model is compiled for, one function each.

#ifndef MINIC_COMPILER_IMPORT_BUCKETS_H
#define MINIC_COMPILER_IMPORT_BUCKETS_H

#include "dialects/graph/Dims.h"

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace minic {

/// Which sizes the dimensions of a model may have.
struct DimOptions {
  /// Sizes of each dimension, ascending.
  std::map<std::string, std::vector<int64_t>> sizes = {};
  /// Which sizes go together; empty for each with each.
  std::vector<graph::DimSizes> buckets = {};
  /// How many buckets there may be.
  int64_t maxBuckets = 64;
  /// Dimensions of which runs may have sizes between these, and what fills
  /// inputs then; see PadDims.h.
  std::vector<std::string> padded = {};
};

/// The sets of sizes of `options`, ascending, at least one, which may be empty.
/// Failure has emitted a diagnostic that names the option.
mlir::FailureOr<std::vector<graph::DimSizes>>
expandBuckets(const DimOptions &options, mlir::MLIRContext &context);

/// What `graph.buckets` of the module says, or nothing where it has none.
mlir::LogicalResult readBuckets(mlir::ModuleOp module, DimOptions &options);

/// Moves the functions of `from`, made for `sizes`, to `to`. One whose
/// arguments name dimensions of `varying` is called after the sizes of these
/// (bucketName) and gets a graph.bucket; one that is there already, or varies
/// in none, comes once.
void mergeBucket(mlir::ModuleOp from, const graph::DimSizes &sizes,
                 const std::vector<std::string> &varying, mlir::ModuleOp to);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_BUCKETS_H
