// SPDX-License-Identifier: Apache-2.0
//
// Ops of a warp: matrices, shuffles, and which thread of which block this is.

#include "test/unit/compiler/target/cuda/SimtBlock.h"
#include "test/unit/compiler/target/cuda/SimtProducts.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <numeric>

namespace minic::cuda {

void SimtBlock::runLdMatrix(NVVM::LdMatrixOp op) {
  if (!allActive()) {
    return fail(op, "ldmatrix in divergent code");
  }
  // Transposed, a thread has elements of two rows and one column.
  bool isTransposed = op.getLayout() == NVVM::MMALayout::col;
  int64_t matrices = op.getNum();
  Register pointers = get(op.getPtr());
  Register &result = define(op.getRes());
  for (int64_t t = 0; t != threads_; ++t) {
    int64_t warp = t / 32, lane = t % 32;
    for (int64_t j = 0; j != matrices; ++j) {
      uint64_t word = 0;
      for (int64_t e = 0; e != 2; ++e) {
        int64_t number = isTransposed ? lane % 4 * 2 + e : lane / 4;
        int64_t column = isTransposed ? lane / 4 : lane % 4 * 2 + e;
        uint64_t row = pointers.bits[size_t(warp * 32 + 8 * j + number)];
        std::string why = memory_.check(true, row, 16, 16);
        if (why.empty()) {
          why = memory_.readShared(row, 16, warpOf(t));
        }
        if (!why.empty()) {
          return fail(op, why);
        }
        word |= memory_.load(true, row + uint64_t(2 * column), 2) << (16 * e);
      }
      result.bits[size_t(t * matrices + j)] = word;
    }
  }
}

void SimtBlock::runMma(NVVM::MmaOp op) {
  int64_t k = op.getShape().getK();
  MLIRContext *context = op.getContext();
  auto kind = *op.getMultiplicandAPtxType();
  // Elements of a 32-bit register.
  auto unpack = [&](uint64_t bits, int64_t e) -> double {
    switch (kind) {
    case NVVM::MMATypes::bf16:
      return decode((bits >> (16 * e)) & 0xffff, BFloat16Type::get(context));
    case NVVM::MMATypes::f16:
      return decode((bits >> (16 * e)) & 0xffff, Float16Type::get(context));
    default: // the low bits of tf32 are not looked at
      return asFloat(bits & ~uint64_t(0x1fff));
    }
  };
  int64_t perWord = kind == NVVM::MMATypes::tf32 ? 1 : 2;
  auto word = [&](OperandRange operands, int64_t i, int64_t t) -> uint64_t {
    // f16 fragments are vectors of two elements.
    const Register &reg = get(operands[unsigned(i)]);
    if (reg.width == 1) {
      return reg.bits[size_t(t)];
    }
    return reg.bits[size_t(2 * t)] | reg.bits[size_t(2 * t + 1)] << 16;
  };
  Register made{4, std::vector<uint64_t>(size_t(threads_ * 4))};
  for (int64_t first = 0; first != threads_; first += 32) {
    if (!isWarpActive(op, first)) {
      continue;
    }
    std::vector<double> a(size_t(16 * k)), b(size_t(8 * k));
    for (int64_t lane = 0; lane != 32; ++lane) {
      int64_t g = lane / 4, w = lane % 4;
      for (int64_t e = 0; e != perWord; ++e) {
        for (int64_t i = 0; i != 4; ++i) {
          int64_t row = g + 8 * (i % 2);
          int64_t column = (w + 4 * (i / 2)) * perWord + e;
          a[size_t(row * k + column)] =
              unpack(word(op.getOperandA(), i, first + lane), e);
        }
        for (int64_t i = 0; i != 2; ++i) {
          b[size_t(g * k + (w + 4 * i) * perWord + e)] =
              unpack(word(op.getOperandB(), i, first + lane), e);
        }
      }
    }
    for (int64_t lane = 0; lane != 32; ++lane) {
      for (int64_t i = 0; i != 4; ++i) {
        int64_t row = lane / 4 + 8 * (i / 2), column = lane % 4 * 2 + i % 2;
        float sum = asFloat(
            get(op.getOperandC()[unsigned(i)]).bits[size_t(first + lane)]);
        for (int64_t j = 0; j != k; j += k / 2) {
          sum = addProducts(sum, ArrayRef(a).slice(size_t(row * k + j)),
                            ArrayRef(b).slice(size_t(column * k + j)), k / 2,
                            /*spareBits=*/1);
        }
        made.bits[size_t((first + lane) * 4 + i)] = asBits(sum);
      }
    }
  }
  registers_[op.getRes()] = std::move(made);
}

void SimtBlock::runShuffle(NVVM::ShflOp op) {
  bool flips = op.getKind() == NVVM::ShflKind::bfly;
  if (!flips && op.getKind() != NVVM::ShflKind::idx) {
    return fail(op, "unknown shuffle");
  }
  Register source = get(op.getVal()), lanes = get(op.getOffset());
  Register &result = define(op.getRes());
  for (int64_t t = 0; t != threads_; ++t) {
    if (t % 32 == 0) {
      isWarpActive(op, t);
    }
    int64_t lane = int64_t(lanes.bits[size_t(t)] & 31);
    int64_t from = t / 32 * 32 + (flips ? t % 32 ^ lane : lane);
    // Not which pending sum it is of (SimtWarpGroup.h).
    result.bits[size_t(t)] = lowBits(source.bits[size_t(from)], 32);
  }
}

bool SimtBlock::runNvvm(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](NVVM::ThreadIdXOp) {
        Register &reg = define(op->getResult(0));
        for (int64_t t = 0; t != threads_; ++t) {
          reg.bits[size_t(t)] = uint64_t((first_ + t) % blockThreads_);
        }
        return true;
      })
      .Case([&](NVVM::BlockIdXOp) {
        Register &reg = define(op->getResult(0));
        for (int64_t t = 0; t != threads_; ++t) {
          reg.bits[size_t(t)] = uint64_t(block_ + blockOf(t));
        }
        return true;
      })
      .Case([&](NVVM::BlockIdYOp) {
        return define(op->getResult(0), uint64_t(blockY_)), true;
      })
      .Case([&](NVVM::ShflOp each) { return runShuffle(each), true; })
      .Case([&](NVVM::SyncWarpOp) {
        for (int64_t first = 0; first != threads_; first += 32) {
          isWarpActive(op, first);
        }
        return true;
      })
      .Case([&](NVVM::LdMatrixOp each) { return runLdMatrix(each), true; })
      .Case([&](NVVM::MmaOp each) { return runMma(each), true; })
      .Case([&](NVVM::ConvertFloatToTF32Op) {
        // To nearest, ties away from zero.
        return each(op,
                    [](ArrayRef<uint64_t> in) -> uint64_t {
                      if (!std::isfinite(asFloat(in[0]))) {
                        return in[0];
                      }
                      return (in[0] + 0x1000) & ~uint64_t(0x1fff);
                    }),
               true;
      })
      .Case([&](NVVM::RcpApproxFtzF32Op) {
        return each(op,
                    [](ArrayRef<uint64_t> in) {
                      return asBits(1 / asFloat(in[0]));
                    }),
               true;
      })
      .Default([](Operation *) { return false; });
}

} // namespace minic::cuda
