// SPDX-License-Identifier: Apache-2.0
//
// SimtBlock: the threads of one block while SimtInterpreter runs them: their
// registers, and who of them takes part. Ops are done for all threads at once;
// each kind of op has a file of its own.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTBLOCK_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTBLOCK_H

#include "test/unit/compiler/target/cuda/SimtMemory.h"
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
  SimtBlock(int64_t threads, SimtMemory &memory)
      : threads_(threads), memory_(memory), active_(size_t(threads), 1),
        warpGroups_(size_t((threads + 127) / 128)) {}

  std::string error;
  void run(LLVM::LLVMFuncOp function, int64_t block, int64_t blockY,
           const std::vector<GlobalRange> &parameters);

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

  void constant(arith::ConstantOp op);
  bool isShared(Value pointer) {
    return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() ==
           3;
  }
  void runGep(LLVM::GEPOp op);
  void runLoad(LLVM::LoadOp op);
  /// Loads of words that have no op: what follows "ld.global".
  void runInlineLoad(LLVM::InlineAsmOp op);
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
  /// A wait that its operands pass through: registers of sums, which are
  /// readable where their wgmma is complete.
  void waitForSums(LLVM::InlineAsmOp op);

  int64_t threads_, block_ = 0, blockY_ = 0;
  SimtMemory &memory_;
  std::vector<char> active_;
  std::vector<WarpGroup> warpGroups_;
  llvm::DenseMap<Value, Register> registers_;
};

} // namespace minic::cuda

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTBLOCK_H
