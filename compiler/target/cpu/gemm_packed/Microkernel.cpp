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
        next_(g.schedule.prefetch ? function.getArgument(5) : Value()) {}

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
  bool isFma() const { return g_.schedule.dot == GemmDot::Fma; }
  bool isQuads() const { return g_.schedule.dot == GemmDot::Quads; }

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
        sum = k_.sum(sum, bias);
      }
    }
    return sums;
  }

  /// Word `word` of row `row` of the tile at `lhs`, in all lanes; of the last
  /// one of K only `count` elements exist.
  Value broadcastLhs(Value lhs, int64_t row, int64_t word, int64_t count) {
    Type type = g_.gemm.lhsType;
    if (g_.schedule.packLhs) {
      Type wordType = isFma() ? Type(k_.b.getF32Type()) : k_.b.getI32Type();
      return asElements(k_.splat(
          k_.loadRaw(wordType,
                     k_.advance(lhs, word * g_.packedRows + row, wordType), 4),
          gemmLanes));
    }
    Value pointer =
        k_.advance(lhs,
                   row * g_.gemm.lhsStrideM +
                       word * g_.wordElements() * g_.gemm.lhsStrideK,
                   type);
    if (isFma()) {
      return k_.splat(k_.loadScalar(pointer, type), gemmLanes);
    }
    return asElements(k_.splat(loadWord(pointer, count), gemmLanes));
  }

  /// The first `count` elements of a word, and zeros, as an integer.
  Value loadWord(Value pointer, int64_t count) {
    int64_t bits = g_.gemm.lhsType.getIntOrFloatBitWidth();
    Type word = k_.b.getIntegerType(unsigned(bits * g_.wordElements()));
    if (count == g_.wordElements()) {
      return k_.loadRaw(word, pointer, bits / 8);
    }
    Type element = k_.b.getIntegerType(unsigned(bits));
    Value all;
    for (int64_t i = 0; i != count; ++i) {
      Value one = arith::ExtUIOp::create(
          k_.b, k_.loc, word,
          k_.loadRaw(element, k_.advance(pointer, i, element), bits / 8));
      one =
          arith::ShLIOp::create(k_.b, k_.loc, one, k_.integer(word, i * bits));
      all = all ? arith::OrIOp::create(k_.b, k_.loc, all, one) : one;
    }
    return all;
  }

  /// Words as the elements that are multiplied.
  Value asElements(Value words) {
    if (isFma()) {
      return words;
    }
    Value elements = vector::BitCastOp::create(
        k_.b, k_.loc,
        VectorType::get(g_.wordElements() * gemmLanes, g_.gemm.lhsType), words);
    if (isQuads()) {
      // The instruction takes lhs as unsigned: 128 more than it is.
      Value bit = k_.splat(k_.integer(k_.b.getI8Type(), -128), 4 * gemmLanes);
      return arith::XOrIOp::create(k_.b, k_.loc, elements, bit);
    }
    return widened(elements);
  }

  /// Pairs of i8 as pairs of i16.
  Value widened(Value elements) {
    auto type = cast<VectorType>(elements.getType());
    return type.getElementType().isInteger(8)
               ? arith::ExtSIOp::create(k_.b, k_.loc,
                                        type.clone(k_.b.getI16Type()), elements)
               : elements;
  }

  Value loadPanel(Value panel, int64_t word, int64_t v) {
    Type type = g_.gemm.rhsType;
    int64_t lanes = gemmLanes * g_.wordElements();
    Value pointer = k_.advance(
        panel, word * g_.schedule.nr * g_.wordElements() + v * lanes, type);
    if (isFma()) {
      return k_.loadVector(pointer, type, lanes);
    }
    Value elements = k_.loadRaw(VectorType::get(lanes, type), pointer,
                                type.getIntOrFloatBitWidth() / 8);
    return isQuads() ? elements : widened(elements);
  }

  Value callIntrinsic(StringRef name, Type type, ValueRange operands) {
    return LLVM::CallIntrinsicOp::create(k_.b, k_.loc, type,
                                         k_.b.getStringAttr(name), operands)
        .getResults();
  }

  Value multiplyAdd(Value sum, Value lhs, Value rhs) {
    Type type = sum.getType();
    if (isFma()) {
      return LLVM::FMAOp::create(k_.b, k_.loc, type, lhs, rhs, sum);
    }
    if (isQuads()) {
      return callIntrinsic("llvm.x86.avx512.vpdpbusd.512", type,
                           {sum, lhs, rhs});
    }
    if (g_.gemm.lhsType.isInteger()) {
      return k_.sum(sum, sumPairs(lhs, rhs));
    }
    return callIntrinsic("llvm.x86.avx512bf16.dpbf16ps.512", type,
                         {sum, lhs, rhs});
  }

  /// The sums of the products of pairs of i16, by halves of 256 bits: what all
  /// CPUs with AVX2 have.
  Value sumPairs(Value lhs, Value rhs) {
    Value sums[2];
    auto lanes = VectorType::get(gemmLanes / 2, k_.b.getI32Type());
    for (int64_t half = 0; half != 2; ++half) {
      auto order =
          llvm::to_vector(llvm::seq(half * gemmLanes, (half + 1) * gemmLanes));
      auto part = [&](Value pairs) -> Value {
        return vector::ShuffleOp::create(k_.b, k_.loc, pairs, pairs, order);
      };
      sums[half] = callIntrinsic("llvm.x86.avx2.pmadd.wd", lanes,
                                 {part(lhs), part(rhs)});
    }
    auto order = llvm::to_vector(llvm::seq<int64_t>(0, gemmLanes));
    return vector::ShuffleOp::create(k_.b, k_.loc, sums[0], sums[1], order);
  }

  /// Adds word number `word` from `lhs` and `panel` on to the sums.
  void step(Value lhs, Value panel, int64_t word, MutableArrayRef<Value> sums,
            int64_t count) {
    SmallVector<Value> rhs;
    for (int64_t v = 0; v != g_.vectors(); ++v) {
      rhs.push_back(loadPanel(panel, word, v));
    }
    for (int64_t i = 0; i != height_; ++i) {
      Value scalar = broadcastLhs(lhs, i, word, count);
      for (int64_t v = 0; v != g_.vectors(); ++v) {
        Value &sum = sums[i * g_.vectors() + v];
        sum = multiplyAdd(sum, scalar, rhs[v]);
      }
    }
    if (isQuads()) {
      Value excess =
          k_.splat(k_.integer(k_.b.getI8Type(), -128), 4 * gemmLanes);
      for (int64_t v = 0; v != g_.vectors(); ++v) {
        Value &sum = sums[height_ * g_.vectors() + v];
        sum = multiplyAdd(sum, excess, rhs[v]);
      }
    }
  }

  /// The sums of quads, without what 128 more of lhs made of them.
  SmallVector<Value> withoutExcess(SmallVector<Value> sums) {
    SmallVector<Value> excess(ArrayRef(sums).take_back(g_.vectors()));
    sums.truncate(height_ * g_.vectors());
    for (auto [i, sum] : llvm::enumerate(sums)) {
      sum = arith::SubIOp::create(k_.b, k_.loc, sum, excess[i % g_.vectors()]);
    }
    return sums;
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

  /// Of quads, also what each column has too much.
  SmallVector<Value> zeros() {
    Type type = KernelBuilder::computeType(g_.gemm.resultType);
    return SmallVector<Value>((height_ + isQuads()) * g_.vectors(),
                              k_.zeroVector(type, gemmLanes));
  }

  /// Adds `iterations` times ku words.
  State iterate(State state, int64_t iterations) {
    if (iterations == 0) {
      return state;
    }
    int64_t ku = g_.schedule.ku;
    return State::of(k_.forLoop(
        k_.i64(0), k_.i64(iterations), 1, state.carried(),
        [&](Value, ValueRange values) {
          State next = State::of(values);
          if (next_) {
            g_.panelPrefetch().fetch(k_, next_, panel_, next.panel);
          }
          for (int64_t word = 0; word != ku; ++word) {
            step(next.lhs, next.panel, word, next.sums, g_.wordElements());
          }
          next.lhs = advanceLhs(next.lhs, ku);
          next.panel = advancePanel(next.panel, ku);
          return next.carried();
        }));
  }

  SmallVector<Value> contract() {
    int64_t ku = g_.schedule.ku;
    // A part of the last word of K is not there to be loaded, unless packing
    // wrote zeros.
    int64_t remaining = g_.schedule.packLhs ? 0 : g_.gemm.k % g_.wordElements();
    int64_t wholeWords = g_.kWords - (remaining != 0);
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
      step(state.lhs, state.panel, word, state.sums, g_.wordElements());
    }
    if (remaining != 0) {
      step(state.lhs, state.panel, rest, state.sums, remaining);
    }
    if (isQuads()) {
      return withoutExcess(std::move(state.sums));
    }
    return totals.empty() ? state.sums : k_.addAll(totals, state.sums);
  }

  KernelBuilder k_;
  const kernel::FusionShape &shape_;
  const GemmGeometry &g_;
  int64_t height_;
  Value lhs_, panel_, args_, row_, column_, next_;
};

} // namespace

LLVM::LLVMFuncOp emitMicrokernel(OpBuilder &builder, Location loc,
                                 ModuleOp device, StringRef name,
                                 const kernel::FusionShape &shape,
                                 const GemmGeometry &geometry, int64_t height) {
  OpBuilder::InsertionGuard guard(builder);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i64 = builder.getI64Type();
  SmallVector<Type> arguments = {pointer, pointer, pointer, i64, i64};
  if (geometry.schedule.prefetch) {
    arguments.push_back(pointer);
  }
  LLVM::LLVMFuncOp function =
      createInternalFunction(builder, loc, device, name, arguments);
  MicrokernelEmitter(builder, loc, shape, geometry, height, function).emit();
  return function;
}

} // namespace minic::cpu
