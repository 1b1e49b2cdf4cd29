// SPDX-License-Identifier: Apache-2.0
//
// pool2d and resize: few elements of a neighbourhood, with their errors.

#include "compiler/reference/Accumulator.h"
#include "compiler/reference/CarriedError.h"
#include "compiler/reference/Elements.h"
#include "compiler/reference/OpRecord.h"
#include "dialects/graph/ImageShapes.h"

using namespace mlir;

namespace minic::reference {

namespace {

using graph::ImageDims;
using graph::ImageLayout;
using graph::PoolKind;
using graph::ReduceKind;

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

void evaluatePool(Operation *op, unsigned, Lookup operand, RowTensor &result) {
  auto pool = cast<graph::Pool2dOp>(op);
  ElementReader input(operand(pool.getInput()));
  ElementWriter out(result);
  ArrayRef<int64_t> from = typeOf(pool.getInput()).getShape();
  ImageDims dims(pool.getLayout());
  graph::WindowLine rows = pool.getLine(0), columns = pool.getLine(1);
  ReduceKind kind = pool.getKind() == PoolKind::Max       ? ReduceKind::Max
                    : pool.getKind() == PoolKind::Average ? ReduceKind::Mean
                                                          : ReduceKind::Sum;
  forEachElement(result, [&](int64_t linear, ArrayRef<int64_t> index) {
    Index at(index);
    int64_t p = at[dims.height], q = at[dims.width];
    Accumulator elements(/*isFloat=*/true);
    for (int64_t r = rows.first(p); r < rows.last(p); ++r) {
      at[dims.height] = rows.start(p) + r * rows.dilation;
      for (int64_t s = columns.first(q); s < columns.last(q); ++s) {
        at[dims.width] = columns.start(q) + s * columns.dilation;
        elements.add(input.at(linearize(at, from)));
      }
    }
    double count = double(rows.count(p, pool.getCountPads()) *
                          columns.count(q, pool.getCountPads()));
    auto [meaning, spread] = elements.finish(kind, result.dtype(), count);
    out.put(linear,
            {meaning.value, meaning.carried + meaning.rounding, spread});
  });
}

/// Rows of the input that some positions along the height depend on, in the
/// images and, where a row is one of an image's channels, the channels of
/// `rows` of the result.
template <typename HeightsOf, typename WidthsOf>
void demandOfRows(ImageLayout layout, ArrayRef<int64_t> from,
                  ArrayRef<int64_t> to, const llvm::BitVector &rows,
                  llvm::BitVector &needed, HeightsOf heightsOf,
                  WidthsOf widthsOf) {
  for (unsigned row : rows.set_bits()) {
    Index at = delinearize(row, to.drop_back());
    if (layout == ImageLayout::NCHW) {
      for (int64_t h : heightsOf(at[2])) {
        needed.set(linearize({at[0], at[1], h}, from.drop_back()));
      }
      continue;
    }
    for (int64_t h : heightsOf(at[1])) {
      for (int64_t w : widthsOf(at[2])) {
        needed.set(linearize({at[0], h, w}, from.drop_back()));
      }
    }
  }
}

void demandOfPool(Operation *op, unsigned, const llvm::BitVector &rows,
                  RowsOfOperand rowsOf) {
  auto pool = cast<graph::Pool2dOp>(op);
  auto placesOf = [&](unsigned side) {
    return [line = pool.getLine(side)](int64_t output) {
      SmallVector<int64_t> places;
      for (int64_t i = line.first(output); i < line.last(output); ++i) {
        places.push_back(line.start(output) + i * line.dilation);
      }
      return places;
    };
  };
  demandOfRows(pool.getLayout(), typeOf(pool.getInput()).getShape(),
               typeOf(pool.getResult()).getShape(), rows, rowsOf(0),
               placesOf(0), placesOf(1));
}

double costOfPool(Operation *op) {
  return double(cast<graph::Pool2dOp>(op).getReadsPerElement());
}

/// An index of the input, and how much of it is in the result.
struct Part {
  int64_t index;
  double weight;
};

SmallVector<Part, 2> partsOf(const graph::ResizeLine &line,
                             graph::ResizeMode mode, int64_t output) {
  if (line.isIdentity()) {
    return {{output, 1}};
  }
  if (mode == graph::ResizeMode::Nearest) {
    return {{line.nearest(output), 1}};
  }
  graph::ResizeLine::Between at = line.between(output);
  double rest = double(at.rest) / double(line.divisor);
  return {{at.first, 1 - rest}, {at.second, rest}};
}

/// Roundings to float32 of one element's part: along the height and along the
/// width a weight, a product and a sum, six in all, and two to spare.
constexpr double kWeighings = 8;

/// A sum of elements by weights that add up to 1.
Element weighed(ArrayRef<std::pair<Element, double>> elements, Type dtype) {
  Meaning sum;
  double magnitude = 0, spread = 0;
  bool isUnknown = false, hasNan = false;
  for (const auto &[element, weight] : elements) {
    bool isFinite = std::isfinite(element.value);
    if (element.error == kAnything || (!isFinite && weight == 0)) {
      isUnknown = true; // zero times infinity, or nothing
      continue;
    }
    hasNan |= std::isnan(element.value);
    sum.value += weight * element.value;
    sum.carried += weight * element.error;
    spread += weight * element.spread;
    magnitude += weight * std::abs(element.value);
  }
  if (hasNan) {
    return {std::nan(""), 0, 0};
  }
  if (isUnknown || (std::isfinite(magnitude) && magnitude >= kLargest)) {
    return {0, kAnything, kAnything};
  }
  if (!std::isfinite(sum.value)) {
    return {sum.value, 0, 0};
  }
  sum.rounding = kWeighings * kRoundoff * magnitude +
                 (magnitude == 0 ? 0 : kWeighings * kSmallestNormal);
  Meaning stored = storedFloat(sum, dtype);
  return {stored.value, stored.carried + stored.rounding,
          spread + kRoundingSpread * stored.rounding};
}

void evaluateResize(Operation *op, unsigned, Lookup operand,
                    RowTensor &result) {
  auto resize = cast<graph::ResizeOp>(op);
  ScatteredReader input(operand(resize.getInput()));
  ElementWriter out(result);
  ArrayRef<int64_t> from = typeOf(resize.getInput()).getShape();
  ImageDims dims(resize.getLayout());
  graph::ResizeLine rows = resize.getLine(0), columns = resize.getLine(1);
  bool isMoved = resize.getMode() == graph::ResizeMode::Nearest;
  forEachElement(result, [&](int64_t linear, ArrayRef<int64_t> index) {
    Index at(index);
    auto heights = partsOf(rows, resize.getMode(), at[dims.height]);
    auto widths = partsOf(columns, resize.getMode(), at[dims.width]);
    SmallVector<std::pair<Element, double>, 4> elements;
    for (const Part &height : heights) {
      for (const Part &width : widths) {
        at[dims.height] = height.index;
        at[dims.width] = width.index;
        elements.emplace_back(input.at(linearize(at, from)),
                              height.weight * width.weight);
      }
    }
    out.put(linear,
            isMoved ? elements[0].first : weighed(elements, result.dtype()));
  });
}

void demandOfResize(Operation *op, unsigned, const llvm::BitVector &rows,
                    RowsOfOperand rowsOf) {
  auto resize = cast<graph::ResizeOp>(op);
  auto placesOf = [&](unsigned side) {
    return [line = resize.getLine(side), mode = resize.getMode()](int64_t i) {
      SmallVector<int64_t> places;
      for (const Part &part : partsOf(line, mode, i)) {
        places.push_back(part.index);
      }
      return places;
    };
  };
  demandOfRows(resize.getLayout(), typeOf(resize.getInput()).getShape(),
               typeOf(resize.getResult()).getShape(), rows, rowsOf(0),
               placesOf(0), placesOf(1));
}

double costOfResize(Operation *op) {
  return double(cast<graph::ResizeOp>(op).getReadsPerElement());
}

} // namespace

void addImages(OpRecords &records) {
  addRecord<graph::Pool2dOp>(records, {evaluatePool, demandOfPool, costOfPool});
  addRecord<graph::ResizeOp>(records,
                             {evaluateResize, demandOfResize, costOfResize});
}

} // namespace minic::reference
