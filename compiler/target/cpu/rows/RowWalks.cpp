// SPDX-License-Identifier: Apache-2.0
//
// From what ends in a walk back to what it needs; then what is worth keeping.

#include "compiler/target/cpu/rows/RowWalks.h"

#include "compiler/target/codegen/KernelBuilder.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::cpu {

/// To keep a value is a store and a load; they may miss the first cache.
static constexpr int64_t kWorthKeeping = 6;

bool isPerRow(const RowFusion &rows, const RowFusion::Result &result) {
  return llvm::all_of(ArrayRef(result.strides).drop_front(rows.rowLoops),
                      [](int64_t stride) { return stride == 0; });
}

/// Of a vector of one node, its operands apart.
static int64_t instructionsOf(const RowFusion &rows,
                              const RowFusion::Node &node) {
  if (!node.op) {
    const RowFusion::Read &read = rows.reads[node.read];
    bool isNarrow = read.storage.getIntOrFloatBitWidth() < 32;
    return read.strides.back() > 1 ? 24 : 1 + isNarrow;
  }
  auto cost = cast<graph::FusibleOpInterface>(node.op).getScalarCost();
  return cost == graph::ScalarCost::Transcendental ? 40
         : cost == graph::ScalarCost::Simple       ? 2
                                                   : 4;
}

/// Sets `walk`'s nodes from its reductions and results. `known` are there
/// already.
static void collect(const RowFusion &rows, const llvm::BitVector &known,
                    RowWalk &walk) {
  llvm::BitVector needed(unsigned(rows.nodes.size()));
  for (size_t reduction : walk.reductions) {
    for (size_t operand : rows.nodes[reduction].operands) {
      needed.set(unsigned(operand));
    }
  }
  for (size_t result : walk.results) {
    needed.set(unsigned(rows.results[result].node));
  }
  for (size_t i = rows.nodes.size(); i-- > 0;) {
    const RowFusion::Node &node = rows.nodes[i];
    if (!needed[unsigned(i)] || node.isPerRow) {
      continue;
    }
    if (known[unsigned(i)]) {
      walk.reloaded.push_back(i);
      continue;
    }
    walk.computed.push_back(i);
    for (size_t operand : node.operands) {
      needed.set(unsigned(operand));
    }
  }
  std::reverse(walk.computed.begin(), walk.computed.end());
}

/// The walks without anything kept.
static std::vector<RowWalk> walksOf(const RowFusion &rows) {
  std::vector<RowWalk> walks;
  auto at = [&](int64_t number) -> RowWalk & {
    walks.resize(std::max(walks.size(), size_t(number + 1)));
    return walks[number];
  };
  for (auto [i, node] : llvm::enumerate(rows.nodes)) {
    if (rows.isReduction(node)) {
      at(node.pass - 1).reductions.push_back(i);
    }
  }
  for (auto [i, result] : llvm::enumerate(rows.results)) {
    if (!isPerRow(rows, result)) {
      at(rows.nodes[result.node].pass).results.push_back(i);
    }
  }
  llvm::BitVector none(unsigned(rows.nodes.size()));
  for (RowWalk &walk : walks) {
    collect(rows, none, walk);
  }
  return walks;
}

/// Instructions that give node `i` from memory.
static int64_t costOf(const RowFusion &rows, size_t i) {
  llvm::BitVector needed(unsigned(rows.nodes.size()));
  needed.set(unsigned(i));
  int64_t cost = 0;
  for (size_t n = i + 1; n-- > 0;) {
    const RowFusion::Node &node = rows.nodes[n];
    if (needed[unsigned(n)] && !node.isPerRow) {
      cost += instructionsOf(rows, node);
      for (size_t operand : node.operands) {
        needed.set(unsigned(operand));
      }
    }
  }
  return cost;
}

static bool isF32(const RowFusion &rows, const RowFusion::Node &node) {
  Type type = node.op ? getElementTypeOrSelf(node.op->getResult(0).getType())
                      : rows.reads[node.read].storage;
  return isa<FloatType>(type);
}

/// Nodes of an earlier walk that `walk` needs for something new.
static void addKept(const RowFusion &rows, const RowWalk &walk,
                    const llvm::BitVector &earlier,
                    SmallVectorImpl<size_t> &kept) {
  auto consider = [&](size_t i) {
    const RowFusion::Node &node = rows.nodes[i];
    if (earlier[unsigned(i)] && isF32(rows, node) &&
        costOf(rows, i) >= kWorthKeeping && !llvm::is_contained(kept, i)) {
      kept.push_back(i);
    }
  };
  for (size_t result : walk.results) {
    consider(rows.results[result].node);
  }
  auto considerOperands = [&](size_t user) {
    llvm::for_each(rows.nodes[user].operands, consider);
  };
  llvm::for_each(walk.reductions, considerOperands);
  for (size_t i : walk.computed) {
    if (!earlier[unsigned(i)]) {
      considerOperands(i);
    }
  }
}

RowWalks RowWalks::get(const RowFusion &rows, bool keeps) {
  RowWalks result;
  result.walks = walksOf(rows);
  if (!keeps) {
    return result;
  }
  llvm::BitVector earlier(unsigned(rows.nodes.size()));
  for (const RowWalk &walk : result.walks) {
    addKept(rows, walk, earlier, result.kept);
    for (size_t i : walk.computed) {
      earlier.set(unsigned(i));
    }
  }
  llvm::BitVector known(unsigned(rows.nodes.size()));
  for (RowWalk &walk : result.walks) {
    walk.computed.clear();
    collect(rows, known, walk);
    for (size_t i : walk.computed) {
      if (result.isKept(i)) {
        known.set(unsigned(i));
      }
    }
  }
  return result;
}

int64_t RowWalks::instructionCount(const RowFusion &rows) const {
  int64_t count = 0;
  for (const RowWalk &walk : walks) {
    for (size_t i : walk.computed) {
      count += instructionsOf(rows, rows.nodes[i]) + isKept(i);
    }
    count += int64_t(walk.reloaded.size());
    for (size_t i : walk.reductions) {
      count += instructionsOf(rows, rows.nodes[i]);
    }
    for (size_t i : walk.results) {
      count += rows.results[i].strides.back() == 1 ? 2 : 24;
    }
  }
  return count;
}

} // namespace minic::cpu
