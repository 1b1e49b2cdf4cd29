// SPDX-License-Identifier: Apache-2.0
//
// The attributes of the kernel dialect; #kernel.layout's syntax, verification
// and extents.

#include "dialects/kernel/Kernel.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#define GET_ATTRDEF_CLASSES
#include "dialects/kernel/KernelAttrs.cpp.inc"

using namespace mlir;

namespace minic::kernel {

void KernelDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/kernel/KernelAttrs.cpp.inc"
      >();
}

/// Parses `[1, 2, 3]`.
static ParseResult parseIntegers(AsmParser &parser,
                                 SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(values.emplace_back());
  });
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> order, blockDims, blockSizes, padded;
  auto parseBlock = [&]() -> ParseResult {
    return failure(parser.parseLSquare() ||
                   parser.parseInteger(blockDims.emplace_back()) ||
                   parser.parseComma() ||
                   parser.parseInteger(blockSizes.emplace_back()) ||
                   parser.parseRSquare());
  };
  if (parser.parseLess() || parser.parseKeyword("order") ||
      parser.parseEqual() || parseIntegers(parser, order) ||
      parser.parseComma() || parser.parseKeyword("blocks") ||
      parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     parseBlock) ||
      parser.parseComma() || parser.parseKeyword("padded") ||
      parser.parseEqual() || parseIntegers(parser, padded) ||
      parser.parseGreater()) {
    return {};
  }
  return parser.getChecked<LayoutAttr>(parser.getContext(), order, blockDims,
                                       blockSizes, padded);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << "<order = [" << getOrder() << "], blocks = [";
  llvm::interleaveComma(llvm::zip_equal(getBlockDims(), getBlockSizes()),
                        printer, [&](auto block) {
                          printer << '[' << std::get<0>(block) << ", "
                                  << std::get<1>(block) << ']';
                        });
  printer << "], padded = [" << getPadded() << "]>";
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> order,
                                 ArrayRef<int64_t> blockDims,
                                 ArrayRef<int64_t> blockSizes,
                                 ArrayRef<int64_t> padded) {
  SmallVector<int64_t> sorted(order);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, order.size()))) {
    return emitError() << "layout order must be a permutation, got [" << order
                       << "]";
  }
  if (padded.size() != order.size()) {
    return emitError() << "layout expects " << order.size()
                       << " padded extents, got " << padded.size();
  }
  SmallVector<int64_t> rest(padded);
  for (auto [dim, size] : llvm::zip_equal(blockDims, blockSizes)) {
    if (dim < 0 || dim >= int64_t(order.size()) || size < 1) {
      return emitError() << "layout block [" << dim << ", " << size
                         << "] is out of range";
    }
    if (rest[dim] % size != 0) {
      return emitError() << "layout block " << size << " does not divide "
                         << rest[dim] << ", the rest of dimension " << dim;
    }
    rest[dim] /= size;
  }
  return success();
}

LogicalResult
LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                           function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != getPadded().size()) {
    return emitError() << "layout of rank " << getPadded().size()
                       << " on a tensor of rank " << shape.size();
  }
  for (auto [dim, padded] : llvm::zip_equal(shape, getPadded())) {
    if (ShapedType::isDynamic(dim) || padded < dim) {
      return emitError() << "layout expects padded extents of at least the "
                            "static shape, got "
                         << padded << " for " << dim;
    }
  }
  return success();
}

SmallVector<int64_t> LayoutAttr::getPhysicalShape() const {
  SmallVector<int64_t> outer(getPadded());
  for (auto [dim, size] : llvm::zip_equal(getBlockDims(), getBlockSizes())) {
    outer[dim] /= size;
  }
  SmallVector<int64_t> shape;
  for (int64_t dim : getOrder()) {
    shape.push_back(outer[dim]);
  }
  llvm::append_range(shape, getBlockSizes());
  return shape;
}

int64_t LayoutAttr::getNumElements() const {
  return llvm::product_of(getPadded());
}

LayoutAttr getLayout(RankedTensorType type) {
  return dyn_cast_or_null<LayoutAttr>(type.getEncoding());
}

RankedTensorType withoutLayout(RankedTensorType type) {
  return getLayout(type)
             ? RankedTensorType::get(type.getShape(), type.getElementType())
             : type;
}

int64_t getElementBytes(Type elementType) {
  return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}

int64_t getBytes(RankedTensorType type) {
  LayoutAttr layout = getLayout(type);
  int64_t elements = layout ? layout.getNumElements() : type.getNumElements();
  return elements * getElementBytes(type.getElementType());
}

} // namespace minic::kernel
