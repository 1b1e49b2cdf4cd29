// SPDX-License-Identifier: Apache-2.0
//
// Ops whose result elements are elements of an operand, or constants: exact
// but for the errors that come along.

#include "compiler/reference/Elements.h"
#include "compiler/reference/OpRecord.h"
#include "compiler/reference/Storage.h"
#include "compiler/reference/Tolerance.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace minic::reference {

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

constexpr Element kAnyElement{0, kAnything, kAnything};

/// An index operand's value within [0, last]; none where it is not certain.
std::optional<int64_t> clampedIndex(const Element &element, int64_t last) {
  if (element.error > 0) {
    return std::nullopt;
  }
  return int64_t(std::min(std::max(element.value, 0.0), double(last)));
}

void evaluateGather(Operation *op, unsigned, Lookup operand,
                    RowTensor &result) {
  auto gather = cast<graph::GatherOp>(op);
  ScatteredReader input(operand(gather.getInput()));
  ScatteredReader indices(operand(gather.getIndices()));
  ElementWriter out(result);
  auto shape = typeOf(gather.getInput()).getShape();
  auto indexShape = typeOf(gather.getIndices()).getShape();
  size_t axis = gather.getAxis(), rank = indexShape.size();
  forEachElement(result, [&](int64_t linear, ArrayRef<int64_t> index) {
    auto chosen =
        clampedIndex(indices.at(linearize(index.slice(axis, rank), indexShape)),
                     shape[axis] - 1);
    if (!chosen) {
      return out.put(linear, kAnyElement);
    }
    Index from(index.take_front(axis));
    from.push_back(*chosen);
    llvm::append_range(from, index.drop_front(axis + rank));
    out.put(linear, input.at(linearize(from, shape)));
  });
}

void evaluateGatherElements(Operation *op, unsigned, Lookup operand,
                            RowTensor &result) {
  auto gather = cast<graph::GatherElementsOp>(op);
  ScatteredReader input(operand(gather.getInput()));
  ScatteredReader indices(operand(gather.getIndices()));
  ElementWriter out(result);
  auto shape = typeOf(gather.getInput()).getShape();
  size_t axis = gather.getAxis();
  forEachElement(result, [&](int64_t linear, ArrayRef<int64_t> index) {
    auto chosen = clampedIndex(indices.at(linear), shape[axis] - 1);
    if (!chosen) {
      return out.put(linear, kAnyElement);
    }
    Index from(index);
    from[axis] = *chosen;
    out.put(linear, input.at(linearize(from, shape)));
  });
}

void evaluateConcat(Operation *op, unsigned, Lookup operand,
                    RowTensor &result) {
  auto concat = cast<graph::ConcatOp>(op);
  SmallVector<ScatteredReader> inputs;
  for (Value input : concat.getInputs()) {
    inputs.emplace_back(operand(input));
  }
  ElementWriter out(result);
  size_t axis = concat.getAxis();
  forEachElement(result, [&](int64_t linear, ArrayRef<int64_t> index) {
    Index from(index);
    size_t which = 0;
    auto shapeOf = [&] { return typeOf(concat.getInputs()[which]).getShape(); };
    while (from[axis] >= shapeOf()[axis]) {
      from[axis] -= shapeOf()[axis];
      ++which;
    }
    out.put(linear, inputs[which].at(linearize(from, shapeOf())));
  });
}

void evaluateSlice(Operation *op, unsigned, Lookup operand, RowTensor &result) {
  auto slice = cast<graph::SliceOp>(op);
  ScatteredReader input(operand(slice.getInput()));
  ElementWriter out(result);
  auto shape = typeOf(slice.getInput()).getShape();
  forEachElement(result, [&](int64_t linear, ArrayRef<int64_t> index) {
    Index from;
    for (auto [i, start, step] :
         llvm::zip_equal(index, slice.getStarts(), slice.getSteps())) {
      from.push_back(start + i * step);
    }
    out.put(linear, input.at(linearize(from, shape)));
  });
}

/// Where an element `at` of the padded extent comes from.
int64_t sourceOf(graph::PadMode mode, int64_t at, int64_t extent) {
  switch (mode) {
  case graph::PadMode::Constant:
    return at;
  case graph::PadMode::Edge:
    return std::clamp<int64_t>(at, 0, extent - 1);
  case graph::PadMode::Reflect:
    return at < 0 ? -at : at < extent ? at : 2 * (extent - 1) - at;
  }
  llvm_unreachable("all modes are handled");
}

void evaluatePad(Operation *op, unsigned, Lookup operand, RowTensor &result) {
  auto pad = cast<graph::PadOp>(op);
  ScatteredReader input(operand(pad.getInput()));
  ElementWriter out(result);
  auto shape = typeOf(pad.getInput()).getShape();
  double value = pad.getValue().convertToDouble();
  if (isa<FloatType>(result.dtype())) {
    value = roundToDtype(value, result.dtype());
  }
  forEachElement(result, [&](int64_t linear, ArrayRef<int64_t> index) {
    Index from;
    bool isInside = true;
    for (auto [i, before, extent] :
         llvm::zip_equal(index, pad.getBefore(), shape)) {
      from.push_back(sourceOf(pad.getMode(), i - before, extent));
      isInside &= from.back() >= 0 && from.back() < extent;
    }
    out.put(linear,
            isInside ? input.at(linearize(from, shape)) : Element{value, 0, 0});
  });
}

void evaluateBroadcast(Operation *op, unsigned, Lookup operand,
                       RowTensor &result) {
  auto broadcast = cast<graph::BroadcastOp>(op);
  ScatteredReader input(operand(broadcast.getInput()));
  ElementWriter out(result);
  auto shape = typeOf(broadcast.getInput()).getShape();
  BroadcastIndex source(shape, result.type().getShape());
  forEachElement(result, [&](int64_t linear, ArrayRef<int64_t>) {
    out.put(linear, input.at(source(linear)));
  });
}

void evaluateIota(Operation *op, unsigned, Lookup, RowTensor &result) {
  size_t axis = cast<graph::IotaOp>(op).getAxis();
  ElementWriter out(result);
  Type dtype = result.dtype();
  forEachElement(result, [&](int64_t linear, ArrayRef<int64_t> index) {
    double value = double(index[axis]);
    if (!isa<FloatType>(dtype)) {
      out.put(linear, {double(wrapToDtype(index[axis], dtype)), 0, 0});
    } else {
      bool isExact = roundToDtype(value, dtype) == value;
      out.put(linear, {value, isExact ? 0 : storageError(value, dtype), 0});
    }
  });
}

void evaluateCacheUpdate(Operation *op, unsigned, Lookup operand,
                         RowTensor &result) {
  auto update = cast<graph::CacheUpdateOp>(op);
  ScatteredReader cache(operand(update.getCache()));
  ScatteredReader fresh(operand(update.getUpdate()));
  ElementWriter out(result);
  size_t axis = update.getAxis();
  auto shape = typeOf(update.getUpdate()).getShape();
  auto begin =
      clampedIndex(ScatteredReader(operand(update.getPosition())).at(0),
                   result.type().getDimSize(axis) - shape[axis]);
  forEachElement(result, [&](int64_t linear, ArrayRef<int64_t> index) {
    if (!begin) {
      return out.put(linear, kAnyElement);
    }
    Index from(index);
    from[axis] -= *begin;
    bool isFresh = from[axis] >= 0 && from[axis] < shape[axis];
    out.put(linear,
            isFresh ? fresh.at(linearize(from, shape)) : cache.at(linear));
  });
}

} // namespace

void addMoves(OpRecords &records) {
  addRecord<graph::GatherOp>(records, {evaluateGather});
  addRecord<graph::GatherElementsOp>(records, {evaluateGatherElements});
  addRecord<graph::ConcatOp>(records, {evaluateConcat});
  addRecord<graph::SliceOp>(records, {evaluateSlice});
  addRecord<graph::PadOp>(records, {evaluatePad});
  addRecord<graph::BroadcastOp>(records, {evaluateBroadcast});
  addRecord<graph::IotaOp>(records, {evaluateIota});
  addRecord<graph::CacheUpdateOp>(records, {evaluateCacheUpdate});
}

} // namespace minic::reference
