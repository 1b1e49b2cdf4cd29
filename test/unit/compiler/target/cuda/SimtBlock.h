// SPDX-License-Identifier: Apache-2.0
//
// SimtBlock: the threads of one block, of all blocks of a cluster, or of one
// warp group of theirs, while SimtInterpreter runs them: their registers, and
// who of them takes part. Ops are done for all threads at once; each kind of op
// has a file of its own.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTBLOCK_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTBLOCK_H

#include "test/unit/compiler/target/cuda/SimtBarriers.h"
#include "test/unit/compiler/target/cuda/SimtMemory.h"
#include "test/unit/compiler/target/cuda/SimtStrands.h"
#include "test/unit/compiler/target/cuda/SimtValues.h"
#include "test/unit/compiler/target/cuda/SimtWarpGroup.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

namespace minic::cuda {

using namespace mlir;

class SimtBlock {
public:
  /// `threads` of `blocks` blocks together.
  SimtBlock(int64_t threads, int64_t blocks, SimtMemory &memory)
      : threads_(threads), blockThreads_(threads / blocks), blocks_(blocks),
        memory_(memory), active_(size_t(threads), 1),
        warpGroups_(size_t((threads + 127) / 128)) {}
  /// The `threads` from number `first` on of those of `blocks` blocks of
  /// `blockThreads`. They run beside others as `strand` of `strands`, and meet
  /// them at `barriers`.
  SimtBlock(int64_t first, int64_t threads, int64_t blockThreads,
            int64_t blocks, SimtMemory &memory, SimtStrands &strands,
            size_t strand, SimtBarriers &barriers)
      : threads_(threads), blockThreads_(blockThreads), blocks_(blocks),
        first_(first), memory_(memory), strands_(&strands), strand_(strand),
        barriers_(&barriers), active_(size_t(threads), 1),
        warpGroups_(size_t((threads + 127) / 128)) {}

  std::string error;
  /// `block` is the first one's number.
  void run(LLVM::LLVMFuncOp function, int64_t block, int64_t blockY,
           const std::vector<GlobalRange> &parameters,
           const std::vector<SimtTensorMap> &tensorMaps);

private:
  void fail(Operation *op, const std::string &why);

  Register &define(Value value) {
    Register &reg = registers_[value];
    reg.width = widthOf(value.getType());
    reg.bits.resize(size_t(threads_ * reg.width));
    return reg;
  }
  void define(Value value, uint64_t uniform) {
    Register &reg = define(value);
    llvm::fill(reg.bits, uniform);
  }
  const Register &get(Value value) { return registers_[value]; }

  /// Bits of an integer of a thread, with its sign.
  int64_t integerOf(Value value, int64_t t) {
    return signedOf(get(value).bits[size_t(t)], bitsOf(value.getType()));
  }

  /// Calls `f`(operand bits...) for each element of each active thread.
  template <typename F> void each(Operation *op, F f) {
    Value result = op->getResult(0);
    SmallVector<const Register *> operands;
    Register made;
    made.width = widthOf(result.getType());
    made.bits.resize(size_t(threads_ * made.width));
    for (Value operand : op->getOperands()) {
      operands.push_back(&get(operand));
    }
    SmallVector<uint64_t> in(operands.size());
    for (int64_t t = 0; t != threads_; ++t) {
      if (!active_[size_t(t)]) {
        continue;
      }
      for (int64_t e = 0; e != made.width; ++e) {
        for (auto [i, operand] : llvm::enumerate(operands)) {
          in[i] = operand->bits[size_t(t * operand->width +
                                       (operand->width == 1 ? 0 : e))];
        }
        made.bits[size_t(t * made.width + e)] = f(ArrayRef<uint64_t>(in));
      }
    }
    registers_[result] = std::move(made);
  }

  /// Integers of the result's width.
  template <typename F> void integers(Operation *op, F f) {
    int64_t width = bitsOf(elementOf(op->getOperand(0).getType()));
    each(op, [&](ArrayRef<uint64_t> in) {
      return lowBits(uint64_t(f(lowBits(in[0], width), lowBits(in[1], width))),
                     width);
    });
  }
  template <typename F> void floats(Operation *op, F f) {
    if (!elementOf(op->getResult(0).getType()).isF32()) {
      return fail(op, "not f32");
    }
    each(op, [&](ArrayRef<uint64_t> in) {
      return asBits(f(asFloat(in[0]), asFloat(in[1])));
    });
  }

  // Control: SimtInterpreter.cpp.
  void runBlock(Block &block);
  /// The same bits in all active threads.
  int64_t uniform(Operation *op, Value value);
  /// Puts the elements of `from` into `to` for active threads.
  void merge(Register &to, const Register &from);
  /// Threads leave the loop one by one and wait for the others.
  void runFor(scf::ForOp loop);
  void runIf(scf::IfOp branch);
  /// Of loops that carry nothing.
  void runWhile(scf::WhileOp loop);
  /// Whether the warp of thread `first` is here; a failure if part of it is.
  bool isWarpActive(Operation *op, int64_t first);
  void runOp(Operation *op);
  bool allActive() const {
    return llvm::all_of(active_, [](char each) { return each != 0; });
  }

  // Each runs `op` if it is one of its kind.
  bool runArith(Operation *op);  // SimtArith.cpp
  bool runMemory(Operation *op); // SimtLoadStore.cpp
  bool runValues(Operation *op); // SimtVectors.cpp
  bool runNvvm(Operation *op);   // SimtWarp.cpp
  bool runWgmma(Operation *op);  // SimtWgmma.cpp
  bool runBulk(Operation *op);   // SimtBulk.cpp

  void constant(arith::ConstantOp op);
  /// A block's own, or that of any block of its cluster.
  bool isShared(Value pointer) {
    unsigned space =
        cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace();
    return space == 3 || space == 7;
  }
  /// The number in the cluster of the warp, or the block, of a thread here.
  int64_t warpOf(int64_t t) const { return (first_ + t) / 32; }
  int64_t blockOf(int64_t t) const { return (first_ + t) / blockThreads_; }
  void runBarrier(Operation *op);
  void runTryWait(NVVM::MBarrierTryWaitOp op);
  void runBulkCopy(NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp op);
  /// Calls `f`(barrier's address) for each active thread; a failure where it
  /// returns text.
  void forBarriers(Operation *op, Value pointer,
                   llvm::function_ref<std::string(uint64_t)> f);
  void runMapa(NVVM::MapaOp op);
  void runClusterBarrier(Operation *op);
  void runGep(LLVM::GEPOp op);
  void runLoad(LLVM::LoadOp op);
  /// Loads and stores of words that have no op: what follows "ld.global", and
  /// what a policy of L2 goes with.
  void runInlineAccess(LLVM::InlineAsmOp op);
  void runStoreByPolicy(LLVM::InlineAsmOp op);
  void runStore(LLVM::StoreOp op);
  void runAtomic(LLVM::AtomicRMWOp op);
  void runCopy(NVVM::CpAsyncOp op);
  void runProxyFence(NVVM::FenceProxyOp op);
  /// Element `index` of each thread's aggregate.
  void extract(Operation *op, Value from, int64_t index);
  void insert(Operation *op, Value into, Value element, int64_t index);
  void bitcast(LLVM::BitcastOp op);
  void runLdMatrix(NVVM::LdMatrixOp op);
  void runMma(NVVM::MmaOp op);
  void runShuffle(NVVM::ShflOp op);
  /// Calls `f`(its first thread, its state) for each warp group that is here; a
  /// failure if part of one is.
  void forWarpGroups(Operation *op,
                     llvm::function_ref<void(int64_t, WarpGroup &)> f);
  void runWgmmaMma(NVVM::WgmmaMmaAsyncOp op);
  /// The same with A from registers and B transposed, as inline assembly.
  void runWgmmaOfRegisters(LLVM::InlineAsmOp op);
  /// Issues `product` for a warp group; `sums` has `count` of each thread.
  void issueWgmma(Operation *op, WgmmaProduct product, int64_t first,
                  WarpGroup &group, ArrayRef<uint64_t> sums, int64_t count);
  /// A fence that its operands pass through.
  void fenceRegisters(LLVM::InlineAsmOp op);
  /// A wait that its operands pass through: registers of sums, which are
  /// readable where their wgmma is complete.
  void waitForSums(LLVM::InlineAsmOp op);

  int64_t threads_, blockThreads_, blocks_, first_ = 0;
  int64_t block_ = 0, blockY_ = 0;
  /// The arrival that the next cluster.wait waits for.
  Operation *arrival_ = nullptr;
  int64_t meeting_ = 0; // which of the cluster's it is of
  SimtMemory &memory_;
  /// Null where all threads run in lockstep.
  SimtStrands *strands_ = nullptr;
  size_t strand_ = 0;
  SimtBarriers *barriers_ = nullptr;
  std::vector<char> active_;
  std::vector<WarpGroup> warpGroups_;
  llvm::DenseMap<Value, Register> registers_;
};

} // namespace minic::cuda

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTBLOCK_H
