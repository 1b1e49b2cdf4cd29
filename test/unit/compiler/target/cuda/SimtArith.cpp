// SPDX-License-Identifier: Apache-2.0
//
// The arith dialect, and fused multiplications.

#include "test/unit/compiler/target/cuda/SimtBlock.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

namespace minic::cuda {

void SimtBlock::constant(arith::ConstantOp op) {
  auto bits = [](Attribute value) -> uint64_t {
    if (auto number = dyn_cast<FloatAttr>(value)) {
      return number.getValue().bitcastToAPInt().getZExtValue();
    }
    return cast<IntegerAttr>(value).getValue().getZExtValue();
  };
  if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue())) {
    Register &reg = define(op.getResult());
    for (auto [e, value] : llvm::enumerate(dense.getValues<Attribute>())) {
      for (int64_t t = 0; t != threads_; ++t) {
        reg.bits[size_t(t * reg.width) + e] = bits(value);
      }
    }
    return;
  }
  define(op.getResult(), bits(op.getValue()));
}

bool SimtBlock::runArith(Operation *op) {
  int64_t width =
      op->getNumOperands() ? bitsOf(elementOf(op->getOperand(0).getType())) : 0;
  using U = uint64_t;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](arith::ConstantOp each) { return constant(each), true; })
      .Case([&](arith::AddIOp) {
        return integers(op, [](U a, U b) { return a + b; }), true;
      })
      .Case([&](arith::SubIOp) {
        return integers(op, [](U a, U b) { return a - b; }), true;
      })
      .Case([&](arith::MulIOp) {
        return integers(op, [](U a, U b) { return a * b; }), true;
      })
      .Case([&](arith::DivUIOp) {
        return integers(op, [](U a, U b) { return b ? a / b : 0; }), true;
      })
      .Case([&](arith::RemUIOp) {
        return integers(op, [](U a, U b) { return b ? a % b : 0; }), true;
      })
      .Case([&](arith::XOrIOp) {
        return integers(op, [](U a, U b) { return a ^ b; }), true;
      })
      .Case([&](arith::AndIOp) {
        return integers(op, [](U a, U b) { return a & b; }), true;
      })
      .Case([&](arith::OrIOp) {
        return integers(op, [](U a, U b) { return a | b; }), true;
      })
      .Case([&](arith::MinSIOp) {
        return integers(op,
                        [&](U a, U b) {
                          return signedOf(a, width) < signedOf(b, width) ? a
                                                                         : b;
                        }),
               true;
      })
      .Case([&](arith::MaxSIOp) {
        return integers(op,
                        [&](U a, U b) {
                          return signedOf(a, width) > signedOf(b, width) ? a
                                                                         : b;
                        }),
               true;
      })
      .Case([&](arith::CmpIOp compareOp) {
        return each(op,
                    [&](ArrayRef<U> in) {
                      return U(compareIntegers(compareOp.getPredicate(), in[0],
                                               in[1], width));
                    }),
               true;
      })
      .Case([&](arith::CmpFOp compareOp) {
        return each(op,
                    [&](ArrayRef<U> in) {
                      return U(compareFloats(compareOp.getPredicate(),
                                             asFloat(in[0]), asFloat(in[1]),
                                             error));
                    }),
               true;
      })
      .Case([&](arith::SelectOp) {
        return each(op, [](ArrayRef<U> in) { return in[0] ? in[1] : in[2]; }),
               true;
      })
      .Case([&](arith::ShLIOp) {
        return integers(op, [](U a, U b) { return a << (b & 63); }), true;
      })
      .Case([&](arith::ShRUIOp) {
        return integers(op, [](U a, U b) { return a >> (b & 63); }), true;
      })
      .Case([&](arith::TruncIOp narrow) {
        int64_t to = bitsOf(elementOf(narrow.getType()));
        return each(op, [&](ArrayRef<U> in) { return lowBits(in[0], to); }),
               true;
      })
      .Case<arith::BitcastOp>([&](Operation *) {
        return each(op, [](ArrayRef<U> in) { return in[0]; }), true;
      })
      .Case([&](arith::ExtUIOp) {
        return each(op, [](ArrayRef<U> in) { return in[0]; }), true;
      })
      .Case([&](arith::ExtSIOp) {
        return each(op,
                    [&](ArrayRef<U> in) { return U(signedOf(in[0], width)); }),
               true;
      })
      .Case([&](arith::AddFOp) {
        return floats(op, [](float a, float b) { return a + b; }), true;
      })
      .Case([&](arith::NegFOp) {
        return each(op, [](ArrayRef<U> in) { return asBits(-asFloat(in[0])); }),
               true;
      })
      .Case([&](arith::SubFOp) {
        return floats(op, [](float a, float b) { return a - b; }), true;
      })
      .Case([&](arith::MulFOp) {
        return floats(op, [](float a, float b) { return a * b; }), true;
      })
      .Case([&](arith::DivFOp) {
        return floats(op, [](float a, float b) { return a / b; }), true;
      })
      .Case([&](arith::MaximumFOp) {
        return floats(op,
                      [](float a, float b) {
                        return std::isnan(a) || std::isnan(b) ? std::nanf("")
                                                              : std::max(a, b);
                      }),
               true;
      })
      .Case([&](arith::MinimumFOp) {
        return floats(op,
                      [](float a, float b) {
                        return std::isnan(a) || std::isnan(b) ? std::nanf("")
                                                              : std::min(a, b);
                      }),
               true;
      })
      .Case([&](math::FmaOp) {
        return each(op,
                    [](ArrayRef<U> in) {
                      return asBits(std::fma(asFloat(in[0]), asFloat(in[1]),
                                             asFloat(in[2])));
                    }),
               true;
      })
      .Case([&](arith::SIToFPOp) {
        return each(op,
                    [&](ArrayRef<U> in) {
                      return asBits(float(signedOf(in[0], width)));
                    }),
               true;
      })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](Operation *) {
        auto from = cast<FloatType>(elementOf(op->getOperand(0).getType()));
        auto to = cast<FloatType>(elementOf(op->getResult(0).getType()));
        return each(op,
                    [&](ArrayRef<U> in) {
                      return encode(decode(in[0], from), to);
                    }),
               true;
      })
      .Default([](Operation *) { return false; });
}

} // namespace minic::cuda
