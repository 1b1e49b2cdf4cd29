// SPDX-License-Identifier: Apache-2.0
//
// Matching, estimating and lowering of matmuls.

#include "compiler/target/cuda/cudnn/CudnnMatmul.h"

#include "compiler/target/cuda/EpilogueEmitter.h"
#include "compiler/target/cuda/LibrarySchedule.h"
#include "compiler/target/cuda/cublas/GemmViews.h"
#include "compiler/target/cuda/cudnn/EpilogueChain.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::cuda {

using kernel::FusionOp;
using kernel::FusionShape;

namespace {

struct Match {
  FusionShape shape;
  EpilogueChain chain;
};

} // namespace

static FailureOr<Match> match(FusionOp fusion, std::string &reason) {
  auto shape = FusionShape::get(fusion, &reason);
  if (failed(shape)) {
    return failure();
  }
  if (auto rejected = rejectProduct(*shape)) {
    reason = *rejected;
    return failure();
  }
  if (shape->gemm->batch.size() > 1) {
    reason = "more than one batch dimension";
    return failure();
  }
  auto chain = EpilogueChain::get(*shape, shape->space.size() - 1, reason);
  if (failed(chain)) {
    return failure();
  }
  if (chain->addend) {
    reason = "cuDNN adds a value per column to a matmul only";
    return failure();
  }
  return Match{std::move(*shape), *chain};
}

std::optional<std::string>
CudnnMatmul::reject(FusionOp fusion, const DeviceProfile &profile) const {
  std::string reason;
  auto matched = match(fusion, reason);
  if (failed(matched)) {
    return reason;
  }
  if (matched->shape.gemm->lhsType.isF32() && !profile.allowTf32) {
    return "cuDNN has no f32 matmul without tf32";
  }
  return std::nullopt;
}

/// Nothing hides the epilogue of large results of a short K: beside generated
/// kernels of 38.6 and 22.1 us, cuDNN lost 100352x384x96 and 25088x768x192 with
/// gelu on an H200 in the first screening, by 1.5 times and more.
static double epilogueUs(const FusionShape &shape,
                         const DeviceProfile &profile) {
  double perUs = profile.peakGflops / 2 * 1e3;
  return perUs > 0
             ? double(llvm::product_of(shape.space)) *
                   double(EpilogueEmitter::instructionCount(shape)) / perUs
             : 0;
}

std::vector<Implementation>
CudnnMatmul::enumerate(FusionOp fusion, const DeviceProfile &profile) const {
  MLIRContext *context = fusion.getContext();
  std::string reason;
  auto matched = match(fusion, reason);
  if (failed(matched)) {
    return {};
  }
  LibrarySchedule schedule;
  schedule.isTf32 = matched->shape.gemm->lhsType.isF32();
  schedule.scratchBytes = libraryScratchBytes(profile);
  Implementation implementation;
  implementation.impl =
      kernel::ImplAttr::get(context, name(), schedule.toAttribute(context));
  implementation.operandLayouts.assign(fusion.getInputs().size(),
                                       UnitAttr::get(context));
  implementation.name = name().str() + (schedule.isTf32 ? " tf32" : "");
  // Without measuring, what is loaded in no time goes first.
  implementation.estimateUs =
      1.3 * estimateProductUs(matched->shape, profile, /*isPadded=*/false) + 2 +
      epilogueUs(matched->shape, profile);
  return {implementation};
}

LogicalResult CudnnMatmul::lower(FusionOp fusion,
                                 plan::PlanBuilder &plan) const {
  auto schedule = LibrarySchedule::parse(fusion.getImplAttr().getSchedule(),
                                         cudnnGrammar, fusion.getLoc());
  if (failed(schedule)) {
    return failure();
  }
  std::string reason;
  auto matched = match(fusion, reason);
  if (failed(matched)) {
    return fusion.emitError(name()) << " cannot implement this: " << reason;
  }
  const auto &[shape, chain] = *matched;
  if (failed(checkDenseOperands(fusion, name()))) {
    return failure();
  }
  plan::CallWriter call(fusion, plan, "cudnn", "matmul");
  ProductWriter product(fusion, shape, call);
  product.factors();
  if (chain.bias) {
    product.columns("bias", chain.bias);
  }
  product.result("result");
  call.set("compute", schedule->compute());
  call.postOp(chain.activationAttr(fusion.getContext()));
  call.setAlgorithm(schedule->versionsAlgorithm());
  call.setVersion(schedule->version());
  call.create(name(), schedule->scratchBytes);
  return success();
}

} // namespace minic::cuda
