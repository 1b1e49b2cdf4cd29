// SPDX-License-Identifier: Apache-2.0
//
// Values of the interpreter: bits by thread and element, and what they mean.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTVALUES_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTVALUES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/APFloat.h"

#include <bit>
#include <cmath>
#include <string>
#include <vector>

namespace minic::cuda {

/// Elements of all threads: element e of thread t at [t * width + e], as bits.
struct Register {
  int64_t width = 1;
  std::vector<uint64_t> bits;
};

inline int64_t widthOf(mlir::Type type) {
  if (auto vector = mlir::dyn_cast<mlir::VectorType>(type)) {
    return vector.getNumElements();
  }
  if (auto fields = mlir::dyn_cast<mlir::LLVM::LLVMStructType>(type)) {
    return int64_t(fields.getBody().size());
  }
  return 1;
}

inline mlir::Type elementOf(mlir::Type type) {
  if (auto vector = mlir::dyn_cast<mlir::VectorType>(type)) {
    return vector.getElementType();
  }
  if (auto fields = mlir::dyn_cast<mlir::LLVM::LLVMStructType>(type)) {
    return fields.getBody().front();
  }
  return type;
}

inline int64_t bitsOf(mlir::Type element) {
  return mlir::isa<mlir::LLVM::LLVMPointerType>(element)
             ? 64
             : int64_t(element.getIntOrFloatBitWidth());
}

inline uint64_t lowBits(uint64_t bits, int64_t width) {
  return width == 64 ? bits : bits & ((uint64_t(1) << width) - 1);
}

inline float asFloat(uint64_t bits) {
  return std::bit_cast<float>(uint32_t(bits));
}
inline uint64_t asBits(float value) { return std::bit_cast<uint32_t>(value); }

/// Rounded towards zero: what is finite stays finite.
inline float cutToFloat(double number) {
  auto nearest = float(number);
  if (std::abs(nearest) > std::abs(number) && std::isfinite(number)) {
    return std::nextafter(nearest, 0.0f);
  }
  return nearest;
}

/// Between a 16-bit or 32-bit float and double.
inline double decode(uint64_t bits, mlir::FloatType type) {
  llvm::APFloat value(
      type.getFloatSemantics(),
      llvm::APInt(type.getWidth(), lowBits(bits, type.getWidth())));
  bool inexact;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &inexact);
  return value.convertToDouble();
}
inline uint64_t encode(double number, mlir::FloatType type) {
  llvm::APFloat value(number);
  bool inexact;
  value.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
                &inexact);
  return value.bitcastToAPInt().getZExtValue();
}

inline int64_t signedOf(uint64_t bits, int64_t width) {
  return width == 64 ? int64_t(bits)
                     : int64_t(bits << (64 - width)) >> (64 - width);
}

inline bool compareIntegers(mlir::arith::CmpIPredicate predicate, uint64_t a,
                            uint64_t b, int64_t width) {
  int64_t x = signedOf(a, width), y = signedOf(b, width);
  switch (predicate) {
  case mlir::arith::CmpIPredicate::eq:
    return a == b;
  case mlir::arith::CmpIPredicate::ne:
    return a != b;
  case mlir::arith::CmpIPredicate::slt:
    return x < y;
  case mlir::arith::CmpIPredicate::sle:
    return x <= y;
  case mlir::arith::CmpIPredicate::sgt:
    return x > y;
  case mlir::arith::CmpIPredicate::sge:
    return x >= y;
  case mlir::arith::CmpIPredicate::ult:
    return a < b;
  case mlir::arith::CmpIPredicate::ule:
    return a <= b;
  case mlir::arith::CmpIPredicate::ugt:
    return a > b;
  case mlir::arith::CmpIPredicate::uge:
    return a >= b;
  }
  return false;
}

inline bool compareFloats(mlir::arith::CmpFPredicate predicate, float a,
                          float b, std::string &error) {
  switch (predicate) {
  case mlir::arith::CmpFPredicate::OLT:
    return a < b;
  case mlir::arith::CmpFPredicate::OGT:
    return a > b;
  case mlir::arith::CmpFPredicate::OEQ:
    return a == b;
  case mlir::arith::CmpFPredicate::ORD:
    return !std::isnan(a) && !std::isnan(b);
  case mlir::arith::CmpFPredicate::UNO:
    return std::isnan(a) || std::isnan(b);
  case mlir::arith::CmpFPredicate::ULT:
    return !(a >= b);
  case mlir::arith::CmpFPredicate::UGT:
    return !(a <= b);
  default:
    error = "unknown comparison";
    return false;
  }
}

} // namespace minic::cuda

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTVALUES_H
