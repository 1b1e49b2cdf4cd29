// SPDX-License-Identifier: Apache-2.0
//
// Ops that move, repeat or reduce elements, here or in the graph.

#include "compiler/import/onnx/Emitter.h"

#include "dialects/graph/ShapeText.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

namespace minic {

Value Emitter::reshape(const Value &x, ArrayRef<int64_t> dims) {
  if (!x || ArrayRef<int64_t>(x.dims) == dims) {
    return x;
  }
  if (!isPossible(dims) || elementsOf(dims) != x.elements()) {
    return fail("cannot reshape " + graph::shapeText(x.dims) + " to " +
                graph::shapeText(dims));
  }
  if (hasRoom(dims) && onHost({&x})) {
    HostTensor result = *known(x);
    result.dims.assign(dims.begin(), dims.end());
    return constant(std::move(result));
  }
  mlir::Value operand = graph(x);
  return operand ? emitAs<graph::ReshapeOp>(x.dataType, dims, operand)
                 : Value();
}

Value Emitter::transpose(const Value &x, ArrayRef<int64_t> permutation) {
  if (!x) {
    return {};
  }
  Dims sorted(permutation), dims;
  llvm::sort(sorted);
  if (sorted != llvm::to_vector<4>(llvm::seq<int64_t>(0, x.rank()))) {
    return fail("expected a permutation of " + Twine(x.rank()) +
                " dimensions, got " + graph::shapeText(permutation));
  }
  if (llvm::is_sorted(permutation)) {
    return x;
  }
  for (int64_t from : permutation) {
    dims.push_back(x.dims[from]);
  }
  if (hasRoom(dims) && onHost({&x})) {
    Dims strides = stridesOf(x.dims);
    return constant(known(x)->rearranged(dims, [&](int64_t i) {
      int64_t offset = 0;
      for (size_t d = dims.size(); d-- > 0; i /= dims[d]) {
        offset += i % dims[d] * strides[permutation[d]];
      }
      return offset;
    }));
  }
  mlir::Value operand = graph(x);
  return operand ? emit<graph::TransposeOp>(operand, permutation) : Value();
}

Value Emitter::expand(const Value &x, ArrayRef<int64_t> dims) {
  if (!x || ArrayRef<int64_t>(x.dims) == dims) {
    return x;
  }
  FailureOr<SmallVector<int64_t>> shape = graph::broadcastShapes(x.dims, dims);
  if (failed(shape) || ArrayRef<int64_t>(*shape) != dims || !isPossible(dims)) {
    return fail("cannot expand " + graph::shapeText(x.dims) + " to " +
                graph::shapeText(dims));
  }
  if (hasRoom(dims) && onHost({&x})) {
    return constant(expandHost(*known(x), dims));
  }
  mlir::Value operand = graph(x);
  return operand ? emitAs<graph::BroadcastOp>(x.dataType, dims, operand)
                 : Value();
}

/// Whether `count` elements from `start` on are there, `step` apart.
static bool areInside(int64_t start, int64_t count, int64_t step,
                      int64_t extent) {
  int64_t last = 0;
  return count == 0 || (count > 0 && start >= 0 && start < extent &&
                        !__builtin_mul_overflow(count - 1, step, &last) &&
                        !__builtin_add_overflow(last, start, &last) &&
                        last >= 0 && last < extent);
}

Value Emitter::slice(const Value &x, ArrayRef<int64_t> starts,
                     ArrayRef<int64_t> counts, ArrayRef<int64_t> steps) {
  if (!x) {
    return {};
  }
  bool isAll = true, isForward = true;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (!areInside(starts[d], counts[d], steps[d], x.dims[d])) {
      return fail(Twine(counts[d]) + " elements from " + Twine(starts[d]) +
                  " on, " + Twine(steps[d]) + " apart, of " + Twine(x.dims[d]));
    }
    isAll = isAll && starts[d] == 0 && steps[d] == 1 && counts[d] == x.dims[d];
    isForward = isForward && steps[d] > 0;
  }
  if (isAll) {
    return x;
  }
  if (hasRoom(counts) && onHost({&x})) {
    Dims strides = stridesOf(x.dims);
    return constant(known(x)->rearranged(counts, [&](int64_t i) {
      int64_t offset = 0;
      for (size_t d = counts.size(); d-- > 0; i /= counts[d]) {
        offset += (starts[d] + i % counts[d] * steps[d]) * strides[d];
      }
      return offset;
    }));
  }
  if (elementsOf(counts) == 0) {
    // Nobody can tell one tensor without elements from another.
    return constant(HostTensor::splat(x.dataType, counts, 0));
  }
  Value result = x;
  Dims from(starts), by(steps);
  for (int64_t d = 0; d < x.rank() && !isForward; ++d) {
    if (steps[d] < 0) {
      if (!hasRoom(counts[d])) {
        return fail("a step below 0 over " + Twine(counts[d]) + " elements");
      }
      Dims indices;
      for (int64_t i = 0; i < counts[d]; ++i) {
        indices.push_back(starts[d] + i * steps[d]);
      }
      result = gather(result, ints(indices), d);
      from[d] = 0;
      by[d] = 1;
    }
  }
  Dims to;
  for (int64_t d = 0; d < x.rank(); ++d) {
    to.push_back(from[d] + (counts[d] - 1) * by[d] + 1);
  }
  mlir::Value operand = graph(result);
  return operand ? emit<graph::SliceOp>(operand, ArrayRef<int64_t>(from),
                                        ArrayRef<int64_t>(to),
                                        ArrayRef<int64_t>(by))
                 : Value();
}

Value Emitter::sliceAxis(const Value &x, int64_t axis, int64_t begin,
                         int64_t end) {
  if (!x) {
    return {};
  }
  if (axis >= x.rank() || begin < 0 || end < begin || end > x.dims[axis]) {
    return fail("elements " + Twine(begin) + " to " + Twine(end) + " of axis " +
                Twine(axis) + " of " + graph::shapeText(x.dims));
  }
  Dims starts(x.rank(), 0), steps(x.rank(), 1), counts(x.dims);
  starts[axis] = begin;
  counts[axis] = end - begin;
  return slice(x, starts, counts, steps);
}

Value Emitter::concat(ArrayRef<Value> values, int64_t axis) {
  if (values.empty() || (values.front() && axis >= values.front().rank())) {
    return fail("expected operands with an axis " + Twine(axis));
  }
  SmallVector<Value> parts;
  bool isHost = true;
  Dims dims;
  for (const Value &value : values) {
    if (!value) {
      return {};
    }
    if (value.rank() != values.front().rank() ||
        value.dataType != values.front().dataType) {
      return fail("expected operands of one rank and dtype");
    }
    for (int64_t d = 0; d < value.rank(); ++d) {
      if (d != axis && value.dims[d] != values.front().dims[d]) {
        return fail("expected shapes that agree but for axis " + Twine(axis) +
                    ", got " + graph::shapeText(values.front().dims) + " and " +
                    graph::shapeText(value.dims));
      }
    }
    if (dims.empty()) {
      dims = value.dims;
    } else {
      dims[axis] += value.dims[axis];
    }
    if (!isPossible(dims)) {
      return fail("a result of " + graph::shapeText(dims));
    }
    if (value.dims[axis] != 0) {
      parts.push_back(value);
      isHost = isHost && onHost({&value});
    }
  }
  if (parts.size() < 2) {
    return parts.empty() ? values.front() : parts.front();
  }
  if (isHost && hasRoom(dims)) {
    HostTensor result;
    result.dataType = parts[0].dataType;
    result.dims = dims;
    int64_t outer = elementsOf(ArrayRef<int64_t>(dims).take_front(axis));
    for (int64_t i = 0; i < outer; ++i) {
      for (const Value &part : parts) {
        auto tensor = known(part);
        int64_t run = tensor->elements() / outer;
        if (tensor->isFloat()) {
          result.floats.insert(result.floats.end(),
                               tensor->floats.begin() + i * run,
                               tensor->floats.begin() + (i + 1) * run);
        } else {
          result.ints.insert(result.ints.end(), tensor->ints.begin() + i * run,
                             tensor->ints.begin() + (i + 1) * run);
        }
      }
    }
    return constant(std::move(result));
  }
  SmallVector<mlir::Value> operands;
  for (const Value &part : parts) {
    operands.push_back(graph(part));
    if (!operands.back()) {
      return {};
    }
  }
  return emit<graph::ConcatOp>(ValueRange(operands), uint64_t(axis));
}

Value Emitter::gather(const Value &x, Value indices, int64_t axis) {
  if (!x || !indices) {
    return {};
  }
  if (indices.isFloat()) {
    return fail("expected integer indices, got " +
                dataTypeName(indices.dataType));
  }
  if (axis >= x.rank()) {
    return fail("axis " + Twine(axis) + " is outside of rank " +
                Twine(x.rank()));
  }
  int64_t extent = x.dims[axis];
  Dims dims(ArrayRef<int64_t>(x.dims).take_front(axis));
  llvm::append_range(dims, indices.dims);
  llvm::append_range(dims, ArrayRef<int64_t>(x.dims).drop_front(axis + 1));
  if (!isPossible(dims)) {
    return fail("a result of " + graph::shapeText(dims));
  }
  if (auto at = known(indices)) {
    HostTensor positive = *at;
    for (int64_t &index : positive.ints) {
      index += index < 0 ? extent : 0;
      if (index < 0 || index >= extent) {
        return fail("index " + Twine(index) + " is outside of axis " +
                    Twine(axis) + " of " + graph::shapeText(x.dims));
      }
    }
    if (hasRoom(dims) && onHost({&x})) {
      int64_t inner = stridesOf(x.dims)[axis], count = positive.elements();
      return constant(known(x)->rearranged(dims, [&](int64_t i) {
        int64_t index = positive.ints[i / inner % count];
        return (i / inner / count * extent + index) * inner + i % inner;
      }));
    }
    indices = constant(std::move(positive));
  } else {
    Value isNegative =
        compare(graph::ComparePredicate::Lt, indices, scalar(0, indices));
    indices =
        select(isNegative, add(indices, scalar(extent, indices)), indices);
  }
  if (indices && indices.elements() == 0) {
    return constant(HostTensor::splat(x.dataType, dims, 0));
  }
  mlir::Value operand = graph(x), where = graph(indices);
  return operand && where
             ? emit<graph::GatherOp>(operand, where, uint64_t(axis))
             : Value();
}

Value Emitter::pad(const Value &x, ArrayRef<int64_t> before,
                   ArrayRef<int64_t> after, double value) {
  if (!x) {
    return {};
  }
  if (llvm::all_of(before, [](int64_t n) { return n == 0; }) &&
      llvm::all_of(after, [](int64_t n) { return n == 0; })) {
    return x;
  }
  Dims dims(x.dims);
  bool isSound = true;
  for (int64_t d = 0; d < x.rank(); ++d) {
    isSound = isSound && before[d] >= 0 && after[d] >= 0 &&
              !__builtin_add_overflow(dims[d], before[d], &dims[d]) &&
              !__builtin_add_overflow(dims[d], after[d], &dims[d]);
  }
  if (!isSound || !isPossible(dims)) {
    return fail("cannot pad " + graph::shapeText(x.dims) + " by " +
                graph::shapeText(before) + " and " + graph::shapeText(after));
  }
  if (hasRoom(dims) && onHost({&x})) {
    HostTensor result = HostTensor::splat(x.dataType, dims, value);
    Dims strides = stridesOf(dims);
    auto tensor = known(x);
    for (int64_t i = 0; i < tensor->elements(); ++i) {
      int64_t at = 0, rest = i;
      for (size_t d = dims.size(); d-- > 0; rest /= x.dims[d]) {
        at += (rest % x.dims[d] + before[d]) * strides[d];
      }
      (x.isFloat() ? void(result.floats[at] = tensor->floats[i])
                   : void(result.ints[at] = tensor->ints[i]));
    }
    return constant(std::move(result));
  }
  mlir::Value operand = graph(x);
  return operand
             ? emit<graph::PadOp>(operand, before, after, llvm::APFloat(value))
             : Value();
}

Value Emitter::iota(int dataType, ArrayRef<int64_t> dims, int64_t axis) {
  if (!isPossible(dims)) {
    return fail("a tensor of " + graph::shapeText(dims));
  }
  if (!hasRoom(dims)) {
    return emitAs<graph::IotaOp>(dataType, dims, uint64_t(axis));
  }
  HostTensor result = HostTensor::splat(dataType, dims, 0);
  int64_t inner = stridesOf(dims)[axis], count = elementsOf(dims);
  for (int64_t i = 0; i < count; ++i) {
    int64_t index = i / inner % dims[axis];
    (result.isFloat() ? void(result.floats[i] = double(index))
                      : void(result.ints[i] = index));
  }
  return constant(std::move(result));
}

Value Emitter::reduce(graph::ReduceKind kind, const Value &x,
                      ArrayRef<int64_t> axes, bool keepDims) {
  if (!x || axes.empty()) {
    return x;
  }
  if (axes.back() >= x.rank()) {
    return fail("axis " + Twine(axes.back()) + " is outside of rank " +
                Twine(x.rank()));
  }
  Dims dims;
  int64_t count = 1;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (!llvm::is_contained(axes, d)) {
      dims.push_back(x.dims[d]);
      continue;
    }
    count *= x.dims[d];
    if (keepDims) {
      dims.push_back(1);
    }
  }
  if (x.elements() == 0) {
    return fail("a reduction of no elements");
  }
  if (!hasRoom(dims) || !onHost({&x})) {
    mlir::Value operand = graph(x);
    return operand ? emit<graph::ReduceOp>(kind, operand, axes, keepDims)
                   : Value();
  }
  bool isMean = kind == graph::ReduceKind::Mean;
  HostTensor result = reduceHost(
      *known(x), axes,
      [&](double a, double b) {
        switch (kind) {
        case graph::ReduceKind::Max:
          return std::max(a, b);
        case graph::ReduceKind::Min:
          return std::min(a, b);
        case graph::ReduceKind::Prod:
          return a * b;
        default:
          return a + b;
        }
      },
      [&](int64_t a, int64_t b) {
        switch (kind) {
        case graph::ReduceKind::Max:
          return std::max(a, b);
        case graph::ReduceKind::Min:
          return std::min(a, b);
        case graph::ReduceKind::Prod:
          return int64_t(uint64_t(a) * uint64_t(b));
        default:
          return int64_t(uint64_t(a) + uint64_t(b));
        }
      });
  for (double &value : result.floats) {
    value = isMean ? roundTo(x.dataType, value / double(count)) : value;
  }
  for (int64_t &value : result.ints) {
    value = isMean ? value / count : value;
  }
  result.dims = dims;
  return constant(std::move(result));
}

} // namespace minic
