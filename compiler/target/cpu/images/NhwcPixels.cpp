// SPDX-License-Identifier: Apache-2.0
//
// Channels last: a pixel of the result is made of whole pixels of the input.

#include "compiler/target/cpu/images/EmitImages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace minic::cpu {

namespace {

/// Independent vectors that hide the latency of a maximum or a sum.
constexpr int64_t kVectors = 4;

class PixelEmitter {
public:
  PixelEmitter(ImageEmitter &emitter, Value pixel)
      : emitter(emitter), k(emitter.k), image(emitter.image), pixel(pixel) {
    ArrayRef<int64_t> to = image.after.space, from = image.before.space;
    channels = to[3];
    height = from[1];
    width = from[2];
    q = k.rem(pixel, to[2]);
    Value line = k.div(pixel, to[2]);
    p = k.rem(line, to[1]);
    n = k.div(line, to[1]);
  }

  void emit() {
    if (image.pool) {
      rows.emplace(k, image.window(0), p);
      columns.emplace(k, image.window(1), q);
      if (image.isAverage()) {
        divisor = emitter.toFloat(k.mul(rows->count(k, image.countsPads()),
                                        columns->count(k, image.countsPads())));
      }
    } else {
      heights.emplace(k, image, 0, p);
      widths.emplace(k, image, 1, q);
    }
    result = emitter.after.row(pixel);
    int64_t step = kVectors * kImageLanes, whole = channels / step * step;
    if (whole > 0) {
      k.forLoop(k.i64(0), k.i64(whole), step,
                [&](Value channel) { emitVectors(channel, kVectors, false); });
    }
    int64_t aligned = channels / kImageLanes * kImageLanes;
    for (int64_t at = whole; at < aligned; at += kImageLanes) {
      emitVectors(k.i64(at), 1, false);
    }
    if (aligned != channels) {
      emitVectors(k.i64(aligned), 1, true);
    }
  }

private:
  void emitVectors(Value channel, int64_t count, bool isMasked) {
    SmallVector<Value> starts;
    for (int64_t i = 0; i < count; ++i) {
      starts.push_back(k.add(channel, i * kImageLanes));
    }
    Value mask = isMasked
                     ? k.tailMask(k.sub(k.i64(channels), channel), kImageLanes)
                     : Value();
    SmallVector<Value> values =
        image.pool ? pooled(starts, mask) : resized(starts, mask);
    for (auto [start, value] : llvm::zip_equal(starts, values)) {
      emitter.after.emit(result, start, kImageLanes, mask, value);
    }
  }

  /// Vectors of the input's pixel.
  SmallVector<Value> read(Value h, Value w, ArrayRef<Value> starts,
                          Value mask) {
    Value at = k.add(k.mul(k.add(k.mul(n, height), h), width), w);
    EpilogueEmitter::Row row = emitter.before.row(at);
    return llvm::map_to_vector(starts, [&](Value start) {
      return emitter.before.emitValue(row, start, kImageLanes, mask,
                                      image.before.results[0]);
    });
  }

  SmallVector<Value> pooled(ArrayRef<Value> starts, Value mask) {
    SmallVector<Value> initial(starts.size(),
                               k.splat(emitter.neutral(), kImageLanes));
    SmallVector<Value> states = k.forLoop(
        rows->first, rows->last, 1, initial, [&](Value r, ValueRange outer) {
          Value h = k.add(rows->start, k.mul(r, rows->line.dilation));
          return k.forLoop(columns->first, columns->last, 1, outer,
                           [&](Value s, ValueRange inner) {
                             Value w = k.add(columns->start,
                                             k.mul(s, columns->line.dilation));
                             SmallVector<Value> next;
                             for (auto [state, element] : llvm::zip_equal(
                                      inner, read(h, w, starts, mask))) {
                               next.push_back(emitter.combine(state, element));
                             }
                             return next;
                           });
        });
    for (Value &state : states) {
      if (divisor) {
        state = arith::DivFOp::create(k.b, k.loc, state,
                                      k.splat(divisor, kImageLanes));
      }
    }
    return states;
  }

  SmallVector<Value> resized(ArrayRef<Value> starts, Value mask) {
    return weighed(*heights, [&](Value h) {
      return weighed(*widths,
                     [&](Value w) { return read(h, w, starts, mask); });
    });
  }

  SmallVector<Value>
  weighed(const ImageSource &source,
          llvm::function_ref<SmallVector<Value>(Value)> readAt) {
    SmallVector<Value> values = readAt(source.first);
    if (!source.second) {
      return values;
    }
    Value first = k.splat(source.firstWeight, kImageLanes);
    Value second = k.splat(source.secondWeight, kImageLanes);
    for (auto [value, other] : llvm::zip_equal(values, readAt(source.second))) {
      value = emitter.weighed(value, first, other, second);
    }
    return values;
  }

  ImageEmitter &emitter;
  KernelBuilder &k;
  const ImageFusion &image;
  Value pixel, n, p, q, divisor;
  int64_t channels, height, width;
  std::optional<ImageWindow> rows, columns;
  std::optional<ImageSource> heights, widths;
  EpilogueEmitter::Row result;
};

} // namespace

void emitPixel(ImageEmitter &emitter, Value pixel) {
  PixelEmitter(emitter, pixel).emit();
}

} // namespace minic::cpu
