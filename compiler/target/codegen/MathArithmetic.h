// SPDX-License-Identifier: Apache-2.0
//
// MathArithmetic: what functions of floats are built from.

#ifndef MINIC_COMPILER_TARGET_CODEGEN_MATHARITHMETIC_H
#define MINIC_COMPILER_TARGET_CODEGEN_MATHARITHMETIC_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

namespace minic {

/// Arithmetic on scalars or vectors shaped like one value.
struct MathArithmetic {
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type shape;

  using F = mlir::arith::CmpFPredicate;

  mlir::Type of(mlir::Type element) const {
    auto vector = dyn_cast<mlir::VectorType>(shape);
    return vector ? mlir::Type(vector.clone(element)) : element;
  }
  mlir::Type f32() const { return of(b.getF32Type()); }
  mlir::Type f64() const { return of(b.getF64Type()); }
  mlir::Type i32() const { return of(b.getI32Type()); }
  mlir::Type i64() const { return of(b.getI64Type()); }

  mlir::Value constant(mlir::Type type, double value) const {
    return splat(type, b.getFloatAttr(mlir::getElementTypeOrSelf(type), value));
  }
  mlir::Value integer(mlir::Type type, int64_t value) const {
    return splat(type,
                 b.getIntegerAttr(mlir::getElementTypeOrSelf(type), value));
  }
  mlir::Value splat(mlir::Type type, mlir::TypedAttr attr) const {
    if (auto shaped = dyn_cast<mlir::ShapedType>(type)) {
      attr = mlir::DenseElementsAttr::get(shaped, mlir::Attribute(attr));
    }
    return mlir::arith::ConstantOp::create(b, loc, attr);
  }
  mlir::Value like(mlir::Value v, double value) const {
    return constant(v.getType(), value);
  }

  template <typename Op, typename... Args> mlir::Value op(Args... args) const {
    return Op::create(b, loc, args...);
  }
  mlir::Value add(mlir::Value x, mlir::Value y) const {
    return op<mlir::arith::AddFOp>(x, y);
  }
  mlir::Value sub(mlir::Value x, mlir::Value y) const {
    return op<mlir::arith::SubFOp>(x, y);
  }
  mlir::Value mul(mlir::Value x, mlir::Value y) const {
    return op<mlir::arith::MulFOp>(x, y);
  }
  mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value z) const {
    return op<mlir::math::FmaOp>(x, y, z);
  }
  mlir::Value fma(mlir::Value x, double y, mlir::Value z) const {
    return fma(x, like(x, y), z);
  }
  mlir::Value compare(F predicate, mlir::Value x, double y) const {
    return op<mlir::arith::CmpFOp>(predicate, x, like(x, y));
  }
  mlir::Value select(mlir::Value c, mlir::Value x, mlir::Value y) const {
    return op<mlir::arith::SelectOp>(c, x, y);
  }
  mlir::Value select(mlir::Value c, double x, mlir::Value y) const {
    return select(c, like(y, x), y);
  }
  /// Within [low, high]; NaN stays.
  mlir::Value clamp(mlir::Value x, double low, double high) const {
    x = select(compare(F::OLT, x, low), low, x);
    return select(compare(F::OGT, x, high), high, x);
  }
  /// Horner's scheme, highest coefficient first.
  mlir::Value polynomial(mlir::Value x,
                         llvm::ArrayRef<double> coefficients) const {
    mlir::Value result = like(x, coefficients.front());
    for (double c : coefficients.drop_front()) {
      result = fma(result, x, like(x, c));
    }
    return result;
  }
  mlir::Value negate(mlir::Value predicate) const {
    return op<mlir::arith::XOrIOp>(predicate, integer(predicate.getType(), 1));
  }
};

} // namespace minic

#endif // MINIC_COMPILER_TARGET_CODEGEN_MATHARITHMETIC_H
