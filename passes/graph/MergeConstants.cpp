// SPDX-License-Identifier: Apache-2.0
//
// graph-merge-constants: vectors with the same bytes become one, so that a
// model whose exporter stores a zero bias once is the same as one whose
// exporter stores it for each layer. Matrices are left alone: trained ones are
// not alike, and a benchmark whose weights are zeros should multiply with each.

#include "passes/graph/Passes.h"

#include "dialects/graph/ConstantBytes.h"
#include "dialects/graph/Graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/xxhash.h"

#include <map>

namespace minic::graph {
#define GEN_PASS_DEF_MERGECONSTANTS
#include "passes/graph/Passes.h.inc"
} // namespace minic::graph

using namespace mlir;
using namespace minic;

/// The bytes of a vector that is a resource; fails for anything else. MLIR
/// knows which constants of other kinds are equal.
static FailureOr<graph::ConstantBytes> bytesOf(graph::ConstantOp op) {
  auto value = dyn_cast_or_null<DenseResourceElementsAttr>(op.getValueAttr());
  bool isVector =
      value && llvm::count_if(value.getType().getShape(),
                              [](int64_t d) { return d != 1; }) <= 1;
  return isVector ? graph::ConstantBytes::getUnaligned(value)
                  : FailureOr<graph::ConstantBytes>(failure());
}

static uint64_t hashOf(ArrayRef<char> bytes) {
  return llvm::xxh3_64bits(
      ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
}

namespace {

struct MergeConstants : graph::impl::MergeConstantsBase<MergeConstants> {
  void runOnOperation() override {
    for (Block &block : getOperation().getBody()) {
      mergeIn(block);
    }
  }

private:
  void mergeIn(Block &block) {
    /// By type and hash.
    using Key = std::pair<const void *, uint64_t>;
    std::map<Key, std::pair<graph::ConstantOp, graph::ConstantBytes>> firsts;
    for (auto op :
         llvm::make_early_inc_range(block.getOps<graph::ConstantOp>())) {
      FailureOr<graph::ConstantBytes> value = bytesOf(op);
      if (failed(value)) {
        continue;
      }
      Key key = {op.getType().getAsOpaquePointer(), hashOf(value->bytes())};
      auto [it, isNew] = firsts.try_emplace(key, op, *value);
      auto &[first, firstValue] = it->second;
      if (!isNew && firstValue.bytes() == value->bytes()) {
        op->replaceAllUsesWith(first);
        op->erase();
        ++merged;
      }
    }
  }
};

} // namespace
