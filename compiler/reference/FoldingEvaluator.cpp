// SPDX-License-Identifier: Apache-2.0
//
// Evaluates one op on constant operands and rounds the result once.

#include "compiler/reference/FoldingEvaluator.h"

#include "compiler/reference/Evaluation.h"
#include "compiler/reference/FoldFloats.h"
#include "compiler/reference/Storage.h"
#include "compiler/reference/Tolerance.h"
#include "dialects/graph/ConstantBytes.h"
#include "dialects/graph/Graph.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <bit>
#include <cstring>

using namespace mlir;

namespace minic::reference {

namespace {

/// Larger results become resources, which are neither hashed nor printed as
/// text.
constexpr int64_t kLargestInline = 64 * 1024;

template <typename T> void store(char *out, T element) {
  std::memcpy(out, &element, sizeof(T));
}

/// The bits of `value`, which float16 represents.
uint16_t halfBits(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  double magnitude = std::abs(value);
  if (std::isnan(value)) {
    return sign | 0x7e00;
  }
  if (std::isinf(value)) {
    return sign | 0x7c00;
  }
  if (magnitude < 0x1p-14) {
    return sign | uint16_t(std::ldexp(magnitude, 24));
  }
  int exponent;
  double fraction = std::frexp(magnitude, &exponent); // in [0.5, 1)
  return sign | ((exponent + 14) << 10) |
         uint16_t(std::ldexp(fraction, 11) - 1024);
}

/// Writes `value`, which `dtype` represents, at `out`.
void storeElement(double value, Type dtype, char *out) {
  if (dtype.isF32()) {
    store(out, float(value));
  } else if (dtype.isBF16()) {
    store(out, uint16_t(std::bit_cast<uint32_t>(float(value)) >> 16));
  } else if (dtype.isF16()) {
    store(out, halfBits(value));
  } else if (dtype.isInteger(64)) {
    store(out, int64_t(value));
  } else if (dtype.isInteger(32)) {
    store(out, int32_t(value));
  } else {
    store(out, char(int64_t(value))); // i8, ui8, and i1 in one byte
  }
}

ElementsAttr makeAttribute(RankedTensorType type, ArrayRef<char> bytes) {
  if (type.getElementType().isInteger(1)) {
    SmallVector<bool> bits(bytes.begin(), bytes.end());
    return DenseElementsAttr::get(type, bits);
  }
  if (int64_t(bytes.size()) <= kLargestInline) {
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  }
  return DenseResourceElementsAttr::get(
      type, "folded", HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, 64));
}

class FoldingEvaluator : public graph::ConstantEvaluator {
public:
  ElementsAttr evaluate(Operation *op,
                        ArrayRef<ElementsAttr> operands) const override;
};

ElementsAttr FoldingEvaluator::evaluate(Operation *op,
                                        ArrayRef<ElementsAttr> operands) const {
  if (!isEvaluated(op) || op->getNumResults() != 1) {
    return {};
  }
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || !type.hasStaticShape()) {
    return {};
  }
  std::vector<graph::ConstantBytes> storage;
  storage.reserve(operands.size());
  llvm::DenseMap<Value, RowTensor> given;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    FailureOr<graph::ConstantBytes> bytes =
        graph::ConstantBytes::get(operands[i]);
    if (failed(bytes)) {
      return {};
    }
    storage.push_back(std::move(*bytes));
    given.try_emplace(
        operand, RowTensor::given(cast<RankedTensorType>(operand.getType()),
                                  storage.back().bytes().data()));
  }
  auto all = llvm::map_to_vector(
      storage, [](const graph::ConstantBytes &bytes) { return bytes.bytes(); });
  if (auto bytes = foldFloats(op, all)) {
    return makeAttribute(type, *bytes);
  }
  llvm::BitVector rows(rowCount(type), true);
  RowTensor result = evaluateOp(
      op,
      [&](Value value) -> const RowTensor & {
        return given.find(value)->second;
      },
      rows);
  Type dtype = type.getElementType();
  int64_t elementBytes = std::max(1u, dtype.getIntOrFloatBitWidth() / 8);
  std::vector<char> bytes(type.getNumElements() * elementBytes);
  char *out = bytes.data();
  for (int64_t row : result.rows()) {
    std::vector<double> values = result.readRow(Channel::Value, row);
    std::vector<double> errors = result.readRow(Channel::Error, row);
    for (auto [value, error] : llvm::zip_equal(values, errors)) {
      if (error == kAnything) {
        return {};
      }
      storeElement(isa<FloatType>(dtype) ? roundToDtype(value, dtype) : value,
                   dtype, out);
      out += elementBytes;
    }
  }
  return makeAttribute(type, bytes);
}

} // namespace

std::unique_ptr<graph::ConstantEvaluator> createFoldingEvaluator() {
  return std::make_unique<FoldingEvaluator>();
}

} // namespace minic::reference
