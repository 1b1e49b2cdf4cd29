// SPDX-License-Identifier: Apache-2.0
//
// kernel-prepare-weights: a relayout of a constant becomes part of the
// constant's type. Nothing is packed here: the bytes stay where they are (often
// a mapped file) until the artifact is written. Relayouts of anything else are
// left to run time.

#include "passes/kernel/Passes.h"

#include "dialects/kernel/Kernel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "kernel-prepare-weights"

namespace minic::kernel {
#define GEN_PASS_DEF_PREPAREWEIGHTS
#include "passes/kernel/Passes.h.inc"
} // namespace minic::kernel

using namespace mlir;
using namespace minic;
using namespace minic::kernel;

namespace {

struct PrepareWeights : kernel::impl::PrepareWeightsBase<PrepareWeights> {
  void runOnOperation() override {
    llvm::DenseMap<std::pair<Operation *, Type>, Value> prepared;
    SmallVector<Operation *> originals;
    getOperation().walk([&](RelayoutOp relayout) {
      auto constant = relayout.getInput().getDefiningOp<graph::ConstantOp>();
      if (!constant) {
        LDBG() << "left to run time: " << relayout;
        return;
      }
      Value &packed = prepared[{constant, relayout.getType()}];
      if (!packed) {
        packed = pack(constant, relayout.getType());
        originals.push_back(constant);
      }
      relayout.replaceAllUsesWith(packed);
      relayout.erase();
    });
    for (Operation *original : originals) {
      // One constant may have been packed twice; erase it once.
      if (erased.insert(original).second && original->use_empty()) {
        original->erase();
      }
    }
    erased.clear();
  }

private:
  Value pack(graph::ConstantOp constant, Type type) {
    OpBuilder builder(constant);
    auto packed = cast<graph::ConstantOp>(builder.clone(*constant));
    packed.getResult().setType(cast<RankedTensorType>(type));
    packedBytes += getBytes(cast<RankedTensorType>(type));
    denseBytes += getBytes(cast<RankedTensorType>(constant.getType()));
    LDBG() << "packed " << constant.getSourceAttr() << " as " << type;
    return packed;
  }

  llvm::SmallPtrSet<Operation *, 8> erased;
};

} // namespace
