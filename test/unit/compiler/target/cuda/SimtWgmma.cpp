// SPDX-License-Identifier: Apache-2.0
//
// wgmma: m64nNk16 of 16-bit elements in shared memory, A perhaps in registers,
// and its fences and waits.

#include "test/unit/compiler/target/cuda/SimtBlock.h"

#include "llvm/ADT/TypeSwitch.h"

namespace minic::cuda {

constexpr int64_t groupThreads = 128;
constexpr StringLiteral waitText = "wgmma.wait_group.sync.aligned ";
constexpr StringLiteral fenceText = "wgmma.fence.sync.aligned;";
constexpr StringLiteral productText = "wgmma.mma_async.sync.aligned.m64n";

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
  define(op.getResults());
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
    if (!why.empty()) {
      return fail(op, why);
    }
    issueWgmma(op, std::move(product), first, group, sums.bits, count);
  });
}

void SimtBlock::issueWgmma(Operation *op, WgmmaProduct product, int64_t first,
                           WarpGroup &group, ArrayRef<uint64_t> sums,
                           int64_t count) {
  auto before = sums.slice(size_t(first * count), size_t(groupThreads * count));
  std::string why =
      group.issue(std::move(product), before, memory_, warpOf(first));
  if (!why.empty()) {
    return fail(op, why);
  }
  Register &result = registers_[op->getResult(0)];
  for (int64_t i = 0; i != groupThreads * count; ++i) {
    result.bits[size_t(first * count + i)] =
        PendingSum{group.products.size() - 1, i % count}.bits();
  }
}

/// Whether the first `count` operands are tied to as many outputs, which are
/// all.
static bool isTied(LLVM::InlineAsmOp op, size_t count) {
  SmallVector<StringRef> constraints;
  op.getConstraints().split(constraints, ',');
  bool isTied =
      constraints.size() >= 2 * count &&
      (count == 0 ? op.getNumResults() == 0
                  : widthOf(op.getResult(0).getType()) == int64_t(count));
  for (size_t i = 0; isTied && i != count; ++i) {
    StringRef expected =
        op.getOperand(unsigned(i)).getType().isF32() ? "=f" : "=r";
    isTied = constraints[i] == expected &&
             constraints[count + i] == std::to_string(i);
  }
  return isTied;
}

void SimtBlock::runWgmmaOfRegisters(LLVM::InlineAsmOp op) {
  StringRef text = op.getAsmString();
  text = text.drop_front(text.find(productText) + productText.size());
  int64_t n = 0;
  if (text.consumeInteger(10, n) || n % 8 != 0 || n < 8 || n > 256) {
    return fail(op, "not m64nNk16");
  }
  bool isBf16 = text.starts_with("k16.f32.bf16.bf16 ");
  const int64_t count = n / 2;
  if ((!isBf16 && !text.starts_with("k16.f32.f16.f16 ")) ||
      !text.contains(", p, 1, 1, 1;") ||
      !op.getAsmString().contains("setp.ne.b32 p, 1, 0;") ||
      int64_t(op.getNumOperands()) != count + 5 || !isTied(op, size_t(count))) {
    return fail(op, "not sums + registers * a transposed matrix");
  }
  std::vector<uint64_t> sums(size_t(threads_ * count));
  SmallVector<Register> operands;
  for (Value operand : op.getOperands()) {
    operands.push_back(get(operand));
  }
  for (int64_t i = 0; i != threads_ * count; ++i) {
    sums[size_t(i)] = operands[size_t(i % count)].bits[size_t(i / count)];
  }
  define(op.getResult(0));
  MLIRContext *context = op.getContext();
  forWarpGroups(op, [&](int64_t first, WarpGroup &group) {
    WgmmaProduct product;
    product.type = isBf16 ? FloatType(BFloat16Type::get(context))
                          : FloatType(Float16Type::get(context));
    product.adds = true;
    product.left.resize(64 * 16);
    const Register &descriptor = operands.back();
    for (int64_t t = 0; t != groupThreads; ++t) {
      if (descriptor.bits[size_t(first + t)] !=
          descriptor.bits[size_t(first)]) {
        return fail(op, "a descriptor differs within a warp group");
      }
      for (int64_t i = 0; i != 4; ++i) {
        uint64_t bits = operands[size_t(count + i)].bits[size_t(first + t)];
        int64_t row = t / 32 * 16 + t % 32 / 4 + i % 2 * 8;
        int64_t column = t % 4 * 2 + i / 2 * 8;
        for (int64_t e : {0, 1}) {
          product.left[size_t(row * 16 + column + e)] =
              decode(bits >> (16 * e) & 0xffff, product.type);
        }
      }
    }
    std::string why = product.b.parse(descriptor.bits[size_t(first)], n,
                                      /*transposed=*/true);
    if (!why.empty()) {
      return fail(op, why);
    }
    issueWgmma(op, std::move(product), first, group, sums, count);
  });
}

void SimtBlock::fenceRegisters(LLVM::InlineAsmOp op) {
  const size_t count = op.getNumOperands();
  if (!isTied(op, count)) {
    return fail(op, "a fence whose results are not its operands");
  }
  SmallVector<Register> operands;
  for (Value operand : op.getOperands()) {
    operands.push_back(get(operand));
  }
  Register &result = define(op.getResult(0));
  for (int64_t t = 0; t != threads_; ++t) {
    for (size_t i = 0; i != count; ++i) {
      result.bits[size_t(t) * count + i] = operands[i].bits[size_t(t)];
    }
  }
  forWarpGroups(op, [](int64_t, WarpGroup &group) { group.isFenced = true; });
}

void SimtBlock::waitForSums(LLVM::InlineAsmOp op) {
  size_t left = 0;
  StringRef text = op.getAsmString();
  if (text.drop_front(waitText.size()).rtrim("; ").getAsInteger(10, left)) {
    return fail(op, "unknown inline assembly");
  }
  const size_t count = op.getNumOperands();
  if (!isTied(op, count)) {
    return fail(op, "a wait whose results are not its operands");
  }
  SmallVector<Register> operands;
  for (Value operand : op.getOperands()) {
    operands.push_back(get(operand));
  }
  const auto results = int64_t(count);
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
        StringRef text = each.getAsmString();
        if (text.starts_with(waitText)) {
          return waitForSums(each), true;
        }
        if (text == fenceText) {
          return fenceRegisters(each), true;
        }
        if (text.contains(productText)) {
          return runWgmmaOfRegisters(each), true;
        }
        return false;
      })
      .Default([](Operation *) { return false; });
}

} // namespace minic::cuda
