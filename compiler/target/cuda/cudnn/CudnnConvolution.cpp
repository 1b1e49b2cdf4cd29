// SPDX-License-Identifier: Apache-2.0
//
// Matching, estimating and lowering of convolutions.

#include "compiler/target/cuda/cudnn/CudnnConvolution.h"

#include "compiler/target/cuda/LaunchTime.h"
#include "compiler/target/cuda/LibrarySchedule.h"
#include "compiler/target/cuda/cudnn/EpilogueChain.h"
#include "dialects/plan/CallWriter.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::cuda {

using graph::Conv2dGeometry;
using graph::ImageLayout;
using kernel::FusionOp;
using kernel::FusionShape;
using kernel::LayoutAttr;

namespace {

struct Match {
  FusionShape shape;
  EpilogueChain chain;
  const Conv2dGeometry &geometry() const { return shape.conv->geometry; }
  bool isNhwc() const { return geometry().layout == ImageLayout::NHWC; }
  Type dtype() const { return shape.conv->inputType; }
  bool isDepthwise() const { return geometry().inputChannelsPerGroup() == 1; }
};

} // namespace

/// See the class's comment.
static FailureOr<Match> match(FusionOp fusion, bool allowsTf32,
                              std::string &reason) {
  auto fail = [&](const Twine &why) {
    reason = why.str();
    return failure();
  };
  auto shape = FusionShape::get(fusion, &reason);
  if (failed(shape)) {
    return failure();
  }
  if (!shape->conv) {
    return fail("no convolution");
  }
  if (!shape->prologue.empty()) {
    return fail("ops before the convolution");
  }
  Type dtype = shape->conv->inputType;
  if (dtype != shape->conv->filterType ||
      !(dtype.isF32() || dtype.isF16() || dtype.isBF16())) {
    return fail("cuDNN takes no such operand dtypes");
  }
  const Conv2dGeometry &geometry = shape->conv->geometry;
  if (llvm::product_of(shape->space) == 0 || geometry.reductionLength() == 0) {
    return fail("empty convolution");
  }
  size_t channel = geometry.layout == ImageLayout::NHWC ? 3 : 1;
  auto chain = EpilogueChain::get(*shape, channel, reason);
  if (failed(chain)) {
    return failure();
  }
  Match match{std::move(*shape), *chain};
  if (!chain->activation.empty() && chain->activation != "relu") {
    if (!match.isNhwc()) {
      return fail("cuDNN fuses " + chain->activation +
                  " into convolutions of NHWC only");
    }
    if (dtype.isBF16() && match.isDepthwise()) {
      return fail("cuDNN fuses no " + chain->activation +
                  " into depthwise convolutions of bf16");
    }
    if (dtype.isF32() && !allowsTf32 &&
        !llvm::is_contained({"clamp", "sigmoid", "tanh"}, chain->activation)) {
      return fail("cuDNN fuses " + chain->activation +
                  " into convolutions of f32 with tf32 only");
    }
  }
  return match;
}

std::optional<std::string>
CudnnConvolution::reject(FusionOp fusion, const DeviceProfile &profile) const {
  std::string reason;
  auto matched = match(fusion, profile.allowTf32, reason);
  if (failed(matched)) {
    return reason;
  }
  if (!fuses_ && !matched->shape.epilogue.empty()) {
    return "ops after the convolution";
  }
  return std::nullopt;
}

static double tensorBytes(Value value) {
  return double(kernel::getBytes(cast<RankedTensorType>(value.getType())));
}

/// Bytes of what engines of tensor cores copy to NHWC and back.
static double copiedBytes(const Match &match, bool isFilterNhwc) {
  double bytes = isFilterNhwc ? 0 : tensorBytes(match.shape.conv->filter);
  if (!match.isNhwc()) {
    bytes += tensorBytes(match.shape.conv->input) +
             tensorBytes(match.shape.results[0]);
  }
  return bytes;
}

static double estimateUs(const Match &match, bool isFilterNhwc,
                         const DeviceProfile &profile) {
  const Conv2dGeometry &geometry = match.geometry();
  double flops = 2.0 * double(llvm::product_of(match.shape.space)) *
                 double(geometry.reductionLength());
  bool isIeee = match.dtype().isF32() && !profile.allowTf32;
  double peak = profile.productGflops(match.dtype().isF32());
  // What its first engines reach of the peaks on an H200, where a 3x3 of 256
  // channels of 14x14 takes 18.0 us with a relu, a 1x1 of 64 to 256 channels of
  // 56x56 30.3.
  double reached = 0.47, reachedMemory = 0.5;
  // A block passes all terms of its sums one after the other: 53 convolutions
  // of ResNet-50 with their activations take 454 us there for one image, and a
  // 3x3 of 512 channels of 7x7 19.9 us for 32.
  double termUs = 4e-3;
  double terms = double(geometry.reductionLength());
  // Tensor cores need as many channels as a tile has columns.
  if (match.isDepthwise()) {
    peak = profile.peakGflops;
    reached = 0.2;
    // 7x7 of ConvNeXt's 96 to 768 channels of 56x56 to 7x7, in bf16: 19 to 54
    // us there.
    if (!match.dtype().isF32()) {
      reached = 0.015;
      termUs = 0.4;
    }
  } else {
    double channels = double(geometry.inputChannelsPerGroup());
    reached *= std::min(1.0, channels / 32);
    if (geometry.groups == 1) {
      reached *= std::min(1.0, double(geometry.outputChannels) / 64);
    }
    // 32 images of 224x224 and 3 channels by windows of 3x3 or 7x7 to 16, 32
    // and 64: 68, 80 and 249 us there; patches of 32x32 of one image 240.
    terms *= std::max(1.0, 32 / std::max(channels, 1.0));
    reached *= channels < 8 ? 0.65 : 1;
  }
  const EpilogueChain &chain = match.chain;
  if (!chain.activation.empty() && chain.activation != "relu") {
    // Kernels for any epilogue; without tensor cores and for clamps slow ones.
    reached *= isIeee || chain.activation == "clamp" ? 0.2 : 0.8;
  }
  double bytes = tensorBytes(match.shape.conv->input) +
                 tensorBytes(match.shape.conv->filter) +
                 tensorBytes(match.shape.results[0]);
  if (chain.addend) {
    bytes += tensorBytes(chain.addend);
  }
  bool usesTensorCores = !isIeee && !match.isDepthwise();
  if (usesTensorCores || (isFilterNhwc && !match.isNhwc())) {
    bytes += 2 * copiedBytes(match, isFilterNhwc);
  }
  double computeUs = peak > 0 ? flops / (reached * peak) * 1e-3 : 0;
  double memoryUs = profile.memoryGBs > 0
                        ? bytes / (reachedMemory * profile.memoryGBs) * 1e-3
                        : 0;
  double waitUs = termUs * terms;
  // Images are copied by kernels of their own, before and after.
  int launches = usesTensorCores && !match.isNhwc() ? 3 : 1;
  // Of two that wait alike the one that copies less is the faster.
  return std::max({computeUs, memoryUs, waitUs}) + 0.02 * memoryUs +
         launches * launchUs;
}

/// The filter as [K, R, S, C / groups].
static LayoutAttr filterLayout(Value filter) {
  auto type = cast<RankedTensorType>(filter.getType());
  return LayoutAttr::get(type.getContext(), {0, 2, 3, 1}, {}, {},
                         type.getShape());
}

static SmallVector<Attribute> layoutsOf(FusionOp fusion, const Match &match,
                                        bool isFilterNhwc) {
  MLIRContext *context = fusion.getContext();
  SmallVector<Attribute> layouts(fusion.getInputs().size(),
                                 UnitAttr::get(context));
  if (isFilterNhwc) {
    auto filter = cast<BlockArgument>(match.shape.conv->filter);
    layouts[filter.getArgNumber()] = filterLayout(filter);
  }
  return layouts;
}

std::vector<Implementation>
CudnnConvolution::enumerate(FusionOp fusion,
                            const DeviceProfile &profile) const {
  std::string reason;
  auto matched = match(fusion, profile.allowTf32, reason);
  if (failed(matched)) {
    return {};
  }
  MLIRContext *context = fusion.getContext();
  std::vector<Implementation> implementations;
  auto add = [&](bool isFilterNhwc) {
    LibrarySchedule schedule;
    schedule.form = isFilterNhwc ? "nhwc" : "nchw";
    schedule.isTf32 = matched->dtype().isF32() && profile.allowTf32;
    // What engines of NHWC ask for at most, and copies where there are some.
    schedule.scratchBytes = std::min(
        profile.workspaceLimit,
        (int64_t(32) << 20) + int64_t(copiedBytes(*matched, isFilterNhwc)));
    Implementation implementation;
    implementation.impl =
        kernel::ImplAttr::get(context, name(), schedule.toAttribute(context));
    implementation.operandLayouts = layoutsOf(fusion, *matched, isFilterNhwc);
    implementation.name =
        name().str() + " " + schedule.form + (schedule.isTf32 ? " tf32" : "");
    implementation.estimateUs = estimateUs(*matched, isFilterNhwc, profile);
    implementations.push_back(std::move(implementation));
  };
  if (!matched->isNhwc()) {
    add(/*isFilterNhwc=*/false);
  }
  // A filter of one channel, or of one pixel, is the same in both orders.
  const Conv2dGeometry &g = matched->geometry();
  bool isSame = g.inputChannelsPerGroup() == 1 ||
                (g.filterHeight == 1 && g.filterWidth == 1);
  bool isF32 = matched->dtype().isF32() && !profile.allowTf32;
  if (matched->isNhwc() || (!isSame && !isF32)) {
    add(/*isFilterNhwc=*/true);
  }
  llvm::sort(
      implementations, [](const Implementation &a, const Implementation &b) {
        return std::tie(a.estimateUs, a.name) < std::tie(b.estimateUs, b.name);
      });
  return implementations;
}

namespace {

/// Writes the operands of the call: dense [N, C, H, W] tensors in that order or
/// in NHWC.
class OperandWriter {
public:
  OperandWriter(const Match &match, plan::CallWriter &call)
      : match(match), call(call) {}

  void read(StringRef role, Value argument, ArrayRef<int64_t> dims,
            bool isNhwc) {
    Value tensor = call.outer(argument);
    write(role, call.planBuilder().addressOf(tensor), plan::Access::Read, dims,
          isNhwc);
  }

  /// A value per channel; zeros where `bias` is null.
  void channels(StringRef role, Value bias) {
    int64_t count = match.geometry().outputChannels;
    plan::PlanBuilder &plan = call.planBuilder();
    Value address =
        bias
            ? plan.addressOf(call.outer(bias))
            : plan.zeroedBuffer(count * kernel::getElementBytes(match.dtype()));
    write(role, address, plan::Access::Read, {1, count, 1, 1}, match.isNhwc());
  }

  void write(StringRef role, Value address, plan::Access access,
             ArrayRef<int64_t> dims, bool isNhwc) {
    SmallVector<int64_t> strides(4);
    int64_t stride = 1;
    static constexpr int64_t kNchw[] = {3, 2, 1, 0}, kNhwc[] = {1, 3, 2, 0};
    for (int64_t dim : isNhwc ? kNhwc : kNchw) {
      strides[dim] = stride;
      stride *= dims[dim];
    }
    call.operand(role, call.view(call.address(address, access), match.dtype(),
                                 dims, strides));
  }

private:
  const Match &match;
  plan::CallWriter &call;
};

} // namespace

LogicalResult CudnnConvolution::lower(FusionOp fusion,
                                      plan::PlanBuilder &plan) const {
  auto schedule = LibrarySchedule::parse(fusion.getImplAttr().getSchedule(),
                                         cudnnGrammar, fusion.getLoc());
  if (failed(schedule)) {
    return failure();
  }
  bool isFilterNhwc = schedule->form == "nhwc";
  std::string reason;
  auto matched = match(fusion, schedule->isTf32, reason);
  if (failed(matched)) {
    return fusion.emitError(name()) << " cannot implement this: " << reason;
  }
  for (auto [index, layout] :
       llvm::enumerate(layoutsOf(fusion, *matched, isFilterNhwc))) {
    auto type = cast<RankedTensorType>(fusion.getInputs()[index].getType());
    if (kernel::getLayout(type) != dyn_cast<LayoutAttr>(layout)) {
      return fusion.emitError(name())
             << " expects operand " << index << " in layout " << layout
             << ", got " << type;
    }
  }
  const Conv2dGeometry &g = matched->geometry();
  const EpilogueChain &chain = matched->chain;
  plan::CallWriter call(fusion, plan, "cudnn", "convolution");
  OperandWriter operands(*matched, call);
  SmallVector<int64_t> resultDims = {g.batch, g.outputChannels, g.outputHeight,
                                     g.outputWidth};
  bool isNhwc = matched->isNhwc();
  operands.read("input", matched->shape.conv->input,
                {g.batch, g.inputChannels, g.inputHeight, g.inputWidth},
                isNhwc);
  operands.read("filter", matched->shape.conv->filter,
                {g.outputChannels, g.inputChannelsPerGroup(), g.filterHeight,
                 g.filterWidth},
                isFilterNhwc);
  if (chain.bias || !chain.isEmpty()) {
    operands.channels("bias", chain.bias);
  }
  if (chain.addend) {
    operands.read("addend", chain.addend, resultDims, isNhwc);
  }
  operands.write("result", plan.addressOf(fusion.getResult(0)),
                 plan::Access::Write, resultDims, isNhwc);
  call.set("strides", {g.strideHeight, g.strideWidth});
  call.set("pads_begin", {g.padTop, g.padLeft});
  call.set("pads_end", {g.padBottom, g.padRight});
  call.set("dilations", {g.dilationHeight, g.dilationWidth});
  call.set("groups", g.groups);
  call.set("compute", schedule->compute());
  call.postOp(chain.activationAttr(fusion.getContext()));
  call.setAlgorithm(schedule->versionsAlgorithm());
  call.setVersion(schedule->version());
  call.create(name(), schedule->scratchBytes);
  return success();
}

} // namespace minic::cuda
