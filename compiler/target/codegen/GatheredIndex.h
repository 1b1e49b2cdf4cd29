// SPDX-License-Identifier: Apache-2.0
//
// GatheredIndex: which row of a table data choose, in kernels of every target.

#ifndef MINIC_COMPILER_TARGET_CODEGEN_GATHEREDINDEX_H
#define MINIC_COMPILER_TARGET_CODEGEN_GATHEREDINDEX_H

#include "compiler/target/codegen/KernelBuilder.h"

namespace minic {

/// An index within its extent, and whether it had to be clamped for that.
struct GatheredIndex {
  mlir::Value value;     // i64
  mlir::Value isOutside; // i1

  /// Of the index `loaded`, an integer of its dtype.
  static GatheredIndex get(KernelBuilder &k, mlir::Value loaded,
                           int64_t extent);
};

} // namespace minic

#endif // MINIC_COMPILER_TARGET_CODEGEN_GATHEREDINDEX_H
