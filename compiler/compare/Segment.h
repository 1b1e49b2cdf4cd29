// SPDX-License-Identifier: Apache-2.0
//
// Segment: the ops between tensors whose values are given and tensors to be
// computed from them, as a function of its own.

#ifndef MINIC_COMPILER_COMPARE_SEGMENT_H
#define MINIC_COMPILER_COMPARE_SEGMENT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/DenseSet.h"

#include <string>
#include <vector>

namespace minic {

struct Segment {
  /// One function, which returns what was asked for.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::Block *body = nullptr;
  /// What each argument of `body` is in the model: arguments of the model and
  /// given values.
  std::vector<mlir::Value> inputs;
  /// Of the ops that compute, in order.
  std::vector<mlir::Location> locations;
};

/// Copies the ops of `body`, a function's block of static shapes, that
/// `results` depend on, back to values of `given`. A result may be in `given`
/// itself; none is an argument.
///
/// With `floatType` every float is of that type: what the model computes is
/// computed and stored in it, constants are rounded to it.
Segment extractSegment(mlir::Block &body, llvm::ArrayRef<mlir::Value> results,
                       const llvm::DenseSet<mlir::Value> &given,
                       mlir::Type floatType = {});

} // namespace minic

#endif // MINIC_COMPILER_COMPARE_SEGMENT_H
