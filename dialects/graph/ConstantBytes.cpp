// SPDX-License-Identifier: Apache-2.0
//
// Reads values of constants, without a copy where that is possible.

#include "dialects/graph/ConstantBytes.h"

#include "dialects/graph/ConstantAttrs.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;

namespace minic::graph {

static size_t elementBytesOf(ElementsAttr value) {
  return llvm::divideCeil(value.getElementType().getIntOrFloatBitWidth(), 8);
}

static size_t bytesOf(ElementsAttr value) {
  return value.getNumElements() * elementBytesOf(value);
}

SmallVector<int64_t> denseStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d]) {
    strides[d] = stride;
  }
  return strides;
}

//===----------------------------------------------------------------------===//
// Values that are moved
//===----------------------------------------------------------------------===//

/// Copies elements of `Size` bytes to `out`, whose dimensions are read with
/// `strides` (in elements) from `in`.
template <size_t Size>
static void gather(const char *in, ArrayRef<int64_t> shape,
                   ArrayRef<int64_t> strides, char *&out) {
  int64_t stride = strides.front() * int64_t(Size);
  for (int64_t i = 0; i < shape.front(); ++i, in += stride) {
    if (shape.size() == 1) {
      std::memcpy(out, in, Size);
      out += Size;
    } else {
      gather<Size>(in, shape.drop_front(), strides.drop_front(), out);
    }
  }
}

static FailureOr<std::vector<char>> transpose(TransposedAttr value) {
  FailureOr<StridedBytes> from = StridedBytes::get(value);
  if (failed(from)) {
    return failure();
  }
  std::vector<char> bytes(bytesOf(value));
  const char *in = from->source.bytes().data();
  char *out = bytes.data();
  ArrayRef<int64_t> shape = value.getType().getShape();
  switch (elementBytesOf(value)) {
  case 1:
    gather<1>(in, shape, from->strides, out);
    break;
  case 2:
    gather<2>(in, shape, from->strides, out);
    break;
  case 4:
    gather<4>(in, shape, from->strides, out);
    break;
  default:
    gather<8>(in, shape, from->strides, out);
    break;
  }
  return bytes;
}

static FailureOr<std::vector<char>> concatenate(ConcatenatedAttr value) {
  std::vector<char> bytes(bytesOf(value));
  size_t rows =
      llvm::product_of(value.getType().getShape().take_front(value.getAxis()));
  size_t rowBytes = bytes.size() / std::max<size_t>(rows, 1);
  char *out = bytes.data();
  for (ElementsAttr source : value.getSources()) {
    FailureOr<ConstantBytes> piece = ConstantBytes::getUnaligned(source);
    if (failed(piece)) {
      return failure();
    }
    size_t pieceBytes = bytesOf(source) / std::max<size_t>(rows, 1);
    for (size_t row = 0; row < rows && pieceBytes != 0; ++row) {
      std::memcpy(out + row * rowBytes,
                  piece->bytes().data() + row * pieceBytes, pieceBytes);
    }
    out += pieceBytes;
  }
  return bytes;
}

FailureOr<StridedBytes> StridedBytes::get(ElementsAttr value) {
  auto transposed = dyn_cast<TransposedAttr>(value);
  ElementsAttr lying = transposed ? transposed.getSource() : value;
  FailureOr<ConstantBytes> bytes = ConstantBytes::getUnaligned(lying);
  if (failed(bytes)) {
    return failure();
  }
  StridedBytes result = {std::move(*bytes),
                         denseStrides(lying.getShapedType().getShape())};
  if (transposed) {
    result.strides =
        llvm::map_to_vector(transposed.getPermutation(),
                            [&](int64_t d) { return result.strides[d]; });
  }
  return result;
}

//===----------------------------------------------------------------------===//
// All values
//===----------------------------------------------------------------------===//

/// The bytes of a resource; none where it is not loaded or is cut off.
static std::optional<ArrayRef<char>>
resourceBytes(DenseResourceElementsAttr value) {
  AsmResourceBlob *blob = value.getRawHandle().getBlob();
  if (!blob || blob->getData().size() != bytesOf(value)) {
    return std::nullopt;
  }
  return blob->getData();
}

bool hasBytes(ElementsAttr value) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    return resourceBytes(resource).has_value();
  }
  if (auto transposed = dyn_cast<TransposedAttr>(value)) {
    return hasBytes(transposed.getSource());
  }
  if (auto reshaped = dyn_cast<ReshapedAttr>(value)) {
    return hasBytes(reshaped.getSource());
  }
  if (auto concatenated = dyn_cast<ConcatenatedAttr>(value)) {
    return llvm::all_of(concatenated.getSources(), hasBytes);
  }
  return isa<DenseElementsAttr>(value);
}

/// Of splats and bits, an element after the other.
static std::vector<char> expand(DenseElementsAttr dense) {
  std::vector<char> bytes;
  bytes.reserve(bytesOf(dense));
  if (dense.getElementType().isInteger(1)) {
    for (bool bit : dense.getValues<bool>()) {
      bytes.push_back(bit);
    }
    return bytes;
  }
  ArrayRef<char> element = dense.getRawData();
  for (int64_t i = 0; i < dense.getNumElements(); ++i) {
    bytes.insert(bytes.end(), element.begin(), element.end());
  }
  return bytes;
}

FailureOr<ConstantBytes> ConstantBytes::getUnaligned(ElementsAttr value) {
  ConstantBytes result;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    std::optional<ArrayRef<char>> bytes = resourceBytes(resource);
    if (!bytes) {
      return failure();
    }
    result.view = *bytes;
    return result;
  }
  if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    if (dense.isSplat() || dense.getElementType().isInteger(1)) {
      result.owned = expand(dense);
    } else {
      result.view = dense.getRawData();
    }
    return result;
  }
  if (auto reshaped = dyn_cast<ReshapedAttr>(value)) {
    return getUnaligned(reshaped.getSource());
  }
  FailureOr<std::vector<char>> moved = failure();
  if (auto transposed = dyn_cast<TransposedAttr>(value)) {
    moved = transpose(transposed);
  } else if (auto concatenated = dyn_cast<ConcatenatedAttr>(value)) {
    moved = concatenate(concatenated);
  }
  if (failed(moved)) {
    return failure();
  }
  result.owned = std::move(*moved);
  return result;
}

FailureOr<ConstantBytes> ConstantBytes::get(ElementsAttr value) {
  FailureOr<ConstantBytes> result = getUnaligned(value);
  if (succeeded(result) && result->owned.empty() &&
      reinterpret_cast<uintptr_t>(result->view.data()) %
              elementBytesOf(value) !=
          0) {
    result->owned.assign(result->view.begin(), result->view.end());
  }
  return result;
}

} // namespace minic::graph
