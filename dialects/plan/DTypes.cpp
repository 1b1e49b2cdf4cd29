// SPDX-License-Identifier: Apache-2.0
//
// One case for each dtype of plan.fbs.

#include "dialects/plan/DTypes.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace minic::plan {

std::optional<format::DType> toDType(Type type) {
  if (type.isF32()) {
    return format::DType::f32;
  }
  if (type.isBF16()) {
    return format::DType::bf16;
  }
  if (type.isF16()) {
    return format::DType::f16;
  }
  if (auto integer = dyn_cast<IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1:
      return format::DType::i1;
    case 8:
      return integer.isUnsigned() ? format::DType::u8 : format::DType::i8;
    case 32:
      return format::DType::i32;
    case 64:
      return format::DType::i64;
    }
  }
  return std::nullopt;
}

Type fromDType(format::DType dtype, MLIRContext *context) {
  switch (dtype) {
  case format::DType::i1:
    return IntegerType::get(context, 1);
  case format::DType::i8:
    return IntegerType::get(context, 8);
  case format::DType::u8:
    return IntegerType::get(context, 8, IntegerType::Unsigned);
  case format::DType::i32:
    return IntegerType::get(context, 32);
  case format::DType::i64:
    return IntegerType::get(context, 64);
  case format::DType::f16:
    return Float16Type::get(context);
  case format::DType::bf16:
    return BFloat16Type::get(context);
  case format::DType::f32:
    return Float32Type::get(context);
  }
}

} // namespace minic::plan
