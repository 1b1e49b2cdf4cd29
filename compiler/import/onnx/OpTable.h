// SPDX-License-Identifier: Apache-2.0
//
// OpTable: which ONNX ops minic imports, and how.

#ifndef MINIC_COMPILER_IMPORT_ONNX_OPTABLE_H
#define MINIC_COMPILER_IMPORT_ONNX_OPTABLE_H

#include "compiler/import/onnx/Node.h"

namespace minic {

/// Sets the results of a node, or fails.
using OpHandler = void (*)(Node &);

struct OpEntry {
  llvm::StringRef name;
  OpHandler handler;
  /// The first opset whose definition of the op it implements.
  int64_t since = 1;
  /// What it does not take, or takes alone, for people; empty for all.
  llvm::StringRef limits = "";
  int64_t until = 28;
  /// "" for ONNX's own.
  llvm::StringRef domain = "";
};

/// An op of ONNX Runtime's, in its own domain.
inline OpEntry microsoftOp(llvm::StringRef name, OpHandler handler,
                           llvm::StringRef limits = "") {
  return {name, handler, 1, limits, 1, "com.microsoft"};
}

/// Ops of one kind, as documents list them.
struct OpKind {
  llvm::StringRef name;
  llvm::ArrayRef<OpEntry> ops;
};

/// The opsets of the default domain that minic reads.
inline constexpr int64_t oldestOpset = 7, newestOpset = 28;
/// The newest version of the file format.
inline constexpr int64_t newestIrVersion = 14;

/// The entry for an op at an opset. Null where there is none, with `isKnown`
/// set to whether the op has an entry for another one.
const OpEntry *findOp(llvm::StringRef domain, llvm::StringRef name,
                      int64_t opset, bool &isKnown);

/// The whole table.
llvm::ArrayRef<OpKind> opKinds();

/// Its parts, one per kind of op.
llvm::ArrayRef<OpEntry> pointwiseOps();
llvm::ArrayRef<OpEntry> activationOps();
llvm::ArrayRef<OpEntry> productOps();
llvm::ArrayRef<OpEntry> reductionOps();
llvm::ArrayRef<OpEntry> orderOps();
llvm::ArrayRef<OpEntry> shapeOps();
llvm::ArrayRef<OpEntry> moveOps();
llvm::ArrayRef<OpEntry> indexOps();
llvm::ArrayRef<OpEntry> normOps();
llvm::ArrayRef<OpEntry> attentionOps();
llvm::ArrayRef<OpEntry> lossOps();
llvm::ArrayRef<OpEntry> einsumOps();
llvm::ArrayRef<OpEntry> quantizeOps();
llvm::ArrayRef<OpEntry> quantizedConvolutionOps();
llvm::ArrayRef<OpEntry> quantizedProductOps();
llvm::ArrayRef<OpEntry> windowOps();
llvm::ArrayRef<OpEntry> recurrentOps();
llvm::ArrayRef<OpEntry> resizeOps();
llvm::ArrayRef<OpEntry> signalOps();
llvm::ArrayRef<OpEntry> contribOps();
llvm::ArrayRef<OpEntry> contribAttentionOps();
llvm::ArrayRef<OpEntry> groupQueryOps();

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_ONNX_OPTABLE_H
