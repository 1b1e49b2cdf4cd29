// SPDX-License-Identifier: Apache-2.0
//
// Verification of commands: launches, library calls, copies, fills.

#include "dialects/plan/Commands.h"

using namespace mlir;

namespace minic::plan {

/// Verifies the attribute of all commands.
static LogicalResult verifyDepends(Operation *op) {
  auto depends = op->getAttrOfType<DenseI32ArrayAttr>("depends");
  for (int32_t other : depends ? depends.asArrayRef() : ArrayRef<int32_t>()) {
    if (other < 0) {
      return op->emitOpError("expects depends of 0 or more, got ") << other;
    }
  }
  return success();
}

/// Verifies the attributes of launches and calls.
template <typename Op> static LogicalResult verifyAccess(Op op) {
  if (op.getAccess().size() != op.getAddresses().size()) {
    return op.emitOpError("expects an access for each of its ")
           << op.getAddresses().size() << " addresses, got "
           << op.getAccess().size();
  }
  int64_t scratchBytes = op.getScratchBytes();
  if (scratchBytes < 0 || bool(op.getScratch()) != (scratchBytes > 0)) {
    return op.emitOpError("expects scratch_bytes above 0 exactly where it has "
                          "scratch, got ")
           << scratchBytes << (op.getScratch() ? " with" : " without")
           << " scratch";
  }
  return verifyDepends(op);
}

static LogicalResult verifyTensorMap(LaunchOp op, TensorMapAttr map) {
  if (map.getOperand() < 0 ||
      map.getOperand() >= int64_t(op.getAddresses().size())) {
    return op.emitOpError("expects a tensor map of one of its ")
           << op.getAddresses().size() << " addresses, got " << map;
  }
  size_t rank = map.getDims().size();
  if (Im2colAttr im2col = map.getIm2col()) {
    if (rank != 4 || map.getStrides().size() != 3 || map.getBox().size() != 2 ||
        im2col.getLower().size() != 2 || im2col.getUpper().size() != 2 ||
        im2col.getSteps().size() != 2) {
      return op.emitOpError("expects a tensor map of images of 4 dims, 3 "
                            "strides, a box of 2 extents and 2 of what each "
                            "dimension's pixels are, got ")
             << map;
    }
    return success();
  }
  if (rank < 1 || map.getStrides().size() + 1 != rank ||
      map.getBox().size() != rank) {
    return op.emitOpError("expects a tensor map of 1 or more dims, a stride "
                          "fewer and as many extents of its box, got ")
           << map;
  }
  return success();
}

LogicalResult LaunchOp::verify() {
  for (auto map :
       getTensorMapsAttr()
           ? getTensorMapsAttr().getAsRange<TensorMapAttr>()
           : ArrayAttr::get(getContext(), {}).getAsRange<TensorMapAttr>()) {
    if (failed(verifyTensorMap(*this, map))) {
      return failure();
    }
  }
  if (getGrid().empty() || getGrid().size() > 3 ||
      llvm::any_of(getGrid(), [](int64_t extent) { return extent < 1; })) {
    return emitOpError("expects a grid of 1 to 3 extents of 1 or more, got [")
           << getGrid() << ']';
  }
  for (auto [what, extents] :
       {std::pair("block", getBlock()), std::pair("cluster", getCluster())}) {
    if (extents.size() > 3 ||
        llvm::any_of(extents, [](int64_t extent) { return extent < 1; })) {
      return emitOpError("expects a ")
             << what << " of at most 3 extents of 1 or more, got [" << extents
             << ']';
    }
  }
  if (int64_t(getSharedBytes()) < 0) {
    return emitOpError("expects shared_bytes of 0 or more, got ")
           << int64_t(getSharedBytes());
  }
  if (getScratchBytes() % 64 != 0) {
    return emitOpError("expects scratch_bytes that are a multiple of 64, got ")
           << getScratchBytes();
  }
  return verifyAccess(*this);
}

LogicalResult CallOp::verify() {
  return failed(verifyAccess(*this)) ? failure() : verifyCall(*this);
}

LogicalResult CopyOp::verify() {
  if (int64_t(getBytes()) < 0) {
    return emitOpError("expects 0 bytes or more, got ") << int64_t(getBytes());
  }
  return verifyDepends(*this);
}

LogicalResult FillOp::verify() {
  if (int64_t(getBytes()) < 0) {
    return emitOpError("expects 0 bytes or more, got ") << int64_t(getBytes());
  }
  if (getValue() > 255) {
    return emitOpError("expects a value of one byte, got ")
           << int64_t(getValue());
  }
  return verifyDepends(*this);
}

} // namespace minic::plan
