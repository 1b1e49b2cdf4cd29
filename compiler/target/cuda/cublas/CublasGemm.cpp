// SPDX-License-Identifier: Apache-2.0
//
// Matching, estimating and lowering of plain products.

#include "compiler/target/cuda/cublas/CublasGemm.h"

#include "compiler/target/cuda/LibrarySchedule.h"
#include "compiler/target/cuda/cublas/GemmViews.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace minic::cuda {

using kernel::FusionOp;
using kernel::FusionShape;

static std::optional<std::string> rejectShape(const FusionShape &shape) {
  if (auto reason = rejectProduct(shape)) {
    return reason;
  }
  if (!shape.epilogue.empty()) {
    return "ops after the contraction";
  }
  if (shape.results.size() != 1) {
    return "more than one result";
  }
  Type result = getElementTypeOrSelf(shape.results[0].getType());
  if (!result.isF32() && result != shape.gemm->lhsType) {
    return "cuBLAS has no such result dtype for these operands";
  }
  if (Value bias = shape.gemm->bias;
      bias && getElementTypeOrSelf(bias.getType()) != result) {
    return "a bias whose dtype is not the result's";
  }
  return std::nullopt;
}

std::optional<std::string> CublasGemm::reject(FusionOp fusion,
                                              const DeviceProfile &) const {
  std::string reason;
  auto shape = FusionShape::get(fusion, &reason);
  if (failed(shape)) {
    return reason;
  }
  return rejectShape(*shape);
}

std::vector<Implementation>
CublasGemm::enumerate(FusionOp fusion, const DeviceProfile &profile) const {
  MLIRContext *context = fusion.getContext();
  auto shape = FusionShape::get(fusion, nullptr);
  LibrarySchedule schedule;
  schedule.form = "dense";
  schedule.isTf32 = shape->gemm->lhsType.isF32() && profile.allowTf32;
  schedule.scratchBytes = libraryScratchBytes(profile);
  Implementation implementation;
  implementation.impl =
      kernel::ImplAttr::get(context, name(), schedule.toAttribute(context));
  implementation.operandLayouts.assign(fusion.getInputs().size(),
                                       UnitAttr::get(context));
  implementation.name = name().str();
  if (schedule.isTf32) {
    implementation.name += " tf32";
  }
  implementation.estimateUs =
      estimateProductUs(*shape, profile, /*isPadded=*/false);
  return {implementation};
}

LogicalResult CublasGemm::lower(FusionOp fusion,
                                plan::PlanBuilder &plan) const {
  auto schedule = LibrarySchedule::parse(fusion.getImplAttr().getSchedule(),
                                         cublasGrammar, fusion.getLoc());
  if (failed(schedule)) {
    return failure();
  }
  std::string reason;
  auto shape = FusionShape::get(fusion, &reason);
  std::optional<std::string> rejected =
      failed(shape) ? reason : rejectShape(*shape);
  if (rejected) {
    return fusion.emitError(name()) << " cannot implement this: " << *rejected;
  }
  if (schedule->form == "padded" || !schedule->algorithm.empty()) {
    return fusion.emitError(name()) << " takes dense operands and chooses its "
                                       "algorithm itself";
  }
  // A bias is cuBLASLt's to add.
  plan::CallWriter call(fusion, plan, shape->gemm->bias ? "cublaslt" : "cublas",
                        shape->gemm->bias ? "matmul" : "gemm");
  ProductWriter product(fusion, *shape, call);
  product.factors();
  if (shape->gemm->bias) {
    product.columns("bias", shape->gemm->bias);
  }
  product.result("result");
  call.set("compute", schedule->compute());
  call.create(name(), schedule->scratchBytes);
  return success();
}

} // namespace minic::cuda
