// SPDX-License-Identifier: Apache-2.0
//
// plan.call of oneDNN, its operands and estimate.

#include "compiler/target/cpu/onednn/OnednnCallWriter.h"

#include "compiler/target/cpu/WeightBandwidth.h"

#include "oneapi/dnnl/dnnl_version.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace minic::cpu {

using kernel::FusionOp;

int64_t OnednnCallWriter::address(Value argument) {
  Value tensor = call_.outer(argument);
  return call_.address(call_.planBuilder().addressOf(tensor),
                       plan::Access::Read);
}

void OnednnCallWriter::read(StringRef role, Value argument, Type dtype,
                            ArrayRef<int64_t> dims, ArrayRef<int64_t> strides) {
  call_.operand(role, call_.view(address(argument), dtype, dims, strides));
}

void OnednnCallWriter::setPostOps(ArrayRef<PostOp> postOps) {
  Builder b(fusion_.getContext());
  for (const PostOp &postOp : postOps) {
    auto kind = b.getStringAttr(postOp.kind);
    if (!postOp.operand) {
      call_.postOp(plan::EltwiseAttr::get(b.getContext(), kind,
                                          b.getF32FloatAttr(postOp.alpha),
                                          b.getF32FloatAttr(postOp.beta)));
      continue;
    }
    auto view = call_.view(address(postOp.operand),
                           getElementTypeOrSelf(postOp.operand.getType()),
                           postOp.view.dims, postOp.view.strides);
    call_.postOp(plan::BinaryAttr::get(b.getContext(), kind, view));
  }
}

void OnednnCallWriter::result(const ResultView &result, Type dtype) {
  Value tensor = fusion_.getResult(0);
  int64_t address =
      call_.address(call_.planBuilder().addressOf(tensor), plan::Access::Write);
  call_.operand("result",
                call_.view(address, dtype, result.dims, result.strides));
}

void OnednnCallWriter::setPack(StringRef name, Value argument) {
  Value tensor = call_.outer(argument);
  call_.set(name, int64_t(bool(tensor.getDefiningOp<graph::ConstantOp>())));
}

void OnednnCallWriter::write(StringRef name) {
  call_.setVersion(llvm::formatv("{0}.{1}.{2}", DNNL_VERSION_MAJOR,
                                 DNNL_VERSION_MINOR, DNNL_VERSION_PATCH)
                       .str());
  call_.create(name);
}

Implementation onednnImplementation(FusionOp fusion, StringRef name,
                                    const OnednnWork &work,
                                    const DeviceProfile &profile) {
  double bytes = 0;
  for (Type type : llvm::concat<const Type>(fusion.getInputs().getTypes(),
                                            fusion.getResultTypes())) {
    bytes += kernel::getBytes(cast<RankedTensorType>(type));
  }
  double peak = profile.threads *
                (work.isBf16 ? profile.onednnGflops16 : profile.peakGflops);
  // Packed weights reach about 0.92 of the FMA peak, and 0.8 of the bandwidth
  // that a kernel of minic's has (1x4096x4096: 42 and 54 GB/s on Zen 5, 23 and
  // 30 on an Intel with AMX). Creating arguments and entering the primitive
  // costs about 2 us. The scores of 12 heads of 64 in f32, of 128, 197 and 512
  // keys: 0.85, 0.72 and 0.79 of the peak of one thread, 0.49, 0.51 and 0.76 of
  // that of two (Zen 4).
  double reached = (work.isBatched ? 0.7 : 0.92) * peak;
  double compute = reached > 0 ? work.flops / reached * 1e-3 : 0;
  double bandwidth =
      0.8 * weightBandwidthGBs(profile, bytes, profile.threads, bytes);
  double memory = bandwidth > 0 ? bytes / bandwidth * 1e-3 : 0;
  double microseconds =
      std::max(compute, memory) + 0.1 * std::min(compute, memory);
  Implementation implementation;
  implementation.impl = kernel::ImplAttr::get(
      fusion.getContext(), name, DictionaryAttr::get(fusion.getContext(), {}));
  implementation.operandLayouts.assign(fusion.getInputs().size(),
                                       UnitAttr::get(fusion.getContext()));
  implementation.name = name.str();
  implementation.estimateUs = microseconds + 2 + profile.joinUs;
  return implementation;
}

LogicalResult checkNoSchedule(FusionOp fusion, StringRef name) {
  DictionaryAttr schedule = fusion.getImplAttr().getSchedule();
  if (schedule && !schedule.empty()) {
    return fusion.emitError(name)
           << " takes no schedule parameters, got " << schedule;
  }
  return success();
}

std::string namesThatLoseNan(ArrayRef<PostOp> postOps) {
  llvm::SmallSetVector<StringRef, 4> lost;
  for (const PostOp &postOp : postOps) {
    if (losesNan(postOp)) {
      lost.insert(postOp.kind);
    }
  }
  return llvm::join(lost, ", ");
}

} // namespace minic::cpu
