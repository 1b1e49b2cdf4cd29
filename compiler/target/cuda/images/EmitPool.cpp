// SPDX-License-Identifier: Apache-2.0
//
// What is outside of the image is loaded from its beginning and dropped: no
// branch keeps loads apart.

#include "compiler/target/cuda/images/EmitPool.h"

#include "compiler/target/cuda/EpilogueEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;

namespace minic::cuda {

namespace {

class PoolEmitter {
public:
  PoolEmitter(CudaKernelBuilder &k, const ImageFusion &image,
              const PoolGeometry &geometry, Value input)
      : k_(k), image_(image), g_(geometry), s_(geometry.schedule),
        input_(input) {}

  /// The results of thread number `item`.
  void emit(Value item, EpilogueEmitter &epilogue) {
    auto take = [&](int64_t extent) {
      Value index = k_.rem(item, extent);
      item = k_.div(item, extent);
      return index;
    };
    Value channel = k_.mul(take(g_.channels / s_.channels), s_.channels);
    Value pixel = item;
    auto startOf = [&](const graph::WindowLine &line) {
      return k_.sub(k_.mul(take(line.outputs), line.stride),
                    k_.i32(line.before));
    };
    firstColumn_ = startOf(g_.columns);
    firstRow_ = startOf(g_.rows);
    Value first = k_.mul(item, g_.height * g_.width * g_.channels);
    input_ = k_.advance(input_, k_.add(first, channel), g_.dtype);
    Value state = reduce();
    if (image_.isAverage()) {
      state = arith::DivFOp::create(k_.b, k_.loc, state, spread(divisor()));
    }
    epilogue.emit({pixel, channel, s_.channels}, state);
  }

private:
  Value spread(Value scalar) {
    return s_.channels == 1 ? scalar : k_.splat(scalar, s_.channels);
  }

  /// What a window without elements is.
  Value neutral() {
    float none = image_.isMax() ? -std::numeric_limits<float>::infinity() : 0;
    return spread(
        arith::ConstantOp::create(k_.b, k_.loc, k_.b.getF32FloatAttr(none)));
  }

  Value combine(Value state, Value element) {
    if (image_.isMax()) {
      return arith::MaximumFOp::create(k_.b, k_.loc, state, element);
    }
    return arith::AddFOp::create(k_.b, k_.loc, state, element);
  }

  Value reduce() {
    Value state = neutral();
    if (g_.isUnrolled()) {
      for (int64_t r = 0; r != g_.rows.window; ++r) {
        state = addRow(k_.i32(r), state);
      }
      return state;
    }
    return k_.forLoop(k_.i32(0), k_.i32(g_.rows.window), 1, state,
                      [&](Value r, ValueRange carried) {
                        return SmallVector<Value>{addRow(r, carried[0])};
                      })[0];
  }

  /// With the elements of row `r` of the window.
  Value addRow(Value r, Value state) {
    Value row = k_.add(firstRow_, k_.mul(r, g_.rows.dilation));
    constexpr int64_t mostUnrolled = 16;
    if (g_.columns.window <= mostUnrolled) {
      for (int64_t s = 0; s != g_.columns.window; ++s) {
        state = addTap(row, k_.i32(s), state);
      }
      return state;
    }
    return k_.forLoop(k_.i32(0), k_.i32(g_.columns.window), 1, state,
                      [&](Value s, ValueRange carried) {
                        return SmallVector<Value>{addTap(row, s, carried[0])};
                      })[0];
  }

  Value addTap(Value row, Value s, Value state) {
    Value column = k_.add(firstColumn_, k_.mul(s, g_.columns.dilation));
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
    require(g_.rows, row);
    require(g_.columns, column);
    Value offset = k_.mul(k_.add(k_.mul(row, g_.width), column), g_.channels);
    if (isInside) {
      offset =
          arith::SelectOp::create(k_.b, k_.loc, isInside, offset, k_.i32(0));
    }
    Type memory = KernelBuilder::memoryType(g_.dtype);
    Value loaded = k_.loadAligned(
        s_.channels == 1 ? memory : Type(VectorType::get(s_.channels, memory)),
        k_.advance(input_, offset, g_.dtype));
    Value element = k_.toCompute(loaded, g_.dtype);
    if (isInside) {
      element =
          arith::SelectOp::create(k_.b, k_.loc, isInside, element, neutral());
    }
    return combine(state, element);
  }

  /// How many elements an average is of, f32.
  Value divisor() {
    Value count =
        k_.mul(countOf(g_.rows, firstRow_), countOf(g_.columns, firstColumn_));
    return arith::SIToFPOp::create(k_.b, k_.loc, k_.b.getF32Type(), count);
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

  CudaKernelBuilder &k_;
  const ImageFusion &image_;
  const PoolGeometry &g_;
  const PoolSchedule &s_;
  Value input_, firstRow_, firstColumn_;
};

} // namespace

void emitPool(Location loc, ModuleOp device, StringRef name,
              const ImageFusion &image, const PoolGeometry &geometry,
              int64_t operandCount) {
  OpBuilder builder(device.getContext());
  const PoolSchedule &s = geometry.schedule;
  KernelLaunchBounds bounds;
  bounds.threads = s.threads;
  bounds.pointers = operandCount + int64_t(image.after.results.size());
  KernelEntry entry = KernelEntry::create(builder, loc, device, name, bounds);
  CudaKernelBuilder k(builder, loc);
  SmallVector<Value> operands, results;
  for (int64_t i = 0; i != bounds.pointers; ++i) {
    (i < operandCount ? operands : results).push_back(entry.parameter(i));
  }
  auto input = cast<BlockArgument>(image.before.results[0]);
  PoolEmitter emitter(k, image, geometry, operands[input.getArgNumber()]);
  k.allowLaterLaunches(s.programmatic);
  Value item = k.add(k.mul(k.blockIdX(), s.threads), k.threadIdX());
  k.waitForEarlierLaunches(s.programmatic);
  auto body = [&] {
    EpilogueEmitter epilogue(k, image.after, operands, results);
    emitter.emit(item, epilogue);
  };
  if (geometry.items() % s.threads == 0) {
    body();
  } else {
    k.ifThen(k.lessThan(item, geometry.items()), body);
  }
}

} // namespace minic::cuda
