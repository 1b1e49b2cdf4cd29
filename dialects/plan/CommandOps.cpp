// SPDX-License-Identifier: Apache-2.0
//
// Verification of commands: launches, library calls, copies, fills.

#include "dialects/plan/Plan.h"

#include "llvm/ADT/TypeSwitch.h"

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

LogicalResult LaunchOp::verify() {
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

/// `view` names one of `addresses` operands and has a stride per dimension.
static LogicalResult verifyView(Operation *op, StringRef role,
                                TensorViewAttr view, int64_t addresses) {
  if (view.getOperand() < 0 || view.getOperand() >= addresses) {
    return op->emitOpError("expects the view of ")
           << role << " to be of one of " << addresses << " addresses, got "
           << view.getOperand();
  }
  if (view.getDims().size() != view.getStrides().size()) {
    return op->emitOpError("expects a stride for each of the ")
           << view.getDims().size() << " dimensions of " << role << ", got "
           << view.getStrides().size();
  }
  if (llvm::any_of(view.getDims().asArrayRef(),
                   [](int64_t dim) { return dim < 1; })) {
    return op->emitOpError("expects dimensions of 1 or more for ")
           << role << ", got [" << view.getDims().asArrayRef() << ']';
  }
  return success();
}

namespace {

/// A view of a descriptor, null where it has none.
struct RoleView {
  StringRef role;
  TensorViewAttr view;
  Access access = Access::Read;
};

} // namespace

static LogicalResult verifyViews(CallOp op, ArrayRef<RoleView> views) {
  for (const RoleView &each : views) {
    if (!each.view) {
      continue;
    }
    if (failed(
            verifyView(op, each.role, each.view, op.getAddresses().size()))) {
      return failure();
    }
    auto access = cast<AccessAttr>(op.getAccess()[each.view.getOperand()]);
    if (each.access == Access::Write && access.getValue() != Access::Write) {
      return op.emitOpError("expects the address of its ")
             << each.role << " to be written";
    }
  }
  return success();
}

static LogicalResult verifyPostOps(CallOp op, ArrayAttr postOps) {
  for (Attribute postOp : postOps) {
    if (auto binary = dyn_cast<BinaryAttr>(postOp)) {
      if (failed(verifyViews(op, {{"a post-op", binary.getOperand()}}))) {
        return failure();
      }
    } else if (!isa<EltwiseAttr>(postOp)) {
      return op.emitOpError("expects post-ops that are #plan.eltwise or "
                            "#plan.binary, got ")
             << postOp;
    }
  }
  return success();
}

/// Verifies the attributes of both libraries' convolutions.
template <typename Attr>
static LogicalResult verifyConvolution(CallOp op, Attr attr) {
  if (failed(verifyViews(op, {{"input", attr.getInput()},
                              {"filter", attr.getFilter()},
                              {"bias", attr.getBias()},
                              {"result", attr.getResult(), Access::Write}}))) {
    return failure();
  }
  int64_t spatial = attr.getInput().getDims().size() - 2;
  for (DenseI64ArrayAttr extents : {attr.getStrides(), attr.getPadsBegin(),
                                    attr.getPadsEnd(), attr.getDilations()}) {
    if (extents.size() != spatial) {
      return op.emitOpError("expects strides, pads and dilations for each of "
                            "the ")
             << spatial << " spatial dimensions of input, got "
             << extents.size();
    }
  }
  if (attr.getGroups() < 1) {
    return op.emitOpError("expects 1 group or more, got ") << attr.getGroups();
  }
  return success();
}

static LogicalResult verifyDescriptor(CallOp op, OnednnMatmulAttr attr) {
  if (failed(verifyViews(op, {{"lhs", attr.getLhs()},
                              {"rhs", attr.getRhs()},
                              {"bias", attr.getBias()}}))) {
    return failure();
  }
  if (failed(verifyPostOps(op, attr.getPostOps()))) {
    return failure();
  }
  return verifyViews(op, {{"result", attr.getResult(), Access::Write}});
}

static LogicalResult verifyDescriptor(CallOp op, CublasGemmAttr attr) {
  return verifyViews(op, {{"lhs", attr.getLhs()},
                          {"rhs", attr.getRhs()},
                          {"result", attr.getResult(), Access::Write}});
}

static LogicalResult verifyDescriptor(CallOp op, CublasltMatmulAttr attr) {
  return verifyViews(op, {{"lhs", attr.getLhs()},
                          {"rhs", attr.getRhs()},
                          {"bias", attr.getBias()},
                          {"addend", attr.getAddend()},
                          {"result", attr.getResult(), Access::Write},
                          {"aux", attr.getAux(), Access::Write}});
}

static LogicalResult verifyDescriptor(CallOp op, CudnnConvolutionAttr attr) {
  if (failed(verifyConvolution(op, attr))) {
    return failure();
  }
  return verifyViews(op, {{"addend", attr.getAddend()}});
}

static LogicalResult verifyDescriptor(CallOp op, CudnnMatmulAttr attr) {
  return verifyViews(op, {{"lhs", attr.getLhs()},
                          {"rhs", attr.getRhs()},
                          {"bias", attr.getBias()},
                          {"result", attr.getResult(), Access::Write}});
}

static LogicalResult verifyDescriptor(CallOp op, OnednnConvolutionAttr attr) {
  if (failed(verifyConvolution(op, attr))) {
    return failure();
  }
  return verifyPostOps(op, attr.getPostOps());
}

LogicalResult CallOp::verify() {
  if (failed(verifyAccess(*this))) {
    return failure();
  }
  return llvm::TypeSwitch<Attribute, LogicalResult>(getDescriptor())
      .Case<OnednnMatmulAttr, CublasGemmAttr, CublasltMatmulAttr,
            CudnnConvolutionAttr, CudnnMatmulAttr, OnednnConvolutionAttr>(
          [&](auto attr) { return verifyDescriptor(*this, attr); })
      .Default([&](Attribute attr) {
        return emitOpError("expects a descriptor of a library call, got ")
               << attr;
      });
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
