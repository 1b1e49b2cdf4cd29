// SPDX-License-Identifier: Apache-2.0
//
// Control: blocks of the grid, regions, and who of the threads takes part.

#include "test/unit/compiler/target/cuda/SimtInterpreter.h"

#include "test/unit/compiler/target/cuda/SimtBlock.h"

namespace minic::cuda {

void SimtBlock::fail(Operation *op, const std::string &why) {
  if (error.empty()) {
    llvm::raw_string_ostream os(error);
    os << why << " in: ";
    op->print(os, OpPrintingFlags().skipRegions());
  }
}

void SimtBlock::run(LLVM::LLVMFuncOp function, int64_t block, int64_t blockY,
                    const std::vector<GlobalRange> &parameters,
                    const std::vector<SimtTensorMap> &tensorMaps) {
  block_ = block;
  blockY_ = blockY;
  for (auto [argument, range] :
       llvm::zip(function.getArguments(), parameters)) {
    define(argument, uint64_t(reinterpret_cast<uintptr_t>(range.data)));
  }
  for (auto [i, map] : llvm::enumerate(tensorMaps)) {
    define(function.getArgument(unsigned(parameters.size() + i)),
           uint64_t(reinterpret_cast<uintptr_t>(&map)));
  }
  runBlock(function.getBody().front());
}

void SimtBlock::runBlock(Block &block) {
  for (Operation &op : block) {
    if (!error.empty()) {
      return;
    }
    runOp(&op);
  }
}

int64_t SimtBlock::uniform(Operation *op, Value value) {
  const Register &reg = get(value);
  std::optional<uint64_t> found;
  for (int64_t t = 0; t != threads_; ++t) {
    if (active_[size_t(t)]) {
      if (found && *found != reg.bits[size_t(t)]) {
        fail(op, "divergent loop bounds");
      }
      found = reg.bits[size_t(t)];
    }
  }
  uint64_t bits = found.value_or(0);
  return bitsOf(value.getType()) == 32 ? int64_t(int32_t(bits)) : int64_t(bits);
}

void SimtBlock::merge(Register &to, const Register &from) {
  to.width = from.width;
  to.bits.resize(from.bits.size());
  for (int64_t t = 0; t != threads_; ++t) {
    for (int64_t e = 0; active_[size_t(t)] && e != from.width; ++e) {
      auto at = size_t(t * from.width + e);
      to.bits[at] = from.bits[at];
    }
  }
}

void SimtBlock::runFor(scf::ForOp loop) {
  std::vector<char> before = active_;
  std::vector<int64_t> next(static_cast<size_t>(threads_)), upper = next,
                                                            step = next;
  for (int64_t t = 0; t != threads_; ++t) {
    next[size_t(t)] = integerOf(loop.getLowerBound(), t);
    upper[size_t(t)] = integerOf(loop.getUpperBound(), t);
    step[size_t(t)] = integerOf(loop.getStep(), t);
  }
  SmallVector<Register> carried;
  for (Value value : loop.getInitArgs()) {
    carried.push_back(get(value));
  }
  Operation *yield = loop.getBody()->getTerminator();
  while (error.empty()) {
    bool any = false;
    Register &number = define(loop.getInductionVar());
    for (int64_t t = 0; t != threads_; ++t) {
      auto at = size_t(t);
      active_[at] = before[at] && next[at] < upper[at];
      any |= active_[at] != 0;
      number.bits[at] = uint64_t(next[at]);
      next[at] += step[at];
    }
    if (!any) {
      break;
    }
    for (auto [argument, reg] :
         llvm::zip_equal(loop.getRegionIterArgs(), carried)) {
      registers_[argument] = reg;
    }
    runBlock(*loop.getBody());
    if (!error.empty()) {
      return;
    }
    for (auto [reg, value] : llvm::zip_equal(carried, yield->getOperands())) {
      merge(reg, get(value));
    }
  }
  active_ = before;
  for (auto [result, reg] : llvm::zip_equal(loop.getResults(), carried)) {
    registers_[result] = std::move(reg);
  }
}

void SimtBlock::runIf(scf::IfOp branch) {
  std::vector<char> before = active_;
  const Register condition = get(branch.getCondition());
  SmallVector<Register> results(branch.getNumResults());
  for (auto [reg, value] : llvm::zip_equal(results, branch.getResults())) {
    reg = define(value);
  }
  auto runSide = [&](Region &side, bool taken) {
    bool any = false;
    for (int64_t t = 0; t != threads_; ++t) {
      auto at = size_t(t);
      active_[at] = before[at] && (condition.bits[at] != 0) == taken;
      any |= active_[at] != 0;
    }
    if (!any || side.empty()) {
      return;
    }
    runBlock(side.front());
    if (!error.empty()) {
      return;
    }
    for (auto [reg, value] : llvm::zip_equal(
             results, side.front().getTerminator()->getOperands())) {
      merge(reg, get(value));
    }
  };
  runSide(branch.getThenRegion(), true);
  runSide(branch.getElseRegion(), false);
  active_ = before;
  for (auto [reg, value] : llvm::zip_equal(results, branch.getResults())) {
    registers_[value] = std::move(reg);
  }
}

void SimtBlock::runWhile(scf::WhileOp loop) {
  if (loop.getNumOperands() != 0 || loop.getNumResults() != 0) {
    return fail(loop, "a loop that carries values");
  }
  std::vector<char> before = active_;
  while (error.empty()) {
    runBlock(loop.getBefore().front());
    if (!error.empty()) {
      return;
    }
    auto condition =
        cast<scf::ConditionOp>(loop.getBefore().front().getTerminator());
    const Register &goesOn = get(condition.getCondition());
    for (size_t t = 0; t != active_.size(); ++t) {
      active_[t] = active_[t] && goesOn.bits[t] != 0;
    }
    if (llvm::none_of(active_, [](char each) { return each != 0; })) {
      break;
    }
    runBlock(loop.getAfter().front());
  }
  active_ = before;
}

bool SimtBlock::isWarpActive(Operation *op, int64_t first) {
  int64_t active = 0;
  for (int64_t t = first; t != first + 32; ++t) {
    active += active_[size_t(t)];
  }
  if (active != 0 && active != 32) {
    fail(op, "a warp's instruction in divergent code");
  }
  return active == 32;
}

void SimtBlock::runOp(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    return runFor(loop);
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    return runIf(branch);
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    return runWhile(loop);
  }
  if (!runBulk(op) && !runArith(op) && !runWgmma(op) && !runMemory(op) &&
      !runValues(op) && !runNvvm(op)) {
    fail(op, "unknown op");
  }
}

static bool hasMBarrier(LLVM::LLVMFuncOp function) {
  return function
      .walk([](NVVM::MBarrierInitOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Runs each warp group of a cluster by itself.
static std::string runStrands(LLVM::LLVMFuncOp function, int64_t block,
                              int64_t blockY, int64_t threads, int64_t blocks,
                              const std::vector<GlobalRange> &parameters,
                              const std::vector<SimtTensorMap> &tensorMaps,
                              SimtOrder order, SimtMemory &memory) {
  SimtStrands strands(order, uint64_t(block));
  SimtBarriers barriers(memory, threads, blocks);
  std::vector<std::unique_ptr<SimtBlock>> parts;
  for (int64_t of = 0; of != blocks; ++of) {
    for (int64_t first = 0; first < threads; first += 128) {
      parts.push_back(std::make_unique<SimtBlock>(
          of * threads + first, std::min<int64_t>(128, threads - first),
          threads, blocks, memory, strands, parts.size(), barriers));
    }
  }
  std::string why = strands.run(parts.size(), [&](size_t i) {
    parts[i]->run(function, block, blockY, parameters, tensorMaps);
    return parts[i]->error;
  });
  return why.empty() ? barriers.checkEnd() : why;
}

std::string interpret(ModuleOp device, StringRef entry, int64_t blocks,
                      int64_t threads, int64_t sharedBytes,
                      const std::vector<GlobalRange> &parameters,
                      int64_t blocksY, int64_t clusterBlocks,
                      const std::vector<SimtTensorMap> &tensorMaps,
                      SimtOrder order) {
  auto function = device.lookupSymbol<LLVM::LLVMFuncOp>(entry);
  if (!function ||
      function.getNumArguments() != parameters.size() + tensorMaps.size()) {
    return "no such kernel";
  }
  if (blocks % clusterBlocks != 0) {
    return "no whole number of clusters";
  }
  // Blocks of a cluster take ways of their own, and so do specialized warps.
  bool areApart = clusterBlocks > 1 || hasMBarrier(function);
  for (int64_t number = 0; number != blocks * blocksY;
       number += clusterBlocks) {
    int64_t block = number % blocks;
    SimtMemory memory(threads, sharedBytes, clusterBlocks, parameters);
    std::string why;
    if (areApart) {
      why = runStrands(function, block, number / blocks, threads, clusterBlocks,
                       parameters, tensorMaps, order, memory);
    } else {
      SimtBlock threadBlock(threads * clusterBlocks, clusterBlocks, memory);
      threadBlock.run(function, block, number / blocks, parameters, tensorMaps);
      why = threadBlock.error;
    }
    if (why.empty()) {
      why = memory.checkEnd();
    }
    if (!why.empty()) {
      return "block " + std::to_string(block) + ": " + why;
    }
  }
  return "";
}

} // namespace minic::cuda
