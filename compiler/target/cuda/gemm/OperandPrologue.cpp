// SPDX-License-Identifier: Apache-2.0
//
// Which inputs of a prologue are staged, and how the others are addressed.

#include "compiler/target/cuda/gemm/OperandPrologue.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace minic::cuda {

bool DirectInput::variesInRows() const {
  return llvm::any_of(rowStrides, [](int64_t stride) { return stride != 0; });
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// What cp.async copies and a kernel computes with.
static bool canBeStaged(Type type) {
  return type.isF32() || type.isBF16() || type.isF16();
}

/// The ops of `shape`'s prologue that `value` needs, in body order.
static SmallVector<Operation *> opsOf(const kernel::FusionShape &shape,
                                      Value value) {
  llvm::SmallPtrSet<Operation *, 8> needed;
  SmallVector<Value> worklist{value};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (op && needed.insert(op).second) {
      llvm::append_range(worklist, op->getOperands());
    }
  }
  return llvm::filter_to_vector(
      shape.prologue, [&](Operation *op) { return needed.contains(op); });
}

static DirectInput describe(const kernel::FusionShape &shape, bool isLhs,
                            Value operand, BlockArgument argument) {
  const kernel::GemmShape &gemm = *shape.gemm;
  ArrayRef<int64_t> space = shapeOf(operand);
  auto strides = kernel::BroadcastMap::get(shapeOf(argument), space).strides;
  // With an extent of 1 in a larger batch there is one matrix for all.
  for (auto [stride, extent] : llvm::zip_equal(strides, space)) {
    stride = extent == 1 ? 0 : stride;
  }
  DirectInput input;
  input.argument = argument;
  size_t rank = space.size();
  auto matmul = dyn_cast<graph::MatmulOp>(shape.anchor);
  bool isTransposed =
      matmul && (isLhs ? matmul.getTransposeLhs() : !matmul.getTransposeRhs());
  input.kStride = strides[isTransposed ? rank - 2 : rank - 1];
  if (matmul && !(isLhs && gemm.batch.empty())) {
    // Rows are one dimension; the batch is aligned at its end.
    size_t rows = isTransposed ? rank - 1 : rank - 2;
    input.rowExtents = {space[rows]};
    input.rowStrides = {strides[rows]};
    input.batchStrides.assign(gemm.batch.size(), 0);
    for (size_t d = 0; d != std::min(rank - 2, gemm.batch.size()); ++d) {
      input.batchStrides[gemm.batch.size() - 1 - d] = strides[rank - 3 - d];
    }
    return input;
  }
  if (isTransposed) {
    input.rowExtents = {space[rank - 1]};
    input.rowStrides = {strides[rank - 1]};
    return input;
  }
  // All leading dimensions are rows.
  input.rowExtents.assign(space.begin(), space.end() - 1);
  input.rowStrides.assign(strides.begin(), strides.end() - 1);
  return input;
}

OperandPrologue OperandPrologue::get(const kernel::FusionShape &shape,
                                     bool isLhs, bool padded, int64_t rows,
                                     int64_t bk, int64_t tile, int64_t extra) {
  OperandPrologue made;
  made.value = isLhs ? shape.gemm->lhs : shape.gemm->rhs;
  made.ops = opsOf(shape, made.value);
  int64_t bytes = kernel::getElementBytes(getElementTypeOrSelf(made.value));
  llvm::SmallSetVector<BlockArgument, 8> arguments;
  for (Operation *op : made.ops) {
    for (Value operand : op->getOperands()) {
      if (auto argument = dyn_cast<BlockArgument>(operand)) {
        arguments.insert(argument);
      }
    }
  }
  // 16 bytes of the operand, if all inputs allow.
  made.lanes = 16 / bytes;
  bool isInPlace = false;
  for (BlockArgument argument : arguments) {
    bool isMatrix = shapeOf(argument) == shapeOf(made.value) &&
                    canBeStaged(getElementTypeOrSelf(argument.getType()));
    if (!isMatrix) {
      made.direct.push_back(describe(shape, isLhs, made.value, argument));
      continue;
    }
    StagedMatrix staged;
    staged.operand = padded ? GemmOperand::padded(shape, isLhs, argument)
                            : GemmOperand::dense(shape, isLhs, argument);
    int64_t elementBytes = staged.operand.elementBytes();
    made.lanes =
        std::min(made.lanes, staged.operand.accessBytes / elementBytes);
    staged.rowBytes = bk * elementBytes;
    if (elementBytes == bytes && !isInPlace) {
      // Becomes the operand where it is.
      staged.offset = tile;
      isInPlace = true;
    } else {
      staged.offset = extra + made.extraBytes;
      made.extraBytes += rows * staged.rowBytes;
    }
    made.staged.push_back(std::move(staged));
  }
  for (StagedMatrix &staged : made.staged) {
    staged.operand.accessBytes = made.lanes * staged.operand.elementBytes();
  }
  return made;
}

bool OperandPrologue::isUsedElsewhere(const kernel::FusionShape &shape,
                                      Value argument) const {
  const kernel::GemmShape &gemm = *shape.gemm;
  auto others = opsOf(shape, value == gemm.lhs ? gemm.rhs : gemm.lhs);
  return llvm::any_of(argument.getUsers(), [&](Operation *user) {
    return !llvm::is_contained(ops, user) ||
           llvm::is_contained(shape.epilogue, user) ||
           llvm::is_contained(others, user);
  });
}

bool areRelaidForOthers(const kernel::FusionShape &shape) {
  for (bool isLhs : {true, false}) {
    if (isa<BlockArgument>(isLhs ? shape.gemm->lhs : shape.gemm->rhs)) {
      if (isRelaidForOthers(shape, isLhs)) {
        return true;
      }
      continue;
    }
    auto prologue = OperandPrologue::get(shape, isLhs, /*padded=*/true, 1, 1,
                                         /*tile=*/0, /*extra=*/0);
    for (const StagedMatrix &staged : prologue.staged) {
      if (!staged.operand.isDense() &&
          prologue.isUsedElsewhere(shape, staged.operand.value)) {
        return true;
      }
    }
  }
  return false;
}

} // namespace minic::cuda
