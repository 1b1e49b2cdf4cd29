// SPDX-License-Identifier: Apache-2.0
//
// The bias is one more broadcast operand.

#include "compiler/target/cuda/EpilogueEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::cuda {

/// Of NCHW, where rows of the space are lines of a channel: it is read as if it
/// had the shape [K, 1, 1].
static bool hasBiasOfChannels(const kernel::FusionShape &shape) {
  return isa_and_present<graph::Conv2dOp>(shape.anchor) && shape.conv->bias &&
         shape.conv->geometry.layout == graph::ImageLayout::NCHW;
}

EpilogueEmitter::EpilogueEmitter(CudaKernelBuilder &k,
                                 const kernel::FusionShape &shape,
                                 ArrayRef<Value> operands,
                                 ArrayRef<Value> results)
    : k_(k), shape_(shape), results_(results), body_(k, shape.space, operands) {
  if (hasBiasOfChannels(shape)) {
    body_.readAs(bias(), {shape.conv->geometry.outputChannels, 1, 1});
  }
}

Value EpilogueEmitter::bias() const {
  return shape_.gemm   ? shape_.gemm->bias
         : shape_.conv ? shape_.conv->bias
                       : Value();
}

void EpilogueEmitter::prefetch(const SpacePosition &position) {
  body_.moveTo(position);
  auto load = [&](Value input) {
    auto argument = dyn_cast<BlockArgument>(input);
    argument ? body_.fetch(argument) : void(body_.get(input));
  };
  if (bias()) {
    load(bias());
  }
  llvm::for_each(shape_.epilogueInputs, load);
}

SmallVector<Value> EpilogueEmitter::compute(Value anchor) {
  if (shape_.anchor) {
    if (bias()) {
      anchor = arith::AddFOp::create(k_.b, k_.loc, anchor, body_.get(bias()));
    }
    body_.set(shape_.anchor->getResult(0), anchor);
  }
  return llvm::map_to_vector(shape_.results,
                             [&](Value result) { return body_.get(result); });
}

void EpilogueEmitter::finish(Value anchor) {
  SmallVector<Value> values = compute(anchor);
  for (auto [result, value, base] :
       llvm::zip_equal(shape_.results, values, results_)) {
    body_.store(value, base, getElementTypeOrSelf(result.getType()));
  }
}

void EpilogueEmitter::storeRounded(const SpacePosition &position,
                                   Value rounded) {
  body_.moveTo(position);
  body_.store(rounded, results_[0], getElementTypeOrSelf(rounded.getType()));
}

int64_t EpilogueEmitter::inputRegisters(int64_t lanes) const {
  int64_t count = 0;
  auto add = [&](Value input) {
    int64_t bits = getElementTypeOrSelf(input).getIntOrFloatBitWidth();
    count += int64_t(llvm::divideCeil(lanes * bits, 32));
  };
  if (bias()) {
    add(bias());
  }
  llvm::for_each(shape_.epilogueInputs, add);
  return count;
}

int64_t EpilogueEmitter::lanesFor(const kernel::FusionShape &shape,
                                  int64_t most) {
  return BodyEvaluator::lanesFor(shape.space, most);
}

bool EpilogueEmitter::readsColumnsAlone(const kernel::FusionShape &shape) {
  return !hasBiasOfChannels(shape) &&
         llvm::all_of(shape.epilogueInputs, [&](Value input) {
           auto type = cast<RankedTensorType>(input.getType());
           auto map = kernel::BroadcastMap::get(type.getShape(), shape.space);
           return llvm::all_of(ArrayRef(map.strides).drop_back(),
                               [](int64_t stride) { return stride == 0; });
         });
}

int64_t EpilogueEmitter::instructionCount(const kernel::FusionShape &shape) {
  return int64_t(shape.epilogueInputs.size() + shape.results.size()) +
         BodyEvaluator::instructionCount(shape.epilogue);
}

} // namespace minic::cuda
