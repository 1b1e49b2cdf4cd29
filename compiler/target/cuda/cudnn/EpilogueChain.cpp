// SPDX-License-Identifier: Apache-2.0
//
// Walks from the anchor to the only result.

#include "compiler/target/cuda/cudnn/EpilogueChain.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace minic::cuda {

using kernel::BroadcastMap;
using kernel::FusionShape;

namespace {

class ChainMatcher {
public:
  ChainMatcher(const FusionShape &shape, size_t channel, std::string &reason)
      : shape(shape), channel(channel), reason(reason),
        dtype(getElementTypeOrSelf(shape.anchor->getResult(0).getType())) {}

  FailureOr<EpilogueChain> match() {
    if (shape.results.size() != 1) {
      return fail("more than one result");
    }
    if (getElementTypeOrSelf(shape.results[0].getType()) != dtype) {
      return fail("a result of another dtype than the operands'");
    }
    Value bias = shape.gemm ? shape.gemm->bias : shape.conv->bias;
    if (bias && failed(setBias(bias))) {
      return failure();
    }
    Value current = shape.anchor->getResult(0);
    for (Operation *op : shape.epilogue) {
      if (!current.hasOneUse() || *current.getUsers().begin() != op) {
        return fail("the epilogue is not a chain");
      }
      if (!chain.activation.empty()) {
        return fail("cuDNN does nothing after an activation");
      }
      if (failed(append(op, current))) {
        return failure();
      }
      current = op->getResult(0);
    }
    return chain;
  }

private:
  LogicalResult fail(const Twine &why) {
    reason = why.str();
    return failure();
  }

  LogicalResult checkType(Value operand) {
    if (getElementTypeOrSelf(operand.getType()) != dtype) {
      return fail("an operand of another dtype");
    }
    return success();
  }

  LogicalResult setBias(Value bias) {
    if (chain.bias) {
      return fail("more than one value per channel added");
    }
    chain.bias = bias;
    return checkType(bias);
  }

  LogicalResult add(Operation *op, Value current) {
    Value other = op->getOperand(op->getOperand(0) == current ? 1 : 0);
    if (!isa<BlockArgument>(other)) {
      return fail("the epilogue is not a chain");
    }
    auto type = cast<RankedTensorType>(other.getType());
    SmallVector<int64_t> strides =
        BroadcastMap::get(type.getShape(), shape.space).strides;
    bool isPerChannel = type.getNumElements() == shape.space[channel];
    bool isFull = type.getNumElements() == llvm::product_of(shape.space);
    SmallVector<int64_t> dense =
        BroadcastMap::get(shape.space, shape.space).strides;
    for (size_t i = 0; i < strides.size(); ++i) {
      if (shape.space[i] == 1) {
        continue;
      }
      isPerChannel &= strides[i] == (i == channel ? 1 : 0);
      isFull &= strides[i] == dense[i];
    }
    if (isPerChannel) {
      return setBias(other);
    }
    if (!isFull) {
      return fail("cuDNN adds a value per channel or a tensor of the result's "
                  "shape only");
    }
    if (chain.addend) {
      return fail("more than one tensor added");
    }
    chain.addend = other;
    return checkType(other);
  }

  LogicalResult activate(StringRef name, double alpha = 0, double beta = 0) {
    chain.activation = name;
    chain.alpha = alpha;
    chain.beta = beta;
    return success();
  }

  LogicalResult append(Operation *op, Value current) {
    using namespace graph;
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<AddOp>([&](auto) { return add(op, current); })
        .Case<ReluOp>([&](auto) { return activate("relu"); })
        .Case<LeakyReluOp>([&](LeakyReluOp relu) {
          return activate("leaky_relu", relu.getAlpha().convertToDouble());
        })
        .Case<TanhOp>([&](auto) { return activate("tanh"); })
        .Case<SigmoidOp>([&](auto) { return activate("sigmoid"); })
        .Case<GeluOp>([&](GeluOp gelu) {
          bool isTanh = gelu.getApproximate() == GeluApproximation::Tanh;
          return activate(isTanh ? "gelu_tanh" : "gelu_erf");
        })
        .Case<SiluOp>([&](auto) { return activate("silu", 1); })
        .Case<ClampOp>([&](ClampOp clamp) {
          double lower = clamp.getLower().convertToDouble();
          if (lower != 0) {
            return fail("cuDNN clamps from 0 only");
          }
          return activate("clamp", 0, clamp.getUpper().convertToDouble());
        })
        .Default([&](Operation *) {
          return fail("cuDNN fuses no " + op->getName().getStringRef());
        });
  }

  const FusionShape &shape;
  const size_t channel;
  std::string &reason;
  const Type dtype;
  EpilogueChain chain;
};

} // namespace

FailureOr<EpilogueChain> EpilogueChain::get(const FusionShape &shape,
                                            size_t channel,
                                            std::string &reason) {
  return ChainMatcher(shape, channel, reason).match();
}

plan::EltwiseAttr EpilogueChain::activationAttr(MLIRContext *context) const {
  if (activation.empty()) {
    return {};
  }
  Builder b(context);
  return plan::EltwiseAttr::get(context, b.getStringAttr(activation),
                                b.getF32FloatAttr(float(alpha)),
                                b.getF32FloatAttr(float(beta)));
}

} // namespace minic::cuda
