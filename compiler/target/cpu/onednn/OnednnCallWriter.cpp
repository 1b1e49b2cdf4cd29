// SPDX-License-Identifier: Apache-2.0
//
// plan.call of oneDNN, its operands and estimate.

#include "compiler/target/cpu/onednn/OnednnCallWriter.h"

#include "compiler/target/cpu/WeightBandwidth.h"

#include "oneapi/dnnl/dnnl_version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace minic::cpu {

using kernel::FusionOp;

int64_t OnednnCallWriter::read(Value argument) {
  tensors_.push_back(
      fusion_.getInputs()[cast<BlockArgument>(argument).getArgNumber()]);
  return int64_t(tensors_.size()) - 1;
}

ArrayAttr OnednnCallWriter::readPostOps(ArrayRef<PostOp> postOps) {
  SmallVector<Attribute> attrs =
      getPostOpAttrs(fusion_.getContext(), postOps, int64_t(tensors_.size()));
  for (const PostOp &postOp : postOps) {
    if (postOp.operand) {
      read(postOp.operand);
    }
  }
  return ArrayAttr::get(fusion_.getContext(), attrs);
}

plan::TensorViewAttr OnednnCallWriter::view(int64_t operand, Type dtype,
                                            ArrayRef<int64_t> dims,
                                            ArrayRef<int64_t> strides) {
  Builder b(fusion_.getContext());
  return plan::TensorViewAttr::get(b.getContext(), operand, dtype,
                                   b.getDenseI64ArrayAttr(dims),
                                   b.getDenseI64ArrayAttr(strides));
}

plan::TensorViewAttr OnednnCallWriter::resultView(const ResultView &result,
                                                  Type dtype) {
  return view(int64_t(tensors_.size()), dtype, result.dims, result.strides);
}

bool OnednnCallWriter::isConstant(int64_t operand) const {
  return bool(tensors_[operand].getDefiningOp<graph::ConstantOp>());
}

void OnednnCallWriter::write(Attribute descriptor, StringRef name) {
  OpBuilder &b = plan_.builder();
  SmallVector<Value> addresses;
  SmallVector<Attribute> access;
  for (Value tensor : tensors_) {
    addresses.push_back(plan_.addressOf(tensor));
    access.push_back(plan::AccessAttr::get(b.getContext(), plan::Access::Read));
  }
  addresses.push_back(plan_.addressOf(fusion_.getResult(0)));
  access.push_back(plan::AccessAttr::get(b.getContext(), plan::Access::Write));
  std::string version = llvm::formatv("{0}.{1}.{2}", DNNL_VERSION_MAJOR,
                                      DNNL_VERSION_MINOR, DNNL_VERSION_PATCH)
                            .str();
  std::string label = name.str();
  for (Operation *op : fusion_.getBodyOps()) {
    label += (" " + op->getName().stripDialect()).str();
  }
  plan::CallOp::create(b, fusion_.getLoc(), descriptor, addresses,
                       b.getArrayAttr(access), /*scratch=*/Value(),
                       b.getI64IntegerAttr(0), b.getStringAttr(version),
                       b.getStringAttr(label), /*depends=*/nullptr);
}

Implementation onednnImplementation(FusionOp fusion, StringRef name,
                                    double flops, bool isBf16,
                                    const DeviceProfile &profile) {
  double bytes = 0;
  for (Type type : llvm::concat<const Type>(fusion.getInputs().getTypes(),
                                            fusion.getResultTypes())) {
    bytes += kernel::getBytes(cast<RankedTensorType>(type));
  }
  double peak =
      profile.threads * (isBf16 ? profile.onednnGflops16 : profile.peakGflops);
  // Packed weights reach about 0.92 of the FMA peak, and 0.8 of the bandwidth
  // that a kernel of minic's has (1x4096x4096: 42 and 54 GB/s on Zen 5, 23 and
  // 30 on an Intel with AMX). Creating arguments and entering the primitive
  // costs about 2 us.
  double compute = peak > 0 ? flops / (0.92 * peak) * 1e-3 : 0;
  double bandwidth = 0.8 * weightBandwidthGBs(profile, bytes, profile.threads);
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
