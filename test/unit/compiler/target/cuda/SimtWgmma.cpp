// SPDX-License-Identifier: Apache-2.0
//
// wgmma: m64nNk16 of 16-bit elements in shared memory, and its waits.

#include "test/unit/compiler/target/cuda/SimtBlock.h"

#include "llvm/ADT/TypeSwitch.h"

namespace minic::cuda {

constexpr int64_t groupThreads = 128;
constexpr StringLiteral waitText = "wgmma.wait_group.sync.aligned ";

void SimtBlock::forWarpGroups(
    Operation *op, llvm::function_ref<void(int64_t, WarpGroup &)> f) {
  for (int64_t first = 0; first < threads_; first += groupThreads) {
    int64_t active = 0;
    for (int64_t t = first; t != std::min(first + groupThreads, threads_);
         ++t) {
      active += active_[size_t(t)];
    }
    if (active == groupThreads) {
      f(first, warpGroups_[size_t(first / groupThreads)]);
    } else if (active != 0) {
      fail(op, "a warp group's instruction in divergent code");
    }
  }
}

static std::string unsupported(NVVM::WgmmaMmaAsyncOp op) {
  auto shape = op.getShape();
  int64_t n = shape.getN();
  if (shape.getM() != 64 || shape.getK() != 16 || n % 8 != 0 || n < 8 ||
      n > 256) {
    return "not m64nNk16";
  }
  auto type = op.getTypeA();
  if (type != op.getTypeB() || op.getTypeD() != NVVM::WGMMATypes::f32 ||
      (type != NVVM::WGMMATypes::bf16 && type != NVVM::WGMMATypes::f16)) {
    return "neither bf16 nor f16 with sums of f32";
  }
  if (op.getScaleA() != NVVM::WGMMAScaleIn::one ||
      op.getScaleB() != NVVM::WGMMAScaleIn::one ||
      op.getLayoutA() != NVVM::MMALayout::row ||
      op.getLayoutB() != NVVM::MMALayout::col || op.getSatfinite()) {
    return "not of A by rows and B by columns as they are";
  }
  bool isFloat = elementOf(op.getInouts().getType()).isF32();
  return isFloat && widthOf(op.getInouts().getType()) == n / 2
             ? ""
             : "sums are not N / 2 f32";
}

void SimtBlock::runWgmmaMma(NVVM::WgmmaMmaAsyncOp op) {
  if (std::string why = unsupported(op); !why.empty()) {
    return fail(op, why);
  }
  const int64_t n = op.getShape().getN(), count = n / 2;
  Register a = get(op.getDescriptorA()), b = get(op.getDescriptorB()),
           sums = get(op.getInouts());
  Register &result = define(op.getResults());
  forWarpGroups(op, [&](int64_t first, WarpGroup &group) {
    auto at = size_t(first);
    for (auto t = at; t != at + groupThreads; ++t) {
      if (a.bits[t] != a.bits[at] || b.bits[t] != b.bits[at]) {
        return fail(op, "a descriptor differs within a warp group");
      }
    }
    WgmmaProduct product;
    product.type = op.getTypeA() == NVVM::WGMMATypes::bf16
                       ? FloatType(BFloat16Type::get(op.getContext()))
                       : FloatType(Float16Type::get(op.getContext()));
    product.adds = op.getScaleD() == NVVM::WGMMAScaleOut::one;
    std::string why = product.a.parse(a.bits[at], 64);
    if (why.empty()) {
      why = product.b.parse(b.bits[at], n);
    }
    if (why.empty()) {
      auto before = ArrayRef(sums.bits).slice(size_t(first * count),
                                              size_t(groupThreads * count));
      why = group.issue(std::move(product), before, memory_);
    }
    if (!why.empty()) {
      return fail(op, why);
    }
    for (int64_t i = 0; i != groupThreads * count; ++i) {
      result.bits[size_t(first * count + i)] =
          PendingSum{group.products.size() - 1, i % count}.bits();
    }
  });
}

void SimtBlock::waitForSums(LLVM::InlineAsmOp op) {
  size_t left = 0;
  StringRef text = op.getAsmString();
  if (text.drop_front(waitText.size()).rtrim("; ").getAsInteger(10, left)) {
    return fail(op, "unknown inline assembly");
  }
  // Outputs, then the operands, each tied to the output of its number.
  SmallVector<StringRef> constraints;
  op.getConstraints().split(constraints, ',');
  const size_t count = op.getNumOperands();
  bool isTied = constraints.size() >= 2 * count;
  SmallVector<Register> operands;
  for (size_t i = 0; isTied && i != count; ++i) {
    isTied = constraints[i] == "=f" &&
             constraints[count + i] == std::to_string(i) &&
             op.getOperand(unsigned(i)).getType().isF32();
    operands.push_back(get(op.getOperand(unsigned(i))));
  }
  int64_t results = count ? widthOf(op.getResult(0).getType()) : 0;
  if (!isTied || results != int64_t(count)) {
    return fail(op, "a wait whose results are not its operands");
  }
  if (count != 0) {
    define(op.getResult(0));
  }
  forWarpGroups(op, [&](int64_t first, WarpGroup &group) {
    group.wait(left, memory_);
    for (auto [i, operand] : llvm::enumerate(operands)) {
      Register &result = registers_[op.getResult(0)];
      for (int64_t t = 0; t != groupThreads; ++t) {
        uint64_t bits = operand.bits[size_t(first + t)];
        if (auto sum = PendingSum::of(bits)) {
          const WgmmaProduct &product = group.products[sum->product];
          if (product.isContinued) {
            return fail(op, "a sum that a later wgmma went on with");
          }
          if (product.isComplete) {
            bits = asBits(
                product.sums[size_t(t * product.registers() + sum->index)]);
          }
        }
        result.bits[size_t((first + t) * results) + i] = bits;
      }
    }
    group.isFenced &= operands.empty();
  });
}

bool SimtBlock::runWgmma(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](NVVM::WgmmaMmaAsyncOp each) { return runWgmmaMma(each), true; })
      .Case([&](NVVM::WgmmaFenceAlignedOp) {
        forWarpGroups(op,
                      [](int64_t, WarpGroup &group) { group.isFenced = true; });
        return true;
      })
      .Case([&](NVVM::WgmmaGroupSyncAlignedOp) {
        forWarpGroups(op, [](int64_t, WarpGroup &group) { group.commit(); });
        return true;
      })
      .Case([&](NVVM::WgmmaWaitGroupSyncOp each) {
        forWarpGroups(op, [&](int64_t, WarpGroup &group) {
          group.wait(each.getGroup(), memory_);
        });
        return true;
      })
      .Case([&](LLVM::InlineAsmOp each) {
        bool isWait = each.getAsmString().starts_with(waitText);
        if (isWait) {
          waitForSums(each);
        }
        return isWait;
      })
      .Default([](Operation *) { return false; });
}

} // namespace minic::cuda
