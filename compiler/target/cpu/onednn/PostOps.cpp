// SPDX-License-Identifier: Apache-2.0
//
// Walks from the anchor to the only result, one post-op per graph op.

#include "compiler/target/cpu/onednn/PostOps.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace minic::cpu {

using kernel::BroadcastMap;
using kernel::FusionShape;

static void makeDense(ResultView &view) {
  view.strides.assign(view.dims.size(), 1);
  for (size_t i = view.dims.size() - 1; i-- > 0;) {
    view.strides[i] = view.strides[i + 1] * view.dims[i + 1];
  }
}

ResultView ResultView::get(const FusionShape &shape) {
  ResultView view;
  if (shape.gemm) {
    view.dims.assign(shape.gemm->batch.begin(), shape.gemm->batch.end());
    view.dims.append({shape.gemm->m, shape.gemm->n});
    makeDense(view);
    return view;
  }
  const graph::Conv2dGeometry &g = shape.conv->geometry;
  view.dims = {g.batch, g.outputChannels, g.outputHeight, g.outputWidth};
  makeDense(view);
  if (g.layout == graph::ImageLayout::NHWC) {
    int64_t row = g.outputWidth * g.outputChannels;
    view.strides = {g.outputHeight * row, 1, row, g.outputChannels};
  }
  return view;
}

/// The dimension of the result's space that a value per channel varies along,
/// and the same of the view; nothing where oneDNN has none.
struct ChannelDim {
  size_t space, view;
};
static std::optional<ChannelDim> channelDim(const FusionShape &shape) {
  if (shape.conv) {
    bool isNhwc = shape.conv->geometry.layout == graph::ImageLayout::NHWC;
    return ChannelDim{isNhwc ? size_t(3) : size_t(1), 1};
  }
  // With batch dimensions oneDNN takes dimension 1 for the channels.
  if (!shape.gemm->batch.empty()) {
    return std::nullopt;
  }
  return ChannelDim{shape.space.size() - 1, 1};
}

namespace {

class ChainBuilder {
public:
  ChainBuilder(const FusionShape &shape, std::string &reason)
      : shape(shape), reason(reason) {}

  FailureOr<SmallVector<PostOp>> build() {
    if (shape.results.size() != 1) {
      return fail("more than one result");
    }
    Value current = shape.anchor->getResult(0);
    for (Operation *op : shape.epilogue) {
      if (!current.hasOneUse() || *current.getUsers().begin() != op) {
        return fail("the epilogue is not a chain");
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

  LogicalResult eltwise(StringRef kind, double alpha = 0, double beta = 0) {
    chain.push_back({kind, alpha, beta, Value(), {}});
    return success();
  }

  LogicalResult binary(StringRef kind, Operation *op, Value current) {
    bool currentIsLeft = op->getOperand(0) == current;
    Value other = op->getOperand(currentIsLeft ? 1 : 0);
    if (!isa<BlockArgument>(other)) {
      return fail("the epilogue is not a chain");
    }
    if (!currentIsLeft && kind == "div") {
      return fail("oneDNN cannot divide by the product");
    }
    if (!currentIsLeft && kind == "sub") {
      if (failed(eltwise("linear", -1))) {
        return failure();
      }
      kind = "add";
    }
    auto type = cast<RankedTensorType>(other.getType());
    if (!type.getElementType().isF32() && !type.getElementType().isBF16()) {
      return fail("oneDNN 2.6.3 has no binary post-op on " +
                  typeText(type.getElementType()));
    }
    ResultView view = ResultView::get(shape);
    if (failed(broadcast(type, view))) {
      return failure();
    }
    chain.push_back({kind, 0, 0, other, view});
    return success();
  }

  /// Narrows `view` of the result to how `type` is read.
  LogicalResult broadcast(RankedTensorType type, ResultView &view) {
    SmallVector<int64_t> strides =
        BroadcastMap::get(type.getShape(), shape.space).strides;
    SmallVector<int64_t> dense =
        BroadcastMap::get(shape.space, shape.space).strides;
    if (strides == dense) {
      return success();
    }
    std::optional<ChannelDim> channel = channelDim(shape);
    bool isChannel = channel && strides[channel->space] == 1 &&
                     llvm::count(strides, 0) == int64_t(strides.size()) - 1;
    bool isScalar = llvm::all_of(strides, [](int64_t s) { return s == 0; });
    if (!isScalar && !isChannel) {
      return fail(shape.conv ? "oneDNN has no fast post-op for an operand that "
                               "broadcasts along pixels"
                             : "oneDNN has no fast post-op for an operand that "
                               "broadcasts along rows");
    }
    for (size_t i = 0; i < view.dims.size(); ++i) {
      if (isScalar || i != channel->view) {
        view.dims[i] = 1;
      }
    }
    makeDense(view);
    return success();
  }

  LogicalResult castTo(graph::CastOp op) {
    Type to = op.getType().getElementType();
    bool isLast = op.getResult() == shape.results[0];
    if (to.isF32() || (to.isBF16() && isLast)) {
      return success();
    }
    return fail("oneDNN has no post-op that rounds to " + typeText(to));
  }

  LogicalResult append(Operation *op, Value current) {
    using namespace graph;
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<ReluOp>([&](auto) { return eltwise("relu"); })
        .Case<LeakyReluOp>([&](LeakyReluOp relu) {
          return eltwise("leaky_relu", relu.getAlpha().convertToDouble());
        })
        .Case<TanhOp>([&](auto) { return eltwise("tanh"); })
        .Case<SigmoidOp>([&](auto) { return eltwise("sigmoid"); })
        .Case<GeluOp>([&](GeluOp gelu) {
          bool tanh = gelu.getApproximate() == GeluApproximation::Tanh;
          return eltwise(tanh ? "gelu_tanh" : "gelu_erf");
        })
        .Case<SiluOp>([&](auto) { return eltwise("silu", 1); })
        .Case<HardSwishOp>([&](auto) { return eltwise("hard_swish"); })
        .Case<ClampOp>([&](ClampOp clamp) {
          return eltwise("clamp", clamp.getLower().convertToDouble(),
                         clamp.getUpper().convertToDouble());
        })
        .Case<ExpOp>([&](auto) { return eltwise("exp"); })
        .Case<AbsOp>([&](auto) { return eltwise("abs"); })
        .Case<SqrtOp>([&](auto) { return eltwise("sqrt"); })
        .Case<NegOp>([&](auto) { return eltwise("linear", -1); })
        .Case<AddOp>([&](auto) { return binary("add", op, current); })
        .Case<SubOp>([&](auto) { return binary("sub", op, current); })
        .Case<MulOp>([&](auto) { return binary("mul", op, current); })
        .Case<DivOp>([&](auto) { return binary("div", op, current); })
        .Case<MaxOp>([&](auto) { return binary("max", op, current); })
        .Case<MinOp>([&](auto) { return binary("min", op, current); })
        .Case<CastOp>([&](CastOp cast) { return castTo(cast); })
        .Default([&](Operation *) {
          return fail("oneDNN has no usable post-op for " +
                      op->getName().getStringRef());
        });
  }

  static std::string typeText(Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text;
  }

  const FusionShape &shape;
  std::string &reason;
  SmallVector<PostOp> chain;
};

} // namespace

bool losesNan(const PostOp &postOp) {
  return llvm::is_contained({"relu", "clamp", "exp", "max", "min"},
                            postOp.kind);
}

FailureOr<SmallVector<PostOp>> getPostOps(const FusionShape &shape,
                                          std::string &reason) {
  return ChainBuilder(shape, reason).build();
}

} // namespace minic::cpu
