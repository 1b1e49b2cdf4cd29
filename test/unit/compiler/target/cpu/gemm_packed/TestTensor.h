// SPDX-License-Identifier: Apache-2.0
//
// TestTensor: a dense tensor whose elements a test reads as doubles.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CPU_GEMM_PACKED_TESTTENSOR_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CPU_GEMM_PACKED_TESTTENSOR_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"

#include <sys/mman.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

namespace minic::cpu {

/// Zeroed memory that ends where an unmapped page begins, so that reading past
/// its end is a crash. Aligned to nothing but its size.
class GuardedBytes {
public:
  explicit GuardedBytes(int64_t bytes)
      : mapped_((bytes + page - 1) / page * page + page) {
    void *base = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    base_ = static_cast<char *>(base);
    mprotect(base_ + mapped_ - page, page, PROT_NONE);
    data_ = base_ + mapped_ - page - bytes;
  }
  ~GuardedBytes() {
    if (base_) {
      munmap(base_, mapped_);
    }
  }
  GuardedBytes(GuardedBytes &&other)
      : mapped_(other.mapped_), base_(std::exchange(other.base_, nullptr)),
        data_(other.data_) {}
  GuardedBytes &operator=(GuardedBytes &&other) {
    std::swap(mapped_, other.mapped_);
    std::swap(base_, other.base_);
    std::swap(data_, other.data_);
    return *this;
  }
  char *data() const { return data_; }

private:
  static constexpr int64_t page = 4096;
  int64_t mapped_;
  char *base_ = nullptr, *data_ = nullptr;
};

/// Of f32, bf16, f16 or integers. A result is followed by bytes that must stay.
class TestTensor {
public:
  static TestTensor random(mlir::RankedTensorType type, uint64_t seed) {
    TestTensor tensor(type, 0);
    std::mt19937_64 generator(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int64_t i = 0; i != tensor.elements(); ++i) {
      double number = uniform(generator);
      tensor.set(i, tensor.isInteger() ? std::floor(128 * number) : number);
    }
    return tensor;
  }
  /// NaN (or 0xff) everywhere.
  static TestTensor poisoned(mlir::RankedTensorType type) {
    TestTensor tensor(type, guardBytes);
    std::memset(tensor.data(), 0xff, tensor.elements() * tensor.elementBytes());
    return tensor;
  }

  /// Of integers that are numbers.
  bool isInteger() const { return kind_ == Kind::Integer; }
  int64_t elements() const { return type_.getNumElements(); }
  int64_t elementBytes() const { return elementBytes_; }
  char *data() const { return bytes_.data(); }
  bool guardIntact() const {
    const char *guard = data() + elements() * elementBytes();
    for (int i = 0; i != guardBytes; ++i) {
      if (guard[i] != guardValue) {
        return false;
      }
    }
    return true;
  }

  double get(int64_t i) const {
    const char *from = data() + i * elementBytes_;
    switch (kind_) {
    case Kind::Bool:
      return *from;
    case Kind::Integer: {
      uint64_t bits = 0;
      std::memcpy(&bits, from, elementBytes_);
      int unused = 64 - 8 * int(elementBytes_);
      return double(int64_t(bits << unused) >> unused);
    }
    case Kind::F32:
      return load<float>(from);
    case Kind::F16:
      return load<_Float16>(from);
    case Kind::BF16:
      return std::bit_cast<float>(uint32_t(load<uint16_t>(from)) << 16);
    }
  }
  void set(int64_t i, double number) {
    char *to = data() + i * elementBytes_;
    if (kind_ == Kind::Bool) {
      *to = number > 0;
    } else if (kind_ == Kind::Integer) {
      auto bits = int64_t(number);
      std::memcpy(to, &bits, elementBytes_);
    } else {
      llvm::APFloat value(number);
      bool inexact;
      value.convert(semantics(), llvm::APFloat::rmNearestTiesToEven, &inexact);
      uint32_t bits = uint32_t(value.bitcastToAPInt().getZExtValue());
      std::memcpy(to, &bits, elementBytes_);
    }
  }
  /// Rounding error of a stored value, relative.
  double roundoff() const {
    mlir::Type type = type_.getElementType();
    return type.isF32() ? 6e-8 : type.isBF16() ? 3.95e-3 : 4.9e-4;
  }

  std::vector<int64_t> dims;

private:
  /// How a number is stored: references read each operand millions of times,
  /// too often to ask its type.
  enum class Kind { Bool, Integer, F32, F16, BF16 };
  static Kind kindOf(mlir::Type type) {
    return type.isInteger(1)  ? Kind::Bool
           : type.isInteger() ? Kind::Integer
           : type.isF32()     ? Kind::F32
           : type.isF16()     ? Kind::F16
                              : Kind::BF16;
  }
  template <typename T> static T load(const char *from) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
  }

  TestTensor(mlir::RankedTensorType type, int64_t guard)
      : dims(type.getShape().begin(), type.getShape().end()), type_(type),
        kind_(kindOf(type.getElementType())),
        elementBytes_((type.getElementTypeBitWidth() + 7) / 8),
        bytes_(type.getNumElements() * elementBytes_ + guard) {
    std::memset(data() + elements() * elementBytes(), guardValue, guard);
  }
  const llvm::fltSemantics &semantics() const {
    return mlir::cast<mlir::FloatType>(type_.getElementType())
        .getFloatSemantics();
  }

  static constexpr int guardBytes = 64;
  static constexpr char guardValue = 0x5a;

  mlir::RankedTensorType type_;
  Kind kind_;
  int64_t elementBytes_;
  GuardedBytes bytes_;
};

} // namespace minic::cpu

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CPU_GEMM_PACKED_TESTTENSOR_H
