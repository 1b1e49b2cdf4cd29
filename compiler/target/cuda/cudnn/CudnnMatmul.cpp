// SPDX-License-Identifier: Apache-2.0
//
// Matching, estimating and lowering of matmuls.

#include "compiler/target/cuda/cudnn/CudnnMatmul.h"

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
      1.3 * estimateProductUs(matched->shape, profile, /*isPadded=*/false) + 2;
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
