// SPDX-License-Identifier: Apache-2.0
//
// graph-multiply-bytes: with lhs = (x - a) s and rhs = w t, lhs rhs is
// (x w - a (sums of w)) s t, and x w a product of integers. It gives up on zero
// points of rhs, which would need the sums of rows that are known only at run
// time, on several scales along K, and on a K whose sums may not fit 32 bits.

#include "passes/graph/Passes.h"

#include "dialects/graph/ConstantBytes.h"
#include "dialects/graph/Graph.h"
#include "passes/graph/raise/Match.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

namespace minic::graph {
#define GEN_PASS_DEF_MULTIPLYBYTES
#include "passes/graph/Passes.h.inc"
} // namespace minic::graph

using namespace mlir;
using namespace minic;
using namespace minic::graph;

namespace {

/// A tensor whose elements are (bytes - zero) * scale.
struct Dequantized {
  Value bytes; ///< of i8 or ui8
  int64_t zero = 0;
  Value scale; ///< a constant of f32

  bool isUnsigned() const {
    return typeOf(bytes).getElementType().isUnsignedInteger(8);
  }
  /// As i8, from -128 on where the bytes are ui8.
  int64_t signedZero() const { return zero - (isUnsigned() ? 128 : 0); }

  static std::optional<Dequantized> get(Value value) {
    auto product = value.getDefiningOp<MulOp>();
    if (!product || !typeOf(value).getElementType().isF32()) {
      return std::nullopt;
    }
    for (auto [number, scale] :
         {std::pair(product.getLhs(), product.getRhs()),
          std::pair(product.getRhs(), product.getLhs())}) {
      Dequantized result;
      result.scale = scale;
      if (isKnown(scale) && typeOf(number) == typeOf(value) &&
          result.takeBytes(number)) {
        return result;
      }
    }
    return std::nullopt;
  }

private:
  bool takeBytes(Value number) {
    if (auto shifted = number.getDefiningOp<SubOp>()) {
      std::optional<double> shift = scalarOf(shifted.getRhs());
      if (!shift || std::abs(*shift) > 255 || *shift != std::floor(*shift) ||
          typeOf(shifted.getLhs()) != typeOf(number)) {
        return false;
      }
      zero = int64_t(*shift);
      number = shifted.getLhs();
    }
    auto cast = number.getDefiningOp<CastOp>();
    bytes = cast ? cast.getInput() : Value();
    return bytes && typeOf(bytes).getElementType().isInteger(8);
  }
};

/// (x - a) w is at most 255 * 128.
constexpr int64_t mostTerms = (int64_t(1) << 31) / (255 * 128);

/// A linear or matmul, as [..., M, K] times [..., K, N].
struct Product {
  Operation *op;
  Value lhs, rhs, bias;
  bool transposesLhs = false, transposesRhs = true;

  static std::optional<Product> get(Operation *op) {
    if (auto linear = dyn_cast<LinearOp>(op)) {
      return Product{op, linear.getInput(), linear.getWeight(),
                     linear.getBias()};
    }
    if (auto matmul = dyn_cast<MatmulOp>(op)) {
      return Product{op, matmul.getLhs(),          matmul.getRhs(),
                     {}, matmul.getTransposeLhs(), matmul.getTransposeRhs()};
    }
    return std::nullopt;
  }

  /// The dimension of rhs, from its end, that is N.
  int64_t columnsFromEnd() const { return transposesRhs ? 2 : 1; }
  int64_t terms() const {
    return typeOf(rhs).getShape().end()[-(3 - columnsFromEnd())];
  }
};

/// The elements of a constant of f32.
SmallVector<float> floatsOf(Value constant) {
  auto bytes =
      ConstantBytes::get(constant.getDefiningOp<ConstantOp>().getValueAttr());
  if (failed(bytes)) {
    return {};
  }
  ArrayRef<char> raw = bytes->bytes();
  return SmallVector<float>(ArrayRef(
      reinterpret_cast<const float *>(raw.data()), raw.size() / sizeof(float)));
}

/// The scales of columns of rhs, or the one of all; empty where there are
/// others.
SmallVector<float> columnScales(const Product &product,
                                const Dequantized &rhs) {
  RankedTensorType type = typeOf(rhs.scale);
  int64_t columns =
      typeOf(product.rhs).getShape().end()[-product.columnsFromEnd()];
  for (auto [fromEnd, extent] :
       llvm::enumerate(llvm::reverse(type.getShape()))) {
    bool isColumns = int64_t(fromEnd) + 1 == product.columnsFromEnd();
    if (extent != 1 && !(isColumns && extent == columns)) {
      return {};
    }
  }
  return floatsOf(rhs.scale);
}

/// The sums of the columns of a constant matrix as i8, modulo 2^32; none where
/// its bytes are not there.
std::optional<SmallVector<int32_t>> columnSums(const Product &product,
                                               const Dequantized &rhs) {
  auto constant = rhs.bytes.getDefiningOp<ConstantOp>();
  if (!constant || !constant.getValueAttr() ||
      typeOf(rhs.bytes).getRank() != 2) {
    return std::nullopt;
  }
  auto strided = StridedBytes::get(constant.getValueAttr());
  if (failed(strided)) {
    return std::nullopt;
  }
  ArrayRef<int64_t> shape = typeOf(rhs.bytes).getShape();
  int64_t n = product.transposesRhs ? 0 : 1;
  const char *bytes = strided->source.bytes().data();
  char flip = rhs.isUnsigned() ? char(0x80) : char(0);
  SmallVector<int32_t> sums(shape[n]);
  for (int64_t i = 0; i != shape[n]; ++i) {
    uint32_t sum = 0;
    for (int64_t k = 0; k != shape[1 - n]; ++k) {
      int64_t at = i * strided->strides[n] + k * strided->strides[1 - n];
      sum += uint32_t(int32_t(int8_t(bytes[at] ^ flip)));
    }
    sums[i] = int32_t(sum);
  }
  return sums;
}

class Rewrite {
public:
  Rewrite(OpBuilder &b, const Product &product) : b(b), product(product) {}

  /// False where the product stays as it is.
  bool run() {
    auto lhs = Dequantized::get(product.lhs);
    auto rhs = Dequantized::get(product.rhs);
    if (!lhs || !rhs || rhs->signedZero() != 0 || product.terms() > mostTerms ||
        typeOf(lhs->scale).getNumElements() != 1) {
      return false;
    }
    SmallVector<float> scales = columnScales(product, *rhs);
    if (scales.empty()) {
      return false;
    }
    std::optional<SmallVector<int32_t>> sums;
    if (lhs->signedZero() != 0) {
      sums = columnSums(product, *rhs);
      if (!sums) {
        return false;
      }
    }
    Value whole = multiply(asSigned(*lhs), asSigned(*rhs));
    if (sums) {
      for (int32_t &sum : *sums) {
        sum = int32_t(-uint32_t(sum) * uint32_t(lhs->signedZero()));
      }
      whole = AddOp::create(b, loc(), whole, constant(ArrayRef(*sums)));
    }
    float lhsScale = floatsOf(lhs->scale)[0];
    for (float &scale : scales) {
      scale *= lhsScale;
    }
    Type f32 = b.getF32Type();
    Value real = CastOp::create(b, loc(), typeOf(whole).clone(f32), whole);
    real = MulOp::create(b, loc(), real, constant(ArrayRef(scales)));
    if (product.bias) {
      real = AddOp::create(b, loc(), real, product.bias);
    }
    product.op->getResult(0).replaceAllUsesWith(real);
    product.op->erase();
    return true;
  }

private:
  Location loc() { return product.op->getLoc(); }

  /// One number, or one for each column.
  template <typename T> Value constant(ArrayRef<T> values) {
    Type type =
        std::is_same_v<T, float> ? Type(b.getF32Type()) : Type(b.getI32Type());
    SmallVector<int64_t> shape;
    if (values.size() != 1) {
      shape.push_back(int64_t(values.size()));
    }
    return ConstantOp::create(
        b, loc(),
        DenseElementsAttr::get(RankedTensorType::get(shape, type), values));
  }

  Value asSigned(const Dequantized &tensor) {
    if (!tensor.isUnsigned()) {
      return tensor.bytes;
    }
    // The bits of 128 are those of -128: what wraps is right again.
    Type i8 = b.getI8Type();
    Value bits =
        CastOp::create(b, loc(), typeOf(tensor.bytes).clone(i8), tensor.bytes);
    auto scalar = RankedTensorType::get({}, i8);
    Value shift = ConstantOp::create(
        b, loc(), DenseElementsAttr::get(scalar, int8_t(-128)));
    return AddOp::create(b, loc(), bits, shift);
  }

  Value multiply(Value lhs, Value rhs) {
    if (isa<LinearOp>(product.op)) {
      return LinearOp::create(b, loc(), lhs, rhs, /*bias=*/Value());
    }
    return MatmulOp::create(b, loc(), lhs, rhs, product.transposesLhs,
                            product.transposesRhs);
  }

  OpBuilder &b;
  const Product &product;
};

struct MultiplyBytes : graph::impl::MultiplyBytesBase<MultiplyBytes> {
  using MultiplyBytesBase::MultiplyBytesBase;

  void runOnOperation() override {
    SmallVector<Product> products;
    getOperation().walk([&](Operation *op) {
      if (auto product = Product::get(op)) {
        products.push_back(*product);
      }
    });
    OpBuilder builder(&getContext());
    for (const Product &product : products) {
      builder.setInsertionPoint(product.op);
      changed += Rewrite(builder, product).run();
    }
  }
};

} // namespace
