// SPDX-License-Identifier: Apache-2.0
//
// Matching, estimating and lowering of oneDNN matmuls.

#include "compiler/target/cpu/onednn/OnednnMatmul.h"

#include "compiler/target/cpu/onednn/PostOps.h"

#include "oneapi/dnnl/dnnl_version.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace minic::cpu {

using kernel::FusionOp;
using kernel::FusionShape;
using kernel::GemmShape;

static Type resultElement(const FusionShape &shape) {
  return getElementTypeOrSelf(shape.results[0].getType());
}

/// Null where oneDNN computes `shape`; fills `chain`.
static std::optional<std::string> rejectShape(const FusionShape &shape,
                                              bool fuses,
                                              SmallVector<PostOp> &postOps) {
  if (!shape.gemm) {
    return "no contraction";
  }
  const GemmShape &gemm = *shape.gemm;
  if (gemm.lhsType.isF16() || gemm.rhsType.isF16()) {
    return "oneDNN 2.6.3 has no f16";
  }
  if (!shape.prologue.empty()) {
    return "ops before the contraction";
  }
  if (gemm.batchCount() * gemm.m * gemm.n * gemm.k == 0) {
    return "empty contraction";
  }
  if (!fuses && !shape.epilogue.empty()) {
    return "ops after the contraction";
  }
  std::string reason;
  auto chain = getPostOps(shape, reason);
  if (failed(chain)) {
    return reason;
  }
  postOps = *chain;
  Type result = resultElement(shape);
  bool isWide = result.isF32();
  if (!isWide && !(result.isBF16() && gemm.lhsType.isBF16())) {
    return "oneDNN 2.6.3 has no such result dtype for these operands";
  }
  return std::nullopt;
}

std::optional<std::string> OnednnMatmul::reject(FusionOp fusion,
                                                const DeviceProfile &) const {
  std::string reason;
  auto shape = FusionShape::get(fusion, &reason);
  if (failed(shape)) {
    return reason;
  }
  SmallVector<PostOp> postOps;
  return rejectShape(*shape, fuses_, postOps);
}

std::vector<Implementation>
OnednnMatmul::enumerate(FusionOp fusion, const DeviceProfile &profile) const {
  auto shape = FusionShape::get(fusion, nullptr);
  const GemmShape &gemm = *shape->gemm;
  double flops = 2.0 * gemm.batchCount() * gemm.m * gemm.n * gemm.k;
  double bytes = 0;
  for (Type type : llvm::concat<const Type>(fusion.getInputs().getTypes(),
                                            fusion.getResultTypes())) {
    bytes += kernel::getBytes(cast<RankedTensorType>(type));
  }
  bool isBf16 = gemm.lhsType.isBF16();
  double peak = profile.peakGflops * profile.threads;
  if (isBf16) {
    peak *= profile.has("avx512bf16") ? 2 : 0.5;
  }
  // Packed weights reach about 0.92 of the FMA peak; creating arguments and
  // entering the primitive costs about 2 us.
  double computeUs = peak > 0 ? flops / (0.92 * peak) * 1e-3 : 0;
  double memoryUs =
      profile.memoryGBs > 0 ? bytes / profile.memoryGBs * 1e-3 : 0;
  Implementation implementation;
  implementation.impl =
      kernel::ImplAttr::get(fusion.getContext(), name(),
                            DictionaryAttr::get(fusion.getContext(), {}));
  implementation.operandLayouts.assign(fusion.getInputs().size(),
                                       UnitAttr::get(fusion.getContext()));
  implementation.name = name().str();
  implementation.estimateUs = std::max(computeUs, memoryUs) + 2;
  return {implementation};
}

std::string OnednnMatmul::opsThatLoseNan(FusionOp fusion) const {
  auto shape = FusionShape::get(fusion, nullptr);
  SmallVector<PostOp> postOps;
  if (failed(shape) || rejectShape(*shape, fuses_, postOps)) {
    return {};
  }
  llvm::SmallSetVector<StringRef, 4> lost;
  for (const PostOp &postOp : postOps) {
    if (losesNan(postOp)) {
      lost.insert(postOp.kind);
    }
  }
  return llvm::join(lost, ", ");
}

/// A view of `operand` over the result's batch dimensions, then rows and
/// columns; a stride of 0 becomes an extent of 1.
static plan::TensorViewAttr
matrixView(Builder &b, int64_t operand, Type dtype, ArrayRef<int64_t> batch,
           ArrayRef<int64_t> batchStrides, int64_t rows, int64_t columns,
           int64_t rowStride, int64_t columnStride) {
  SmallVector<int64_t> dims, strides;
  for (auto [dim, stride] : llvm::zip_equal(batch, batchStrides)) {
    dims.push_back(stride == 0 ? 1 : dim);
    strides.push_back(stride == 0 ? rows * columns : stride);
  }
  dims.append({rows, columns});
  strides.append({rowStride, columnStride});
  return plan::TensorViewAttr::get(b.getContext(), operand, dtype,
                                   b.getDenseI64ArrayAttr(dims),
                                   b.getDenseI64ArrayAttr(strides));
}

LogicalResult OnednnMatmul::lower(FusionOp fusion,
                                  plan::PlanBuilder &plan) const {
  DictionaryAttr schedule = fusion.getImplAttr().getSchedule();
  if (schedule && !schedule.empty()) {
    return fusion.emitError(name())
           << " takes no schedule parameters, got " << schedule;
  }
  std::string reason;
  auto shape = FusionShape::get(fusion, &reason);
  SmallVector<PostOp> postOps;
  std::optional<std::string> rejected =
      failed(shape) ? reason : rejectShape(*shape, fuses_, postOps);
  if (rejected) {
    return fusion.emitError(name()) << " cannot implement this: " << *rejected;
  }
  const GemmShape &gemm = *shape->gemm;
  OpBuilder &b = plan.builder();
  auto outer = [&](Value argument) {
    return fusion.getInputs()[cast<BlockArgument>(argument).getArgNumber()];
  };
  SmallVector<Value> tensors = {outer(gemm.lhs), outer(gemm.rhs)};
  auto lhs = matrixView(b, 0, gemm.lhsType, gemm.batch, gemm.lhsBatchStrides,
                        gemm.m, gemm.k, gemm.lhsStrideM, gemm.lhsStrideK);
  auto rhs = matrixView(b, 1, gemm.rhsType, gemm.batch, gemm.rhsBatchStrides,
                        gemm.k, gemm.n, gemm.rhsStrideK, gemm.rhsStrideN);
  plan::TensorViewAttr bias;
  ResultView view = ResultView::get(gemm);
  if (gemm.bias) {
    // Linear alone has one, and no batch.
    bias = plan::TensorViewAttr::get(b.getContext(), 2,
                                     getElementTypeOrSelf(gemm.bias.getType()),
                                     b.getDenseI64ArrayAttr({1, gemm.n}),
                                     b.getDenseI64ArrayAttr({gemm.n, 1}));
    tensors.push_back(outer(gemm.bias));
  }
  SmallVector<Attribute> postOpAttrs =
      getPostOpAttrs(b.getContext(), postOps, int64_t(tensors.size()));
  for (const PostOp &postOp : postOps) {
    if (postOp.operand) {
      tensors.push_back(outer(postOp.operand));
    }
  }
  auto result = plan::TensorViewAttr::get(
      b.getContext(), int64_t(tensors.size()), resultElement(*shape),
      b.getDenseI64ArrayAttr(view.dims), b.getDenseI64ArrayAttr(view.strides));

  SmallVector<Value> addresses;
  SmallVector<Attribute> access;
  for (Value tensor : tensors) {
    addresses.push_back(plan.addressOf(tensor));
    access.push_back(plan::AccessAttr::get(b.getContext(), plan::Access::Read));
  }
  addresses.push_back(plan.addressOf(fusion.getResult(0)));
  access.push_back(plan::AccessAttr::get(b.getContext(), plan::Access::Write));

  bool packRhs = bool(tensors[1].getDefiningOp<graph::ConstantOp>());
  auto descriptor =
      plan::OnednnMatmulAttr::get(b.getContext(), lhs, rhs, bias, result,
                                  b.getArrayAttr(postOpAttrs), packRhs);
  std::string version = llvm::formatv("{0}.{1}.{2}", DNNL_VERSION_MAJOR,
                                      DNNL_VERSION_MINOR, DNNL_VERSION_PATCH)
                            .str();
  std::string label = name().str();
  for (Operation *op : fusion.getBodyOps()) {
    label += (" " + op->getName().stripDialect()).str();
  }
  plan::CallOp::create(b, fusion.getLoc(), descriptor, addresses,
                       b.getArrayAttr(access), /*scratch=*/Value(),
                       b.getI64IntegerAttr(0), b.getStringAttr(version),
                       b.getStringAttr(label), /*depends=*/nullptr);
  return success();
}

} // namespace minic::cpu
