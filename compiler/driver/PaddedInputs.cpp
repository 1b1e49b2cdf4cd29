// SPDX-License-Identifier: Apache-2.0
//
// Random data with masks in them, and the same with rows behind.

#include "compiler/driver/PaddedInputs.h"

#include "compiler/import/ArgumentValues.h"
#include "dialects/graph/Dims.h"
#include "runtime/measure/ExpectedOutputs.h"
#include "runtime/measure/RandomData.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <cstring>

using namespace mlir;

namespace minic {

/// The lowest bits of a number of any element type.
static uint64_t bitsOf(Attribute number) {
  if (auto floating = dyn_cast<FloatAttr>(number)) {
    return floating.getValue().bitcastToAPInt().getZExtValue();
  }
  return cast<IntegerAttr>(number).getValue().getZExtValue();
}

/// What is no fill: 1 where that is 0, else 0.
static uint64_t validBits(Attribute fill) {
  if (auto floating = dyn_cast<FloatAttr>(fill)) {
    return floating.getValue().isZero()
               ? bitsOf(FloatAttr::get(floating.getType(), 1.0))
               : 0;
  }
  return bitsOf(fill) == 0;
}

static Attribute fillOf(func::FuncOp bucket, unsigned index) {
  return bucket.getArgAttr(index, graph::fillAttrName);
}

/// Calls `visit` with the number of each row and its first element's index.
template <typename Visit>
static void forEachRow(ArrayRef<int64_t> dims, Visit visit) {
  int64_t rows = runtime::rowCount(dims);
  for (int64_t row = 0; row < rows; ++row) {
    visit(row, row * runtime::rowElements(dims));
  }
}

/// Whether element `number` of `dims` is the first along one of `axes`.
static bool isFirst(ArrayRef<int64_t> dims, ArrayRef<int64_t> axes,
                    int64_t number) {
  for (size_t axis = dims.size(); axis-- > 0; number /= dims[axis]) {
    if (number % dims[axis] == 0 && llvm::is_contained(axes, int64_t(axis))) {
      return true;
    }
  }
  return false;
}

/// The axes of argument `index` that are called `dim`.
static SmallVector<int64_t> axesOf(func::FuncOp bucket, unsigned index,
                                   StringRef dim) {
  SmallVector<int64_t> axes;
  auto names = bucket.getArgAttrOfType<ArrayAttr>(index, graph::dimsAttrName);
  for (auto [axis, name] :
       llvm::enumerate(names ? names.getValue() : ArrayRef<Attribute>())) {
    auto text = dyn_cast<StringAttr>(name);
    if (text && text.getValue() == dim) {
      axes.push_back(int64_t(axis));
    }
  }
  return axes;
}

static void fillMask(FunctionInput &input, Attribute fill,
                     ArrayRef<int64_t> axes, MaskData masks, uint64_t seed) {
  auto bytes = size_t(runtime::elementBytes(input.dtype));
  auto count = int64_t(input.data.bytes() / bytes);
  std::vector<uint8_t> isValid(size_t(count), 1);
  if (masks == MaskData::Random) {
    runtime::fillRandom(isValid.data(), runtime::DType::i1, {count}, seed,
                        input.name);
  }
  uint64_t valid = validBits(fill), masked = bitsOf(fill);
  for (int64_t i = 0; i < count; ++i) {
    bool takesPart = isValid[size_t(i)] || isFirst(input.dims, axes, i);
    // Little-endian, as every machine that minic runs on.
    std::memcpy(input.data.data() + size_t(i) * bytes,
                takesPart ? &valid : &masked, bytes);
  }
}

FailureOr<std::vector<FunctionInput>> makeInputs(func::FuncOp function,
                                                 func::FuncOp bucket,
                                                 StringRef dim, MaskData masks,
                                                 uint64_t seed) {
  auto inputs = readInputs(function, {}, seed);
  if (failed(inputs)) {
    return failure();
  }
  for (auto [index, input] : llvm::enumerate(*inputs)) {
    Attribute fill = fillOf(bucket, index);
    auto values = getArgumentValues(function, index);
    bool isIndex = values && values->kind == runtime::ValuesKind::index;
    if (fill && !isIndex) {
      fillMask(input, fill, axesOf(bucket, index, dim), masks, seed);
    }
  }
  return inputs;
}

int64_t rowIn(ArrayRef<int64_t> dims, ArrayRef<int64_t> smaller, int64_t row) {
  int64_t result = 0, step = 1;
  for (size_t axis = dims.size(); axis-- > 1;) {
    size_t outer = axis - 1;
    result += row % smaller[outer] * step;
    row /= smaller[outer];
    step *= dims[outer];
  }
  return result;
}

FailureOr<std::vector<FunctionInput>> padInputs(ArrayRef<FunctionInput> inputs,
                                                func::FuncOp bucket) {
  std::vector<FunctionInput> padded;
  for (auto [index, input] : llvm::enumerate(inputs)) {
    auto type = cast<RankedTensorType>(bucket.getArgument(index).getType());
    FunctionInput &larger = padded.emplace_back();
    larger.name = input.name;
    larger.dtype = input.dtype;
    larger.dims.assign(type.getShape().begin(), type.getShape().end());
    auto bytes = size_t(runtime::elementBytes(input.dtype));
    auto count = size_t(type.getNumElements());
    absl::StatusOr<runtime::AlignedBuffer> buffer =
        runtime::AlignedBuffer::create(count * bytes);
    if (!buffer.ok()) {
      return emitError(UnknownLoc::get(bucket.getContext()))
             << std::string(buffer.status().message());
    }
    larger.data = *std::move(buffer);
    if (Attribute fill = fillOf(bucket, index)) {
      uint64_t element = bitsOf(fill);
      for (size_t i = 0; i < count; ++i) {
        std::memcpy(larger.data.data() + i * bytes, &element, bytes);
      }
    }
    if (input.data.bytes() == 0) {
      continue;
    }
    size_t length = size_t(runtime::rowElements(input.dims)) * bytes;
    forEachRow(input.dims, [&](int64_t row, int64_t first) {
      std::memcpy(larger.data.data() +
                      size_t(rowIn(larger.dims, input.dims, row)) *
                          size_t(runtime::rowElements(larger.dims)) * bytes,
                  input.data.data() + size_t(first) * bytes, length);
    });
  }
  return padded;
}

} // namespace minic
