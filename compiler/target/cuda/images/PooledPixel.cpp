// SPDX-License-Identifier: Apache-2.0
//
// Windows of few taps are unrolled, so that all their loads are under way.

#include "compiler/target/cuda/images/PixelSource.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;

namespace minic::cuda {

namespace {

class PoolEmitter {
public:
  explicit PoolEmitter(const PixelSource &source)
      : source_(source), k_(source.k), image_(source.image),
        g_(source.geometry), firstRow_(startOf(g_.rows, source.row)),
        firstColumn_(startOf(g_.columns, source.column)) {}

  Value emit() {
    Value state = reduce();
    if (image_.isAverage()) {
      state =
          arith::DivFOp::create(k_.b, k_.loc, state, source_.spread(divisor()));
    }
    return state;
  }

private:
  Value startOf(const graph::WindowLine &line, Value output) {
    return k_.sub(k_.mul(output, line.stride), k_.i32(line.before));
  }

  /// What a window without elements is.
  Value neutral() {
    float none = image_.isMax() ? -std::numeric_limits<float>::infinity() : 0;
    return source_.spread(
        arith::ConstantOp::create(k_.b, k_.loc, k_.b.getF32FloatAttr(none)));
  }

  Value combine(Value state, Value element) {
    if (image_.isMax()) {
      return arith::MaximumFOp::create(k_.b, k_.loc, state, element);
    }
    return arith::AddFOp::create(k_.b, k_.loc, state, element);
  }

  Value reduce() {
    return forTaps(g_.isUnrolled(), g_.rows.window, neutral(),
                   [&](Value r, Value state) { return addRow(r, state); });
  }

  /// With the elements of row `r` of the window.
  Value addRow(Value r, Value state) {
    Value h = k_.add(firstRow_, k_.mul(r, g_.rows.dilation));
    return forTaps(g_.isLineUnrolled(), g_.columns.window, state,
                   [&](Value s, Value inner) { return addTap(h, s, inner); });
  }

  Value forTaps(bool isUnrolled, int64_t count, Value state,
                llvm::function_ref<Value(Value, Value)> add) {
    if (isUnrolled) {
      for (int64_t i = 0; i != count; ++i) {
        state = add(k_.i32(i), state);
      }
      return state;
    }
    return k_.forLoop(k_.i32(0), k_.i32(count), 1, state,
                      [&](Value i, ValueRange carried) {
                        return SmallVector<Value>{add(i, carried[0])};
                      })[0];
  }

  Value addTap(Value h, Value s, Value state) {
    Value w = k_.add(firstColumn_, k_.mul(s, g_.columns.dilation));
    Value isInside;
    auto require = [&](const graph::WindowLine &line, Value index) {
      if (line.isInside()) {
        return;
      }
      Value holds = arith::CmpIOp::create(
          k_.b, k_.loc, arith::CmpIPredicate::ult, index, k_.i32(line.extent));
      isInside =
          isInside
              ? arith::AndIOp::create(k_.b, k_.loc, isInside, holds).getResult()
              : holds;
    };
    require(g_.rows, h);
    require(g_.columns, w);
    Value element = source_.read(h, w, isInside);
    if (isInside) {
      element =
          arith::SelectOp::create(k_.b, k_.loc, isInside, element, neutral());
    }
    return combine(state, element);
  }

  /// How many elements an average is of, f32.
  Value divisor() {
    return source_.toFloat(
        k_.mul(countOf(g_.rows, firstRow_), countOf(g_.columns, firstColumn_)));
  }

  Value countOf(const graph::WindowLine &line, Value start) {
    if (line.isInside()) {
      return k_.i32(line.window);
    }
    auto below = [&](int64_t bound) {
      Value room = k_.sub(k_.i32(bound + line.dilation - 1), start);
      return k_.min(k_.div(k_.max(room, k_.i32(0)), line.dilation),
                    k_.i32(line.window));
    };
    return image_.countsPads() ? below(line.extent + line.after)
                               : k_.sub(below(line.extent), below(0));
  }

  const PixelSource &source_;
  CudaKernelBuilder &k_;
  const ImageFusion &image_;
  const ImageGeometry &g_;
  Value firstRow_, firstColumn_;
};

} // namespace

Value emitPooled(const PixelSource &source) {
  return PoolEmitter(source).emit();
}

} // namespace minic::cuda
