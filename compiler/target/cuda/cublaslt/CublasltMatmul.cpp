// SPDX-License-Identifier: Apache-2.0
//
// Matching, estimating and lowering of products with epilogues.

#include "compiler/target/cuda/cublaslt/CublasltMatmul.h"

#include "compiler/target/cuda/LibrarySchedule.h"
#include "compiler/target/cuda/cublas/GemmViews.h"
#include "compiler/target/cuda/cublaslt/LtEpilogue.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::cuda {

using kernel::FusionOp;
using kernel::FusionShape;

namespace {

struct Match {
  FusionShape shape;
  LtEpilogue epilogue;
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
  auto epilogue = LtEpilogue::get(*shape, reason);
  if (failed(epilogue)) {
    return failure();
  }
  return Match{std::move(*shape), *epilogue};
}

std::optional<std::string> CublasltMatmul::reject(FusionOp fusion,
                                                  const DeviceProfile &) const {
  std::string reason;
  if (failed(match(fusion, reason))) {
    return reason;
  }
  return std::nullopt;
}

/// The layout of each operand, unit for dense.
static SmallVector<Attribute> layoutsOf(FusionOp fusion,
                                        const FusionShape &shape,
                                        const GemmPadding &padding) {
  SmallVector<Attribute> layouts(fusion.getInputs().size(),
                                 UnitAttr::get(fusion.getContext()));
  if (padding.lhs) {
    layouts[cast<BlockArgument>(shape.gemm->lhs).getArgNumber()] = padding.lhs;
  }
  if (padding.rhs) {
    layouts[cast<BlockArgument>(shape.gemm->rhs).getArgNumber()] = padding.rhs;
  }
  return layouts;
}

std::vector<Implementation>
CublasltMatmul::enumerate(FusionOp fusion, const DeviceProfile &profile) const {
  MLIRContext *context = fusion.getContext();
  std::string reason;
  auto matched = match(fusion, reason);
  if (failed(matched)) {
    return {};
  }
  const FusionShape &shape = matched->shape;
  std::vector<Implementation> implementations;
  auto add = [&](const GemmPadding &padding, bool isPadded) {
    LibrarySchedule schedule;
    schedule.form = isPadded ? "padded" : "dense";
    schedule.isTf32 = shape.gemm->lhsType.isF32() && profile.allowTf32;
    schedule.scratchBytes = libraryScratchBytes(profile);
    Implementation implementation;
    implementation.impl =
        kernel::ImplAttr::get(context, name(), schedule.toAttribute(context));
    implementation.operandLayouts = layoutsOf(fusion, shape, padding);
    implementation.name = name().str() + (isPadded ? " padded" : "") +
                          (schedule.isTf32 ? " tf32" : "");
    implementation.estimateUs =
        estimateProductUs(shape, profile, isPadded) +
        estimatePaddingUs(fusion, shape, padding, profile);
    implementations.push_back(std::move(implementation));
  };
  add({}, /*isPadded=*/false);
  if (auto padding = GemmPadding::get(shape); succeeded(padding)) {
    add(*padding, /*isPadded=*/true);
  }
  llvm::sort(
      implementations, [](const Implementation &a, const Implementation &b) {
        return std::tie(a.estimateUs, a.name) < std::tie(b.estimateUs, b.name);
      });
  return implementations;
}

std::string CublasltMatmul::opsThatLoseNan(FusionOp fusion) const {
  std::string reason;
  auto matched = match(fusion, reason);
  bool hasRelu = succeeded(matched) && matched->epilogue.activation == "relu";
  return hasRelu ? "relu" : "";
}

LogicalResult CublasltMatmul::lower(FusionOp fusion,
                                    plan::PlanBuilder &plan) const {
  auto schedule = LibrarySchedule::parse(fusion.getImplAttr().getSchedule(),
                                         cublasGrammar, fusion.getLoc());
  if (failed(schedule)) {
    return failure();
  }
  std::string reason;
  auto matched = match(fusion, reason);
  if (failed(matched)) {
    return fusion.emitError(name()) << " cannot implement this: " << reason;
  }
  const auto &[shape, epilogue] = *matched;
  GemmPadding padding;
  if (schedule->form == "padded") {
    auto found = GemmPadding::get(shape);
    if (failed(found)) {
      return fusion.emitError(name()) << " has nothing to pad here";
    }
    padding = *found;
  }
  for (auto [index, layout] :
       llvm::enumerate(layoutsOf(fusion, shape, padding))) {
    auto type = cast<RankedTensorType>(fusion.getInputs()[index].getType());
    if (kernel::getLayout(type) != dyn_cast<kernel::LayoutAttr>(layout)) {
      return fusion.emitError(name())
             << " expects operand " << index << " in layout " << layout
             << ", got " << type;
    }
  }
  plan::CallWriter call(fusion, plan, "cublaslt", "matmul");
  ProductWriter product(fusion, shape, call);
  product.factors();
  if (epilogue.bias) {
    product.columns("bias", epilogue.bias);
  }
  if (epilogue.addend) {
    product.full("addend", epilogue.addend);
  }
  product.result("result");
  if (epilogue.hasAux) {
    product.result("aux", 1);
  }
  call.set("compute", schedule->compute());
  if (epilogue.activation != "none") {
    Builder b(fusion.getContext());
    call.postOp(plan::EltwiseAttr::get(
        b.getContext(), b.getStringAttr(epilogue.activation),
        b.getF32FloatAttr(0), b.getF32FloatAttr(0)));
  }
  call.setAlgorithm(schedule->versionsAlgorithm());
  call.setVersion(schedule->version());
  call.create(name(), schedule->scratchBytes);
  return success();
}

} // namespace minic::cuda
