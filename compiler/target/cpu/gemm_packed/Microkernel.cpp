// SPDX-License-Identifier: Apache-2.0
//
// A broadcast of lhs is used for all vectors of the panel, so that loads stay
// below one per multiply-add; results are written once, after all of K. The
// bias comes last: where a sum starts with it, each of the K additions rounds
// to the size of the bias, and the error of a model's last linear was 1.6 times
// that of PyTorch's.

#include "compiler/target/cpu/gemm_packed/Microkernel.h"

#include "compiler/target/cpu/SumChunk.h"
#include "compiler/target/cpu/TileEpilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace minic::cpu {

namespace {

class MicrokernelEmitter {
public:
  MicrokernelEmitter(OpBuilder &builder, Location loc,
                     const kernel::FusionShape &shape, const GemmGeometry &g,
                     int64_t height, LLVM::LLVMFuncOp function)
      : k_(builder, loc), shape_(shape), g_(g), height_(height),
        lhs_(function.getArgument(0)), panel_(function.getArgument(1)),
        args_(function.getArgument(2)), row_(function.getArgument(3)),
        column_(function.getArgument(4)),
        f32s_(VectorType::get(gemmLanes, builder.getF32Type())) {}

  void emit() {
    SmallVector<Value> sums = withBias(contract());
    emitTileEpilogue(
        k_, shape_, args_,
        {.height = height_,
         .vectors = g_.vectors(),
         .lanes = gemmLanes,
         .firstRow = row_,
         .column = column_,
         .columnEnd = g_.hasColumnTail() ? k_.i64(g_.gemm.n) : Value()},
        sums);
  }

private:
  int64_t argumentIndex(Value operand) const {
    return cast<BlockArgument>(operand).getArgNumber();
  }

  /// The columns of a vector at `column` that exist; null where all do.
  Value maskAt(Value column) {
    return g_.hasColumnTail()
               ? k_.tailMask(k_.sub(k_.i64(g_.gemm.n), column), gemmLanes)
               : Value();
  }

  /// All of this is computed behind the loop, in which it would take registers
  /// from the sums.
  SmallVector<Value> withBias(SmallVector<Value> sums) {
    if (!g_.gemm.bias) {
      return sums;
    }
    Type type = cast<RankedTensorType>(g_.gemm.bias.getType()).getElementType();
    Value start = k_.argPointer(args_, argumentIndex(g_.gemm.bias));
    for (int64_t v = 0; v != g_.vectors(); ++v) {
      Value column = k_.add(column_, v * gemmLanes);
      Value bias = k_.loadVector(k_.advance(start, column, type), type,
                                 gemmLanes, maskAt(column));
      for (int64_t i = 0; i != height_; ++i) {
        Value &sum = sums[i * g_.vectors() + v];
        sum = arith::AddFOp::create(k_.b, k_.loc, sum, bias);
      }
    }
    return sums;
  }

  /// Word `word` of row `row` of the tile at `lhs`, in all lanes.
  Value broadcastLhs(Value lhs, int64_t row, int64_t word, bool halfWord) {
    Type type = g_.gemm.lhsType;
    Type i32 = k_.b.getI32Type();
    Value scalar;
    if (g_.schedule.packLhs) {
      Type wordType = g_.schedule.pairs ? i32 : Type(k_.b.getF32Type());
      scalar = k_.loadRaw(
          wordType, k_.advance(lhs, word * g_.packedRows + row, wordType), 4);
    } else {
      Value pointer =
          k_.advance(lhs,
                     row * g_.gemm.lhsStrideM +
                         word * g_.wordElements() * g_.gemm.lhsStrideK,
                     type);
      if (!g_.schedule.pairs) {
        scalar = k_.loadScalar(pointer, type);
      } else if (halfWord) {
        Value low = k_.loadRaw(k_.b.getI16Type(), pointer, 2);
        scalar = arith::ExtUIOp::create(k_.b, k_.loc, i32, low);
      } else {
        scalar = k_.loadRaw(i32, pointer, 2);
      }
    }
    Value all = k_.splat(scalar, gemmLanes);
    return g_.schedule.pairs
               ? vector::BitCastOp::create(
                     k_.b, k_.loc, VectorType::get(2 * gemmLanes, type), all)
               : all;
  }

  Value loadPanel(Value panel, int64_t word, int64_t v) {
    Type type = g_.gemm.rhsType;
    int64_t lanes = gemmLanes * g_.wordElements();
    Value pointer = k_.advance(
        panel, word * g_.schedule.nr * g_.wordElements() + v * lanes, type);
    return g_.schedule.pairs
               ? k_.loadRaw(VectorType::get(lanes, type), pointer, 2)
               : k_.loadVector(pointer, type, lanes);
  }

  Value multiplyAdd(Value sum, Value lhs, Value rhs) {
    if (!g_.schedule.pairs) {
      return LLVM::FMAOp::create(k_.b, k_.loc, f32s_, lhs, rhs, sum);
    }
    return LLVM::CallIntrinsicOp::create(
               k_.b, k_.loc, f32s_,
               k_.b.getStringAttr("llvm.x86.avx512bf16.dpbf16ps.512"),
               ValueRange{sum, lhs, rhs})
        .getResults();
  }

  /// Adds word number `word` from `lhs` and `panel` on to the sums.
  void step(Value lhs, Value panel, int64_t word, MutableArrayRef<Value> sums,
            bool halfWord = false) {
    SmallVector<Value> rhs;
    for (int64_t v = 0; v != g_.vectors(); ++v) {
      rhs.push_back(loadPanel(panel, word, v));
    }
    for (int64_t i = 0; i != height_; ++i) {
      Value scalar = broadcastLhs(lhs, i, word, halfWord);
      for (int64_t v = 0; v != g_.vectors(); ++v) {
        Value &sum = sums[i * g_.vectors() + v];
        sum = multiplyAdd(sum, scalar, rhs[v]);
      }
    }
  }

  Value advanceLhs(Value lhs, int64_t words) {
    if (g_.schedule.packLhs) {
      return k_.advance(lhs, words * g_.packedRows, k_.b.getF32Type());
    }
    return k_.advance(lhs, words * g_.wordElements() * g_.gemm.lhsStrideK,
                      g_.gemm.lhsType);
  }

  Value advancePanel(Value panel, int64_t words) {
    return k_.advance(panel, words * g_.wordElements() * g_.schedule.nr,
                      g_.gemm.rhsType);
  }

  /// Where in lhs and the panel, and what was summed up.
  struct State {
    Value lhs, panel;
    SmallVector<Value> sums;

    SmallVector<Value> carried() const {
      SmallVector<Value> values = {lhs, panel};
      llvm::append_range(values, sums);
      return values;
    }
    static State of(ValueRange values) {
      return {values[0], values[1], SmallVector<Value>(values.drop_front(2))};
    }
  };

  SmallVector<Value> zeros() {
    return SmallVector<Value>(height_ * g_.vectors(),
                              k_.zeroVector(k_.b.getF32Type(), gemmLanes));
  }

  /// Adds `iterations` times ku words.
  State iterate(State state, int64_t iterations) {
    if (iterations == 0) {
      return state;
    }
    int64_t ku = g_.schedule.ku;
    return State::of(k_.forLoop(k_.i64(0), k_.i64(iterations), 1,
                                state.carried(), [&](Value, ValueRange values) {
                                  State next = State::of(values);
                                  for (int64_t word = 0; word != ku; ++word) {
                                    step(next.lhs, next.panel, word, next.sums);
                                  }
                                  next.lhs = advanceLhs(next.lhs, ku);
                                  next.panel = advancePanel(next.panel, ku);
                                  return next.carried();
                                }));
  }

  SmallVector<Value> contract() {
    int64_t ku = g_.schedule.ku;
    // Half of the last pair of an odd K is not there to be loaded, unless
    // packing wrote a zero.
    bool halfWord =
        g_.schedule.pairs && g_.gemm.k % 2 != 0 && !g_.schedule.packLhs;
    int64_t wholeWords = g_.kWords - halfWord;
    int64_t iterations = wholeWords / ku;
    int64_t inChunk = kSumChunk / ku; // a word of K is one float32
    int64_t chunks = g_.gemm.lhsType.isF32() && g_.gemm.rhsType.isF32()
                         ? (iterations - 1) / inChunk
                         : 0;
    State state = {lhs_, panel_, zeros()};
    SmallVector<Value> totals;
    if (chunks > 0) {
      state = State::of(k_.forLoop(
          k_.i64(0), k_.i64(chunks), 1, state.carried(),
          [&](Value, ValueRange values) {
            State before = State::of(values);
            State chunk = iterate({before.lhs, before.panel, zeros()}, inChunk);
            chunk.sums = k_.addAll(before.sums, chunk.sums);
            return chunk.carried();
          }));
      totals = std::exchange(state.sums, zeros());
    }
    state = iterate(std::move(state), iterations - chunks * inChunk);
    int64_t rest = wholeWords - iterations * ku;
    for (int64_t word = 0; word != rest; ++word) {
      step(state.lhs, state.panel, word, state.sums);
    }
    if (halfWord) {
      step(state.lhs, state.panel, rest, state.sums, /*halfWord=*/true);
    }
    return totals.empty() ? state.sums : k_.addAll(totals, state.sums);
  }

  KernelBuilder k_;
  const kernel::FusionShape &shape_;
  const GemmGeometry &g_;
  int64_t height_;
  Value lhs_, panel_, args_, row_, column_;
  VectorType f32s_;
};

} // namespace

LLVM::LLVMFuncOp emitMicrokernel(OpBuilder &builder, Location loc,
                                 ModuleOp device, StringRef name,
                                 const kernel::FusionShape &shape,
                                 const GemmGeometry &geometry, int64_t height) {
  OpBuilder::InsertionGuard guard(builder);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i64 = builder.getI64Type();
  LLVM::LLVMFuncOp function = createInternalFunction(
      builder, loc, device, name, {pointer, pointer, pointer, i64, i64});
  MicrokernelEmitter(builder, loc, shape, geometry, height, function).emit();
  return function;
}

} // namespace minic::cpu
