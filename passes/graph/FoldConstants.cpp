// SPDX-License-Identifier: Apache-2.0
//
// graph-fold-constants: what is known at compile time is computed at compile
// time. It gives up on constants without bytes, on values it has no evaluator
// for, on i1 (which is packed in bits) and on results that grow too large.

#include "passes/graph/Passes.h"

#include "dialects/graph/ConstantBytes.h"
#include "dialects/graph/ConstantEvaluator.h"
#include "dialects/graph/Graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "graph-fold-constants"

namespace minic::graph {
#define GEN_PASS_DEF_FOLDCONSTANTS
#include "passes/graph/Passes.h.inc"
} // namespace minic::graph

using namespace mlir;
using namespace minic;

static int64_t bytesOf(RankedTensorType type) {
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// The elements of `value` in row-major order; empty where it is not made of
/// whole bytes or its resource is not there.
static ArrayRef<char> rawBytes(ElementsAttr value) {
  if (value.getShapedType().getElementTypeBitWidth() < 8) {
    return {};
  }
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    return blob ? blob->getData() : ArrayRef<char>();
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  return dense && !dense.isSplat() ? dense.getRawData() : ArrayRef<char>();
}

//===----------------------------------------------------------------------===//
// Ops that move bytes
//===----------------------------------------------------------------------===//

static ElementsAttr reshape(ElementsAttr value, RankedTensorType type) {
  if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    return dense.reshape(type);
  }
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  }
  return nullptr;
}

/// Copies elements of `Size` bytes to `out`, whose dimensions are read with
/// `strides` (in elements) from `in`.
template <size_t Size>
static void gather(const char *in, ArrayRef<int64_t> shape,
                   ArrayRef<int64_t> strides, char *&out) {
  int64_t stride = strides.front() * int64_t(Size);
  for (int64_t i = 0; i < shape.front(); ++i, in += stride) {
    if (shape.size() == 1) {
      std::memcpy(out, in, Size);
      out += Size;
    } else {
      gather<Size>(in, shape.drop_front(), strides.drop_front(), out);
    }
  }
}

static ElementsAttr transpose(graph::TransposeOp op, ElementsAttr value,
                              StringRef name) {
  auto type = op.getType();
  if (auto dense = dyn_cast<DenseElementsAttr>(value);
      dense && dense.isSplat()) {
    return dense.resizeSplat(type);
  }
  ArrayRef<char> bytes = rawBytes(value);
  auto input = cast<RankedTensorType>(value.getShapedType());
  if (int64_t(bytes.size()) != bytesOf(input)) {
    return nullptr;
  }
  SmallVector<int64_t> inputStrides(input.getRank());
  int64_t stride = 1;
  for (int64_t d = input.getRank() - 1; d >= 0; --d) {
    inputStrides[d] = stride;
    stride *= input.getDimSize(d);
  }
  SmallVector<int64_t> strides;
  for (int64_t dim : op.getPermutation()) {
    strides.push_back(inputStrides[dim]);
  }
  AsmResourceBlob blob =
      HeapAsmResourceBlob::allocate(bytes.size(), /*align=*/64);
  char *out = blob.getMutableData().data();
  switch (type.getElementTypeBitWidth() / 8) {
  case 1:
    gather<1>(bytes.data(), type.getShape(), strides, out);
    break;
  case 2:
    gather<2>(bytes.data(), type.getShape(), strides, out);
    break;
  case 4:
    gather<4>(bytes.data(), type.getShape(), strides, out);
    break;
  default:
    gather<8>(bytes.data(), type.getShape(), strides, out);
    break;
  }
  if (isa<DenseElementsAttr>(value)) {
    return DenseElementsAttr::getFromRawBuffer(type, blob.getData());
  }
  return DenseResourceElementsAttr::get(type, name, std::move(blob));
}

/// Null where the elements of an operand are not whole bytes.
static ElementsAttr concatenate(graph::ConcatOp op,
                                ArrayRef<ElementsAttr> operands,
                                StringRef name) {
  auto type = cast<RankedTensorType>(op.getType());
  int64_t rows = llvm::product_of(type.getShape().take_front(op.getAxis()));
  if (type.getElementTypeBitWidth() < 8 || rows == 0) {
    return nullptr;
  }
  std::vector<graph::ConstantBytes> pieces;
  for (ElementsAttr operand : operands) {
    FailureOr<graph::ConstantBytes> piece = graph::ConstantBytes::get(operand);
    if (failed(piece)) {
      return nullptr;
    }
    pieces.push_back(std::move(*piece));
  }
  AsmResourceBlob blob =
      HeapAsmResourceBlob::allocate(bytesOf(type), /*align=*/64);
  char *out = blob.getMutableData().data();
  for (int64_t row = 0; row < rows; ++row) {
    for (const graph::ConstantBytes &piece : pieces) {
      size_t bytes = piece.bytes().size() / rows;
      if (bytes != 0) {
        std::memcpy(out, piece.bytes().data() + row * bytes, bytes);
      }
      out += bytes;
    }
  }
  if (llvm::all_of(operands, llvm::IsaPred<DenseElementsAttr>)) {
    return DenseElementsAttr::getFromRawBuffer(type, blob.getData());
  }
  return DenseResourceElementsAttr::get(type, name, std::move(blob));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct FoldConstants : graph::impl::FoldConstantsBase<FoldConstants> {
  using FoldConstantsBase::FoldConstantsBase;

  void runOnOperation() override {
    for (Block &block : getOperation().getBody()) {
      for (Operation &op : llvm::make_early_inc_range(block)) {
        fold(&op);
      }
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
        if (isa<graph::ConstantOp>(op) && op.use_empty()) {
          op.erase();
        }
      }
    }
  }

  const graph::ConstantEvaluator *evaluator = nullptr;

private:
  void fold(Operation *op) {
    if (!isa<graph::GraphDialect>(op->getDialect()) ||
        op->getNumOperands() == 0 || op->use_empty()) {
      return;
    }
    SmallVector<ElementsAttr> operands;
    int64_t operandBytes = 0;
    StringRef name = "folded";
    for (Value operand : op->getOperands()) {
      auto constant = operand.getDefiningOp<graph::ConstantOp>();
      if (!constant || !constant.getValueAttr() ||
          constant.getValueAttr().getType() != constant.getType()) {
        return;
      }
      operands.push_back(constant.getValueAttr());
      operandBytes += bytesOf(cast<RankedTensorType>(constant.getType()));
      name = constant.getSource().value_or(name);
    }
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (!type.hasStaticShape()) {
      return;
    }
    if (bytesOf(type) > std::max<int64_t>(operandBytes, maxGrowthBytes)) {
      LDBG() << "left, grows to " << bytesOf(type) << " bytes: " << *op;
      return;
    }
    std::string folded = (name + "." + op->getName().stripDialect()).str();
    ElementsAttr value = evaluate(op, operands, folded);
    if (!value) {
      LDBG() << "left, cannot be evaluated: " << *op;
      return;
    }
    OpBuilder builder(op);
    auto constant = graph::ConstantOp::create(builder, op->getLoc(), value);
    // A resource keeps a name for people; its bytes are no entry of the
    // weights file any more.
    if (isa<DenseResourceElementsAttr>(value)) {
      constant.setSource(folded);
    }
    op->replaceAllUsesWith(constant);
    op->erase();
    ++this->folded;
  }

  ElementsAttr evaluate(Operation *op, ArrayRef<ElementsAttr> operands,
                        StringRef name) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (isa<graph::ReshapeOp>(op)) {
      return reshape(operands.front(), type);
    }
    if (auto transposed = dyn_cast<graph::TransposeOp>(op)) {
      if (auto value = transpose(transposed, operands.front(), name)) {
        return value;
      }
    }
    if (auto concat = dyn_cast<graph::ConcatOp>(op)) {
      if (auto value = concatenate(concat, operands, name)) {
        return value;
      }
    }
    auto value = evaluator ? evaluator->evaluate(op, operands) : nullptr;
    return value && value.getType() == type ? value : nullptr;
  }
};

} // namespace

std::unique_ptr<Pass>
minic::graph::createFoldConstants(const ConstantEvaluator &evaluator,
                                  FoldConstantsOptions options) {
  auto pass = std::make_unique<FoldConstants>(std::move(options));
  pass->evaluator = &evaluator;
  return pass;
}
