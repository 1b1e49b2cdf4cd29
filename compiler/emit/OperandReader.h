// SPDX-License-Identifier: Apache-2.0
//
// OperandReader: addresses and views of a command as operands of its op.

#ifndef MINIC_COMPILER_EMIT_OPERANDREADER_H
#define MINIC_COMPILER_EMIT_OPERANDREADER_H

#include "dialects/plan/Plan.h"
#include "runtime/format/plan_generated.h"

#include "mlir/IR/Builders.h"

namespace minic {

/// Builds the addresses that commands use and collects those of one command.
class OperandReader {
public:
  OperandReader(const format::Artifact &artifact, uint64_t arenaBytes,
                mlir::OpBuilder &builder)
      : artifact(artifact), arenaBytes(arenaBytes), builder(builder) {}

  mlir::OpBuilder &getBuilder() { return builder; }

  /// Begins another command.
  void clear();
  mlir::ValueRange getOperands() const { return operands; }
  mlir::ArrayAttr getAccess() { return builder.getArrayAttr(access); }

  mlir::Value address(const format::Address &address);
  /// Adds an operand and remembers how it is used.
  int64_t operand(const format::Address &address, bool isWritten);
  /// Adds the operand that `view` is of; null for a null `view`.
  plan::TensorViewAttr view(const format::TensorView *view,
                            bool isWritten = false);
  mlir::DenseI64ArrayAttr extents(const flatbuffers::Vector<int64_t> *values);

private:
  const format::Artifact &artifact;
  uint64_t arenaBytes;
  mlir::OpBuilder &builder;
  mlir::Value arena;
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<mlir::Attribute> access;
};

} // namespace minic

#endif // MINIC_COMPILER_EMIT_OPERANDREADER_H
