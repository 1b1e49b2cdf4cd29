// SPDX-License-Identifier: Apache-2.0
//
// Matching, estimating and lowering of oneDNN matmuls.

#include "compiler/target/cpu/onednn/OnednnMatmul.h"

#include "compiler/target/cpu/onednn/OnednnCallWriter.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

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
  if (gemm.lhsType.isInteger()) {
    return "a product of integers";
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

std::optional<std::string>
OnednnMatmul::reject(FusionOp fusion, const DeviceProfile &profile) const {
  if (!profile.onednnProblem.empty()) {
    return profile.onednnProblem;
  }
  std::string reason;
  auto shape = FusionShape::get(fusion, &reason);
  if (failed(shape)) {
    return reason;
  }
  if (shape->gemm && shape->gemm->lhsType.isBF16() &&
      profile.onednnGflops16 == 0) {
    return noBf16.str();
  }
  SmallVector<PostOp> postOps;
  return rejectShape(*shape, fuses_, postOps);
}

std::vector<Implementation>
OnednnMatmul::enumerate(FusionOp fusion, const DeviceProfile &profile) const {
  auto shape = FusionShape::get(fusion, nullptr);
  const GemmShape &gemm = *shape->gemm;
  double flops = 2.0 * gemm.batchCount() * gemm.m * gemm.n * gemm.k;
  if (gemm.lhsType.isBF16() && profile.has("amx-bf16")) {
    // Sums leave tiles for memory once for all of K: 1173x1024x64 took 470 us
    // on one thread and 508 on two, 256x1024x1024 464 on one (oneDNN 2.6.3).
    constexpr double sumsDepth = 64;
    flops *= 1 + sumsDepth / double(std::max<int64_t>(gemm.k, 1));
  }
  bool isNarrow = gemm.lhsType.isF32() && !profile.has("avx512f");
  if (isNarrow) {
    // 362x384x64 with relu took 255 us on a thread of a Zen 3 and 141 on two,
    // for which its rate at long K is 190 and 95.
    constexpr double sumsDepth = 20;
    flops *= 1 + sumsDepth / double(std::max<int64_t>(gemm.k, 1));
  }
  OnednnWork work = {.flops = flops,
                     .isBf16 = gemm.lhsType.isBF16(),
                     .isBatched = gemm.batchCount() > 1};
  Implementation implementation =
      onednnImplementation(fusion, name(), work, profile);
  SmallVector<PostOp> postOps;
  (void)rejectShape(*shape, fuses_, postOps);
  bool hasActivation = llvm::any_of(postOps, [](const PostOp &postOp) {
    return !postOp.operand && postOp.kind != "relu";
  });
  if (isNarrow && hasActivation) {
    // 3136x384x96 with gelu took 5.0 ms there, generated 4.0.
    constexpr double activationNs = 0.8;
    implementation.estimateUs += activationNs * 1e-3 *
                                 double(llvm::product_of(shape->space)) /
                                 std::max(profile.threads, 1);
  }
  return {implementation};
}

std::string OnednnMatmul::opsThatLoseNan(FusionOp fusion) const {
  auto shape = FusionShape::get(fusion, nullptr);
  SmallVector<PostOp> postOps;
  if (failed(shape) || rejectShape(*shape, fuses_, postOps)) {
    return {};
  }
  return namesThatLoseNan(postOps);
}

/// `role` over the result's batch dimensions, then rows and columns; a stride
/// of 0 becomes an extent of 1.
static void readMatrix(OnednnCallWriter &call, StringRef role, Value argument,
                       Type dtype, ArrayRef<int64_t> batch,
                       ArrayRef<int64_t> batchStrides, int64_t rows,
                       int64_t columns, int64_t rowStride,
                       int64_t columnStride) {
  SmallVector<int64_t> dims, strides;
  for (auto [dim, stride] : llvm::zip_equal(batch, batchStrides)) {
    dims.push_back(stride == 0 ? 1 : dim);
    strides.push_back(stride == 0 ? rows * columns : stride);
  }
  dims.append({rows, columns});
  strides.append({rowStride, columnStride});
  call.read(role, argument, dtype, dims, strides);
}

LogicalResult OnednnMatmul::lower(FusionOp fusion,
                                  plan::PlanBuilder &plan) const {
  if (failed(checkNoSchedule(fusion, name()))) {
    return failure();
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
  OnednnCallWriter call(fusion, plan, "matmul");
  readMatrix(call, "lhs", gemm.lhs, gemm.lhsType, gemm.batch,
             gemm.lhsBatchStrides, gemm.m, gemm.k, gemm.lhsStrideM,
             gemm.lhsStrideK);
  readMatrix(call, "rhs", gemm.rhs, gemm.rhsType, gemm.batch,
             gemm.rhsBatchStrides, gemm.k, gemm.n, gemm.rhsStrideK,
             gemm.rhsStrideN);
  if (gemm.bias) {
    // Linear alone has one, and no batch.
    call.read("bias", gemm.bias, getElementTypeOrSelf(gemm.bias.getType()),
              {1, gemm.n}, {gemm.n, 1});
  }
  call.setPostOps(postOps);
  call.result(ResultView::get(*shape), resultElement(*shape));
  call.setPack("pack_rhs", gemm.rhs);
  call.write(name());
  return success();
}

} // namespace minic::cpu
