// SPDX-License-Identifier: Apache-2.0
//
// Halves a vector until two lanes are left: a shuffle for each value of the
// state, not an extract per lane.

#include "compiler/target/cpu/rows/LaneReduction.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace minic::cpu {

ReductionState mergeStates(KernelBuilder &k, graph::ReductionOpInterface op,
                           SmallVector<ReductionState> states) {
  while (states.size() > 1) {
    SmallVector<ReductionState> merged;
    for (size_t i = 0; i + 1 < states.size(); i += 2) {
      merged.push_back(op.emitMerge(k.b, states[i], states[i + 1]));
    }
    if (states.size() % 2 == 1) {
      merged.push_back(states.back());
    }
    states = std::move(merged);
  }
  return states.front();
}

static ReductionState lanesFrom(KernelBuilder &k, const ReductionState &state,
                                int64_t first, int64_t count) {
  auto taken = llvm::to_vector(llvm::seq<int64_t>(first, first + count));
  ReductionState lanes;
  for (Value value : state) {
    lanes.push_back(vector::ShuffleOp::create(k.b, k.loc, value, value, taken));
  }
  return lanes;
}

static ReductionState lane(KernelBuilder &k, const ReductionState &state,
                           int64_t number) {
  ReductionState lane;
  for (Value value : state) {
    lane.push_back(vector::ExtractOp::create(k.b, k.loc, value, number));
  }
  return lane;
}

ReductionState mergeLanes(KernelBuilder &k, graph::ReductionOpInterface op,
                          ReductionState state) {
  int64_t lanes = cast<VectorType>(state[0].getType()).getNumElements();
  for (int64_t half = lanes / 2; half > 1; half /= 2) {
    state = op.emitMerge(k.b, lanesFrom(k, state, 0, half),
                         lanesFrom(k, state, half, half));
  }
  return op.emitMerge(k.b, lane(k, state, 0), lane(k, state, 1));
}

} // namespace minic::cpu
