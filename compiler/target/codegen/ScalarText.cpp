// SPDX-License-Identifier: Apache-2.0
//
// One statement for each op. Integers wrap in MLIR and not in C, so their
// arithmetic is unsigned.

#include "compiler/target/codegen/ScalarText.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace minic {

using llvm::formatv;

StringRef ScalarText::prelude(CLanguage language) {
  static constexpr StringRef c = R"(
static inline float minic_f32_bits(int b) {
  union { int i; float f; } u = {b};
  return u.f;
}
static inline int minic_i32_bits(float x) {
  union { float f; int i; } u = {x};
  return u.i;
}
static inline double minic_f64_bits(long long b) {
  union { long long i; double f; } u = {b};
  return u.f;
}
static inline long long minic_i64_bits(double x) {
  union { double f; long long i; } u = {x};
  return u.i;
}
static inline float minic_from_f16(unsigned short h) {
  union { unsigned short i; _Float16 f; } u = {h};
  return u.f;
}
static inline unsigned short minic_to_f16(float x) {
  union { _Float16 f; unsigned short i; } u = {(_Float16)x};
  return u.i;
}
static inline float minic_from_bf16(unsigned short h) {
  return minic_f32_bits((int)((unsigned)h << 16));
}
static inline unsigned short minic_to_bf16(float x) {
  unsigned b = (unsigned)minic_i32_bits(x);
  return x != x ? b >> 16 | 64 : (b + 0x7fff + (b >> 16 & 1)) >> 16;
}
)";
  static constexpr StringRef cuda = R"(
__device__ __forceinline__ float minic_f32_bits(int b) {
  return __int_as_float(b);
}
__device__ __forceinline__ int minic_i32_bits(float x) {
  return __float_as_int(x);
}
__device__ __forceinline__ double minic_f64_bits(long long b) {
  return __longlong_as_double(b);
}
__device__ __forceinline__ long long minic_i64_bits(double x) {
  return __double_as_longlong(x);
}
__device__ __forceinline__ float minic_from_f16(unsigned short h) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h));
  return x;
}
__device__ __forceinline__ unsigned short minic_to_f16(float x) {
  unsigned short h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
  return h;
}
__device__ __forceinline__ float minic_from_bf16(unsigned short h) {
  return __int_as_float((int)((unsigned)h << 16));
}
__device__ __forceinline__ unsigned short minic_to_bf16(float x) {
  unsigned b = __float_as_uint(x);
  return x != x ? b >> 16 | 64 : (b + 0x7fff + (b >> 16 & 1)) >> 16;
}
)";
  return language == CLanguage::C ? c : cuda;
}

StringRef ScalarText::typeName(Type type) const {
  if (type.isF32()) {
    return "float";
  }
  if (type.isF64()) {
    return "double";
  }
  if (type.isF16() || type.isBF16()) {
    return "unsigned short";
  }
  if (type.isInteger(1)) {
    return language_ == CLanguage::C ? "_Bool" : "bool";
  }
  return type.isInteger(8)    ? "signed char"
         : type.isInteger(16) ? "short"
         : type.isInteger(32) ? "int"
         : type.isInteger(64) ? "long long"
                              : "";
}

static std::string unsignedName(Type type) {
  return type.isInteger(1)    ? "unsigned char"
         : type.isInteger(8)  ? "unsigned char"
         : type.isInteger(16) ? "unsigned short"
         : type.isInteger(32) ? "unsigned"
                              : "unsigned long long";
}

static std::string number(double value, StringRef suffix) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%a", value) << suffix;
  return "(" + text + ")";
}

/// As bits where it is no number that C can write.
static std::string constant(Attribute value) {
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    if (integer.getType().isInteger(1)) {
      return integer.getValue().isZero() ? "0" : "1";
    }
    return formatv("({0}ll)",
                   integer.getValue().isMinSignedValue()
                       ? std::to_string(integer.getInt() + 1) + "ll - 1"
                       : std::to_string(integer.getInt()));
  }
  auto real = dyn_cast<FloatAttr>(value);
  if (!real) {
    return "";
  }
  llvm::APFloat known = real.getValue();
  uint64_t bits = known.bitcastToAPInt().getZExtValue();
  if (real.getType().isF32()) {
    return known.isFinite() ? number(known.convertToFloat(), "f")
                            : formatv("minic_f32_bits({0})", int32_t(bits));
  }
  if (real.getType().isF64()) {
    return known.isFinite()
               ? number(known.convertToDouble(), "")
               : formatv("minic_f64_bits({0}ll)", int64_t(bits)).str();
  }
  return std::to_string(bits); // f16, bf16
}

static StringRef comparison(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::OEQ:
    return "{0} == {1}";
  case P::OGT:
    return "{0} > {1}";
  case P::OGE:
    return "{0} >= {1}";
  case P::OLT:
    return "{0} < {1}";
  case P::OLE:
    return "{0} <= {1}";
  case P::ONE:
    return "{0} < {1} || {0} > {1}";
  case P::ORD:
    return "{0} == {0} && {1} == {1}";
  case P::UEQ:
    return "!({0} < {1} || {0} > {1})";
  case P::UGT:
    return "!({0} <= {1})";
  case P::UGE:
    return "!({0} < {1})";
  case P::ULT:
    return "!({0} >= {1})";
  case P::ULE:
    return "!({0} > {1})";
  case P::UNE:
    return "{0} != {1}";
  case P::UNO:
    return "{0} != {0} || {1} != {1}";
  default:
    return "";
  }
}

static StringRef comparison(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return "{0} == {1}";
  case P::ne:
    return "{0} != {1}";
  case P::slt:
    return "{0} < {1}";
  case P::sle:
    return "{0} <= {1}";
  case P::sgt:
    return "{0} > {1}";
  case P::sge:
    return "{0} >= {1}";
  case P::ult:
    return "({2}){0} < ({2}){1}";
  case P::ule:
    return "({2}){0} <= ({2}){1}";
  case P::ugt:
    return "({2}){0} > ({2}){1}";
  case P::uge:
    return "({2}){0} >= ({2}){1}";
  }
  return "";
}

/// A pattern with {0}, {1}, {2} for the operands, {3} for the type of the
/// result, {4} and {5} for the unsigned types of result and operand.
static StringRef patternOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<arith::AddFOp>([](auto) { return "{0} + {1}"; })
      .Case<arith::SubFOp>([](auto) { return "{0} - {1}"; })
      .Case<arith::MulFOp>([](auto) { return "{0} * {1}"; })
      .Case<arith::DivFOp>([](auto) { return "{0} / {1}"; })
      .Case<arith::NegFOp>([](auto) { return "-{0}"; })
      // NaN where one is.
      .Case<arith::MaximumFOp>(
          [](auto) { return "{0} > {1} || {0} != {0} ? {0} : {1}"; })
      .Case<arith::MinimumFOp>(
          [](auto) { return "{0} < {1} || {0} != {0} ? {0} : {1}"; })
      .Case<arith::MaxNumFOp>(
          [](auto) { return "{0} > {1} || {1} != {1} ? {0} : {1}"; })
      .Case<arith::MinNumFOp>(
          [](auto) { return "{0} < {1} || {1} != {1} ? {0} : {1}"; })
      .Case<arith::SelectOp>([](auto) { return "{0} ? {1} : {2}"; })
      .Case<arith::AddIOp>([](auto) { return "({3})(({4}){0} + ({4}){1})"; })
      .Case<arith::SubIOp>([](auto) { return "({3})(({4}){0} - ({4}){1})"; })
      .Case<arith::MulIOp>([](auto) { return "({3})(({4}){0} * ({4}){1})"; })
      .Case<arith::DivSIOp>([](auto) { return "({3})({0} / {1})"; })
      .Case<arith::RemSIOp>([](auto) { return "({3})({0} % {1})"; })
      .Case<arith::AndIOp>([](auto) { return "({3})({0} & {1})"; })
      .Case<arith::OrIOp>([](auto) { return "({3})({0} | {1})"; })
      .Case<arith::XOrIOp>([](auto) { return "({3})({0} ^ {1})"; })
      .Case<arith::ShLIOp>([](auto) { return "({3})(({4}){0} << {1})"; })
      .Case<arith::ShRSIOp>([](auto) { return "({3})({0} >> {1})"; })
      .Case<arith::ShRUIOp>([](auto) { return "({3})(({4}){0} >> {1})"; })
      .Case<arith::MaxSIOp>([](auto) { return "{0} > {1} ? {0} : {1}"; })
      .Case<arith::MinSIOp>([](auto) { return "{0} < {1} ? {0} : {1}"; })
      .Case<arith::MaxUIOp>(
          [](auto) { return "({4}){0} > ({4}){1} ? {0} : {1}"; })
      .Case<arith::MinUIOp>(
          [](auto) { return "({4}){0} < ({4}){1} ? {0} : {1}"; })
      .Case<math::AbsIOp>(
          [](auto) { return "{0} < 0 ? ({3})(0 - ({4}){0}) : {0}"; })
      .Case<arith::SIToFPOp, arith::TruncIOp>([](auto) { return "({3}){0}"; })
      .Case<arith::UIToFPOp, arith::ExtUIOp>(
          [](auto) { return "({3})({5}){0}"; })
      .Case<arith::FPToSIOp>([](auto) { return "({3}){0}"; })
      .Case<arith::FPToUIOp>([](auto) { return "({3})({4}){0}"; })
      .Case<arith::ExtSIOp>([](arith::ExtSIOp extend) {
        return extend.getIn().getType().isInteger(1) ? "({3})-(int){0}"
                                                     : "({3}){0}";
      })
      .Case<arith::ExtFOp>([](arith::ExtFOp extend) {
        Type from = extend.getIn().getType();
        return from.isF16()    ? "({3})minic_from_f16({0})"
               : from.isBF16() ? "({3})minic_from_bf16({0})"
                               : "({3}){0}";
      })
      .Case<arith::TruncFOp>([](arith::TruncFOp truncate) {
        bool isFromF32 = truncate.getIn().getType().isF32();
        Type to = truncate.getType();
        return to.isF32()                ? "({3}){0}"
               : to.isF16() && isFromF32 ? "minic_to_f16({0})"
               : isFromF32               ? "minic_to_bf16({0})"
                                         : "";
      })
      .Case<arith::BitcastOp>([](arith::BitcastOp cast) {
        Type to = cast.getType();
        return to.isF32()         ? "minic_f32_bits({0})"
               : to.isF64()       ? "minic_f64_bits({0})"
               : to.isInteger(32) ? "minic_i32_bits({0})"
               : to.isInteger(64) ? "minic_i64_bits({0})"
                                  : "";
      })
      .Case<arith::CmpFOp>([](arith::CmpFOp compare) {
        return comparison(compare.getPredicate());
      })
      .Default([](Operation *) { return ""; });
}

std::string ScalarText::mathCall(Operation *op) const {
  StringRef name = op->getName().stripDialect();
  bool isCuda = language_ == CLanguage::Cuda;
  StringRef function =
      llvm::StringSwitch<StringRef>(name)
          .Cases({"fma", "copysign", "floor", "ceil", "trunc", "sqrt"}, name)
          .Case("absf", "fabs")
          .Case("roundeven", isCuda ? "rint" : "roundeven")
          .Cases({"exp", "exp2", "expm1", "log", "log2", "log1p"},
                 isCuda ? name : "")
          .Cases({"sin", "cos", "tanh", "erf", "erfc"}, isCuda ? name : "")
          .Case("powf", isCuda ? "pow" : "")
          .Case("rsqrt", isCuda ? name : "")
          .Default("");
  Type type = op->getResult(0).getType();
  if (function.empty() || !(type.isF32() || type.isF64())) {
    return "";
  }
  std::string text = (isCuda ? "" : "__builtin_") + function.str() +
                     (type.isF32() ? "f(" : "(");
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    text += (i == 0 ? "" : ", ") + nameOf(operand);
  }
  return text + ")";
}

std::string ScalarText::expression(Operation *op) const {
  if (auto known = dyn_cast<arith::ConstantOp>(op)) {
    return constant(known.getValue());
  }
  if (isa<math::MathDialect>(op->getDialect()) && !isa<math::AbsIOp>(op)) {
    return mathCall(op);
  }
  std::string names[3];
  for (auto [name, operand] : llvm::zip(names, op->getOperands())) {
    name = nameOf(operand);
  }
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    return formatv(false, comparison(compare.getPredicate()).data(), names[0],
                   names[1], unsignedName(from));
  }
  if (isa<arith::TruncIOp>(op) && to.isInteger(1)) {
    return names[0] + " & 1"; // _Bool is whether it is not 0
  }
  return formatv(false, patternOf(op).data(), names[0], names[1], names[2],
                 typeName(to), unsignedName(to), unsignedName(from));
}

LogicalResult ScalarText::printIf(Operation *op, llvm::raw_ostream &os,
                                  std::string &unknown) {
  auto branch = cast<scf::IfOp>(op);
  for (Value result : branch.getResults()) {
    names_[result] = "v" + std::to_string(count_++);
    os << "  " << typeName(result.getType()) << ' ' << nameOf(result) << ";\n";
  }
  auto printBranch = [&](Region &region) {
    if (region.empty()) {
      return success();
    }
    if (failed(print(region.front(), os, unknown))) {
      return failure();
    }
    Operation *yield = region.front().getTerminator();
    for (auto [result, value] :
         llvm::zip_equal(branch.getResults(), yield->getOperands())) {
      os << "  " << nameOf(result) << " = " << nameOf(value) << ";\n";
    }
    return success();
  };
  os << "  if (" << nameOf(branch.getCondition()) << ") {\n";
  if (failed(printBranch(branch.getThenRegion()))) {
    return failure();
  }
  os << "  } else {\n";
  if (failed(printBranch(branch.getElseRegion()))) {
    return failure();
  }
  os << "  }\n";
  return success();
}

LogicalResult ScalarText::print(Block &block, llvm::raw_ostream &os,
                                std::string &unknown) {
  for (Operation &op : block.without_terminator()) {
    bool isKnown = llvm::all_of(op.getResultTypes(), [&](Type type) {
      return !typeName(type).empty();
    });
    if (isKnown && isa<scf::IfOp>(op)) {
      if (failed(printIf(&op, os, unknown))) {
        return failure();
      }
      continue;
    }
    std::string text =
        isKnown && op.getNumResults() == 1 ? expression(&op) : "";
    if (text.empty()) {
      unknown = op.getName().getStringRef().str();
      return failure();
    }
    Value result = op.getResult(0);
    names_[result] = "v" + std::to_string(count_++);
    os << "  const " << typeName(result.getType()) << ' ' << nameOf(result)
       << " = " << text << ";\n";
  }
  return success();
}

} // namespace minic
