// SPDX-License-Identifier: Apache-2.0
//
// Width last: what a line of the result takes of each column of the input goes
// into a line of floats, in vectors; then results take that line's elements.

#include "compiler/target/cpu/images/EmitImages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace minic::cpu {

namespace {

/// Where things are in scratch, in elements of 4 bytes.
struct LineMemory {
  /// The line: columns from `before` on, then room for windows and vectors that
  /// reach over the end.
  int64_t before = 0;
  /// Behind the line, for each result: of an average its window's columns; of a
  /// resize two indices of the line and their weights.
  int64_t tables = 0, results = 0, count = 0;

  explicit LineMemory(const ImageFusion &image) {
    int64_t width = image.before.space[3];
    results = llvm::alignTo(image.after.space[3], kImageLanes);
    int64_t last = width + kImageLanes;
    if (image.pool) {
      graph::WindowLine line = image.window(1);
      before = line.before;
      last = (results - 1) * line.stride + line.reach() + kImageLanes;
      count = image.isAverage();
    } else if (image.widthFactor(kImageLanes)) {
      before = 1;
    } else if (!image.line(1).isIdentity()) {
      count = image.isNearest() ? 1 : 4;
    }
    tables = llvm::alignTo(std::max(before + width, last) + kImageLanes,
                           kImageLanes);
  }
  int64_t bytes() const { return 4 * (tables + count * results); }
};

class LineEmitter {
public:
  explicit LineEmitter(ImageEmitter &emitter)
      : emitter(emitter), k(emitter.k), image(emitter.image), memory(image),
        f32(k.b.getF32Type()) {}

  void emitTables() {
    if (image.pool) {
      Value none = k.splat(emitter.neutral(), kImageLanes);
      k.forLoop(k.i64(0), k.i64(memory.tables), kImageLanes, [&](Value at) {
        k.storeVector(none, k.advance(emitter.scratch, at, f32), f32);
      });
    }
    if (memory.count == 0) {
      return;
    }
    int64_t width = image.after.space[3];
    k.forLoop(k.i64(0), k.i64(memory.results), 1, [&](Value q) {
      // Behind the last result as at it.
      Value result = k.min(q, k.i64(width - 1));
      if (image.pool) {
        ImageWindow window(k, image.window(1), result);
        store32(emitter.toFloat(window.count(k, image.countsPads())), table(0),
                q);
        return;
      }
      ImageSource source(k, image, 1, result);
      store32(truncated(source.first), table(0), q);
      if (source.second) {
        store32(truncated(source.second), table(1), q);
        store32(source.firstWeight, table(2), q);
        store32(source.secondWeight, table(3), q);
      }
    });
  }

  void emit(Value line) {
    ArrayRef<int64_t> to = image.after.space;
    Value p = k.rem(line, to[2]), plane = k.div(line, to[2]);
    std::optional<Value> rowCount;
    if (image.pool) {
      ImageWindow rows(k, image.window(0), p);
      fillPooled(rows, plane);
      if (image.isAverage()) {
        rowCount = rows.count(k, image.countsPads());
      }
    } else {
      fillResized(ImageSource(k, image, 0, p), plane);
    }
    EpilogueEmitter::Row result = emitter.after.row(line);
    forEachVector(to[3], [&](Value q, Value mask) {
      Value value = image.pool ? pooled(q, rowCount) : resized(q);
      emitter.after.emit(result, q, kImageLanes, mask, value);
    });
  }

private:
  /// Vectors of `extent` elements, the last one masked.
  void forEachVector(int64_t extent,
                     llvm::function_ref<void(Value, Value)> body) {
    int64_t aligned = extent / kImageLanes * kImageLanes;
    if (aligned > 0) {
      k.forLoop(k.i64(0), k.i64(aligned), kImageLanes,
                [&](Value at) { body(at, {}); });
    }
    if (aligned != extent) {
      Value at = k.i64(aligned);
      body(at, k.tailMask(k.i64(extent - aligned), kImageLanes));
    }
  }

  Value read(const EpilogueEmitter::Row &row, Value w, Value mask) {
    return emitter.before.emitValue(row, w, kImageLanes, mask,
                                    image.before.results[0]);
  }
  EpilogueEmitter::Row inputRow(Value plane, Value h) {
    return emitter.before.row(k.add(k.mul(plane, image.before.space[2]), h));
  }
  void storeLine(Value value, Value w, Value mask) {
    k.storeVector(value,
                  k.advance(emitter.scratch, k.add(w, memory.before), f32), f32,
                  mask);
  }

  /// Each column's maximum or sum over the window's rows.
  void fillPooled(const ImageWindow &rows, Value plane) {
    forEachVector(image.before.space[3], [&](Value w, Value mask) {
      SmallVector<Value> initial{k.splat(emitter.neutral(), kImageLanes)};
      Value state = k.forLoop(
          rows.first, rows.last, 1, initial, [&](Value r, ValueRange carried) {
            Value h = k.add(rows.start, k.mul(r, rows.line.dilation));
            return SmallVector<Value>{
                emitter.combine(carried[0], read(inputRow(plane, h), w, mask))};
          })[0];
      storeLine(state, w, mask);
    });
  }

  void fillResized(const ImageSource &source, Value plane) {
    EpilogueEmitter::Row first = inputRow(plane, source.first), second;
    if (source.second) {
      second = inputRow(plane, source.second);
    }
    forEachVector(image.before.space[3], [&](Value w, Value mask) {
      Value value = read(first, w, mask);
      if (source.second) {
        value = emitter.weighed(value, k.splat(source.firstWeight, kImageLanes),
                                read(second, w, mask),
                                k.splat(source.secondWeight, kImageLanes));
      }
      storeLine(value, w, mask);
    });
    if (image.widthFactor(kImageLanes)) {
      int64_t end = memory.before + image.before.space[3];
      copyElement(memory.before, memory.before - 1);
      copyElement(end - 1, end);
    }
  }
  void copyElement(int64_t from, int64_t to) {
    Value element = k.loadScalar(k.advance(emitter.scratch, from, f32), f32);
    store32(element, emitter.scratch, k.i64(to));
  }

  /// Every `stride`-th element of the line from `at` on.
  Value strided(Value at, int64_t stride) {
    Value from = k.advance(emitter.scratch, at, f32);
    if (stride == 1) {
      return k.loadVector(from, f32, kImageLanes);
    }
    if (stride == 2) {
      Value low = k.loadVector(from, f32, kImageLanes);
      Value high =
          k.loadVector(k.advance(from, kImageLanes, f32), f32, kImageLanes);
      SmallVector<int64_t> even;
      for (int64_t lane = 0; lane < kImageLanes; ++lane) {
        even.push_back(2 * lane);
      }
      return vector::ShuffleOp::create(k.b, k.loc, low, high, even);
    }
    SmallVector<Value> elements;
    for (int64_t lane = 0; lane < kImageLanes; ++lane) {
      elements.push_back(
          k.loadScalar(k.advance(from, lane * stride, f32), f32));
    }
    return fromElements(elements);
  }

  Value fromElements(ArrayRef<Value> elements) {
    auto type = VectorType::get(kImageLanes, elements.front().getType());
    return vector::FromElementsOp::create(k.b, k.loc, type, elements);
  }

  Value pooled(Value q, std::optional<Value> rowCount) {
    graph::WindowLine line = image.window(1);
    Value first = k.mul(q, line.stride), state;
    for (int64_t s = 0; s < line.window; ++s) {
      Value part = strided(k.add(first, s * line.dilation), line.stride);
      state = state ? emitter.combine(state, part) : part;
    }
    if (rowCount) {
      Value counts =
          k.loadVector(k.advance(table(0), q, f32), f32, kImageLanes);
      counts = arith::MulFOp::create(
          k.b, k.loc, counts, k.splat(emitter.toFloat(*rowCount), kImageLanes));
      state = arith::DivFOp::create(k.b, k.loc, state, counts);
    }
    return state;
  }

  Value table(int64_t number) {
    return k.advance(emitter.scratch, memory.tables + number * memory.results,
                     f32);
  }
  Value truncated(Value index) {
    return arith::TruncIOp::create(k.b, k.loc, k.b.getI32Type(), index);
  }
  void store32(Value value, Value base, Value at) {
    k.storeRaw(value, k.advance(base, at, f32), 4);
  }

  /// The line's elements at the indices of a table.
  Value taken(int64_t number, Value q) {
    SmallVector<Value> elements;
    Value from = k.advance(table(number), q, f32);
    for (int64_t lane = 0; lane < kImageLanes; ++lane) {
      Value at = k.loadRaw(k.b.getI32Type(), k.advance(from, lane, f32), 4);
      at = arith::ExtUIOp::create(k.b, k.loc, k.b.getI64Type(), at);
      elements.push_back(
          k.loadScalar(k.advance(emitter.scratch, at, f32), f32));
    }
    return fromElements(elements);
  }

  /// `factor` results for each element: lanes of a vector choose among those
  /// around its first, and what they choose is the same for all vectors.
  Value repeated(Value q, int64_t factor) {
    graph::ResizeLine line = image.line(1);
    Value around = k.loadVector(
        k.advance(emitter.scratch, k.div(q, factor), f32), f32, kImageLanes);
    SmallVector<int64_t> first, second;
    SmallVector<float> firstWeight, secondWeight;
    for (int64_t lane = 0; lane < kImageLanes; ++lane) {
      if (image.isNearest()) {
        first.push_back(line.nearest(lane) + 1);
        continue;
      }
      // Beyond both ends the line repeats its last element.
      int64_t at = line.scale * lane + line.offset + line.divisor;
      first.push_back(at / line.divisor);
      second.push_back(at / line.divisor + 1);
      double rest = double(at % line.divisor) / double(line.divisor);
      firstWeight.push_back(float(1 - rest));
      secondWeight.push_back(float(rest));
    }
    Value chosen = vector::ShuffleOp::create(k.b, k.loc, around, around, first);
    if (image.isNearest()) {
      return chosen;
    }
    auto weights = [&](ArrayRef<float> values) -> Value {
      auto type = VectorType::get(kImageLanes, f32);
      return arith::ConstantOp::create(k.b, k.loc,
                                       DenseElementsAttr::get(type, values));
    };
    Value next = vector::ShuffleOp::create(k.b, k.loc, around, around, second);
    return emitter.weighed(chosen, weights(firstWeight), next,
                           weights(secondWeight));
  }

  Value resized(Value q) {
    if (image.line(1).isIdentity()) {
      return strided(q, 1);
    }
    if (int64_t factor = image.widthFactor(kImageLanes)) {
      return repeated(q, factor);
    }
    Value first = taken(0, q);
    if (image.isNearest()) {
      return first;
    }
    auto weights = [&](int64_t number) {
      return k.loadVector(k.advance(table(number), q, f32), f32, kImageLanes);
    };
    return emitter.weighed(first, weights(2), taken(1, q), weights(3));
  }

  ImageEmitter &emitter;
  KernelBuilder &k;
  const ImageFusion &image;
  LineMemory memory;
  Type f32;
};

} // namespace

int64_t lineScratchBytes(const ImageFusion &image) {
  return LineMemory(image).bytes();
}

void emitLineTables(ImageEmitter &emitter) {
  LineEmitter(emitter).emitTables();
}

void emitLine(ImageEmitter &emitter, Value line) {
  LineEmitter(emitter).emit(line);
}

} // namespace minic::cpu
