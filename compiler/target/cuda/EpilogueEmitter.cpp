// SPDX-License-Identifier: Apache-2.0
//
// The bias is one more broadcast operand. Columns that take turns are adjacent
// lanes.

#include "compiler/target/cuda/EpilogueEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
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

/// The same for every row.
static bool isOfColumns(const kernel::FusionShape &shape, Value input) {
  auto type = cast<RankedTensorType>(input.getType());
  auto map = kernel::BroadcastMap::get(type.getShape(), shape.space);
  return llvm::all_of(ArrayRef(map.strides).drop_back(),
                      [](int64_t stride) { return stride == 0; });
}

static Value biasOf(const kernel::FusionShape &shape) {
  return shape.gemm   ? shape.gemm->bias
         : shape.conv ? shape.conv->bias
                      : Value();
}

/// The shape of the anchor's result.
static SmallVector<int64_t> spaceOfSums(const kernel::FusionShape &shape) {
  SmallVector<int64_t> space = shape.space;
  if (!space.empty()) {
    space.back() *= shape.sumsPerResult();
  }
  return space;
}

EpilogueEmitter::EpilogueEmitter(CudaKernelBuilder &k,
                                 const kernel::FusionShape &shape,
                                 ArrayRef<Value> operands,
                                 ArrayRef<Value> results)
    : k_(k), shape_(shape), results_(results), body_(k, shape.space, operands),
      ofSums_(k, spaceOfSums(shape), operands) {
  if (hasBiasOfChannels(shape)) {
    body_.readAs(bias(), {shape.conv->geometry.outputChannels, 1, 1});
  }
}

Value EpilogueEmitter::bias() const { return biasOf(shape_); }

SpacePosition EpilogueEmitter::ofResults(const SpacePosition &position) const {
  int64_t sums = shape_.sumsPerResult();
  return sums == 1 ? position
                   : SpacePosition{position.row, k_.div(position.column, sums),
                                   position.lanes / sums};
}

void EpilogueEmitter::prefetch(const SpacePosition &position) {
  load(position, [](Value) { return true; });
}

void EpilogueEmitter::prefetchRows(const SpacePosition &position) {
  load(position, [&](Value input) {
    return input == bias() ? hasBiasOfChannels(shape_)
                           : !isOfColumns(shape_, input);
  });
}

void EpilogueEmitter::load(const SpacePosition &position,
                           llvm::function_ref<bool(Value)> wanted) {
  body_.moveTo(ofResults(position));
  auto load = [](BodyEvaluator &body, Value input) {
    auto argument = dyn_cast<BlockArgument>(input);
    argument ? body.fetch(argument) : void(body.get(input));
  };
  if (hasTurns()) {
    ofSums_.moveTo(position);
  }
  if (bias() && wanted(bias())) {
    load(hasTurns() ? ofSums_ : body_, bias());
  }
  for (Value input : shape_.epilogueInputs) {
    if (wanted(input)) {
      load(body_, input);
    }
  }
}

void EpilogueEmitter::setSums(Value anchor) {
  if (bias()) {
    Value added = (hasTurns() ? ofSums_ : body_).get(bias());
    anchor = arith::AddFOp::create(k_.b, k_.loc, anchor, added);
  }
  if (!hasTurns()) {
    return body_.set(shape_.anchor->getResult(0), anchor);
  }
  auto lanes = cast<VectorType>(anchor.getType()).getNumElements();
  for (auto [turn, sum] : llvm::enumerate(shape_.turns)) {
    SmallVector<Value> own;
    for (int64_t lane = int64_t(turn); lane < lanes; lane += 2) {
      own.push_back(vector::ExtractOp::create(k_.b, k_.loc, anchor, lane));
    }
    body_.set(sum,
              own.size() == 1
                  ? own.front()
                  : Value(vector::FromElementsOp::create(
                        k_.b, k_.loc,
                        VectorType::get(lanes / 2, k_.b.getF32Type()), own)));
  }
}

SmallVector<Value> EpilogueEmitter::compute(Value anchor) {
  if (shape_.anchor) {
    setSums(anchor);
  }
  return llvm::map_to_vector(shape_.results,
                             [&](Value result) { return body_.get(result); });
}

void EpilogueEmitter::finish(Value anchor) {
  SmallVector<Value> values = compute(anchor);
  for (auto [result, value, base] :
       llvm::zip_equal(shape_.results, values, results_)) {
    body_.store(value, base, getElementTypeOrSelf(result.getType()), policy_);
  }
}

void EpilogueEmitter::storeRounded(const SpacePosition &position,
                                   Value rounded) {
  body_.moveTo(ofResults(position));
  body_.store(rounded, results_[0], getElementTypeOrSelf(rounded.getType()),
              policy_);
}

EpilogueEmitter::Registers
EpilogueEmitter::inputRegisters(const kernel::FusionShape &shape,
                                int64_t lanes) {
  Registers made;
  auto add = [&](bool isOfColumns, Value input, int64_t elements) {
    int64_t bits = getElementTypeOrSelf(input).getIntOrFloatBitWidth();
    (isOfColumns ? made.ofColumns : made.ofRows) +=
        int64_t(llvm::divideCeil(elements * bits, 32));
  };
  if (Value bias = biasOf(shape)) {
    add(!hasBiasOfChannels(shape), bias, lanes);
  }
  for (Value input : shape.epilogueInputs) {
    add(isOfColumns(shape, input), input, lanes / shape.sumsPerResult());
  }
  return made;
}

int64_t EpilogueEmitter::inputRegisters(int64_t lanes) const {
  Registers made = inputRegisters(shape_, lanes);
  return made.ofRows + made.ofColumns;
}

int64_t EpilogueEmitter::lanesFor(const kernel::FusionShape &shape,
                                  int64_t most) {
  int64_t sums = shape.sumsPerResult();
  return sums * BodyEvaluator::lanesFor(shape.space, most / sums);
}

bool EpilogueEmitter::readsColumnsAlone(const kernel::FusionShape &shape) {
  return !hasBiasOfChannels(shape) &&
         llvm::all_of(shape.epilogueInputs,
                      [&](Value input) { return isOfColumns(shape, input); });
}

int64_t EpilogueEmitter::instructionCount(const kernel::FusionShape &shape) {
  return int64_t(shape.epilogueInputs.size() + shape.results.size()) +
         BodyEvaluator::instructionCount(shape.epilogue);
}

} // namespace minic::cuda
