// SPDX-License-Identifier: Apache-2.0
//
// Vectors and aggregates, and the maths of floats that is no arith op.

#include "test/unit/compiler/target/cuda/SimtBlock.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

namespace minic::cuda {

void SimtBlock::extract(Operation *op, Value from, int64_t index) {
  Register source = get(from);
  Register &result = define(op->getResult(0));
  for (int64_t t = 0; t != threads_; ++t) {
    result.bits[size_t(t)] = source.bits[size_t(t * source.width + index)];
  }
}

void SimtBlock::insert(Operation *op, Value into, Value element,
                       int64_t index) {
  Register made = get(into);
  const Register &value = get(element);
  for (int64_t t = 0; t != threads_; ++t) {
    made.bits[size_t(t * made.width + index)] = value.bits[size_t(t)];
  }
  registers_[op->getResult(0)] = std::move(made);
}

void SimtBlock::bitcast(LLVM::BitcastOp op) {
  int64_t from = widthOf(op.getArg().getType());
  int64_t to = widthOf(op.getType());
  if (from == to) {
    return each(op, [](ArrayRef<uint64_t> in) { return in[0]; });
  }
  Register source = get(op.getArg());
  Register &result = define(op.getResult());
  if (from == 2 * to) {
    for (size_t i = 0; i != size_t(threads_ * to); ++i) {
      result.bits[i] = source.bits[2 * i] | source.bits[2 * i + 1] << 16;
    }
    return;
  }
  if (from != 1 || to != 2) {
    return fail(op, "unknown bitcast");
  }
  for (int64_t t = 0; t != threads_; ++t) {
    result.bits[size_t(2 * t)] = source.bits[size_t(t)] & 0xffff;
    result.bits[size_t(2 * t + 1)] = source.bits[size_t(t)] >> 16 & 0xffff;
  }
}

bool SimtBlock::runValues(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<LLVM::UndefOp, LLVM::PoisonOp>([&](Operation *) {
        return define(op->getResult(0), ~uint64_t(0)), true;
      })
      .Case([&](LLVM::BitcastOp cast) { return bitcast(cast), true; })
      .Case([&](LLVM::ExtractValueOp each) {
        return extract(op, each.getContainer(), each.getPosition()[0]), true;
      })
      .Case([&](LLVM::ZeroOp) {
        return define(op->getResult(0), uint64_t(0)), true;
      })
      .Case([&](LLVM::InsertValueOp each) {
        return insert(op, each.getContainer(), each.getValue(),
                      each.getPosition()[0]),
               true;
      })
      .Case([&](LLVM::ExtractElementOp each) {
        return extract(op, each.getVector(), uniform(op, each.getPosition())),
               true;
      })
      .Case([&](LLVM::InsertElementOp each) {
        return insert(op, each.getVector(), each.getValue(),
                      uniform(op, each.getPosition())),
               true;
      })
      .Case<vector::BroadcastOp>([&](Operation *) {
        return each(op, [](ArrayRef<uint64_t> in) { return in[0]; }), true;
      })
      .Case([&](vector::ExtractOp each) {
        return extract(op, each.getSource(), each.getStaticPosition()[0]), true;
      })
      .Case([&](vector::FromElementsOp each) {
        Register &made = define(each.getResult());
        for (auto [e, element] : llvm::enumerate(each.getElements())) {
          for (int64_t t = 0; t != threads_; ++t) {
            made.bits[size_t(t * made.width) + e] =
                registers_.find(element)->second.bits[size_t(t)];
          }
        }
        return true;
      })
      .Case([&](math::ExpOp) {
        return each(op,
                    [](ArrayRef<uint64_t> in) {
                      return asBits(std::exp(asFloat(in[0])));
                    }),
               true;
      })
      .Case([&](math::LogOp) {
        return each(op,
                    [](ArrayRef<uint64_t> in) {
                      return asBits(std::log(asFloat(in[0])));
                    }),
               true;
      })
      .Case([&](math::TanhOp) {
        return each(op,
                    [](ArrayRef<uint64_t> in) {
                      return asBits(std::tanh(asFloat(in[0])));
                    }),
               true;
      })
      .Case([&](math::SqrtOp) {
        return each(op,
                    [](ArrayRef<uint64_t> in) {
                      return asBits(std::sqrt(asFloat(in[0])));
                    }),
               true;
      })
      .Case([&](math::AbsFOp) {
        return each(op,
                    [](ArrayRef<uint64_t> in) {
                      return asBits(std::abs(asFloat(in[0])));
                    }),
               true;
      })
      .Case([&](LLVM::CallIntrinsicOp call) {
        if (call.getIntrin() == "llvm.nvvm.ex2.approx.ftz") {
          return each(op,
                      [](ArrayRef<uint64_t> in) {
                        float power = std::exp2(asFloat(in[0]));
                        return asBits(power < 0x1p-126f ? 0 : power);
                      }),
                 true;
        }
        if (call.getIntrin() != "llvm.nvvm.mul.rz.f") {
          return false;
        }
        return each(op,
                    [](ArrayRef<uint64_t> in) {
                      return asBits(cutToFloat(double(asFloat(in[0])) *
                                               double(asFloat(in[1]))));
                    }),
               true;
      })
      .Case<LLVM::FMAOp, math::FmaOp>([&](Operation *) {
        return each(op,
                    [](ArrayRef<uint64_t> in) {
                      return asBits(std::fma(asFloat(in[0]), asFloat(in[1]),
                                             asFloat(in[2])));
                    }),
               true;
      })
      .Default([](Operation *) { return false; });
}

} // namespace minic::cuda
