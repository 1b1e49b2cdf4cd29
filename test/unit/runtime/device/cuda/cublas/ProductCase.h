// SPDX-License-Identifier: Apache-2.0
//
// ProductCase: products to test with, as the plan describes them, and their
// values by loops in float64.

#ifndef MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUBLAS_PRODUCTCASE_H
#define MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUBLAS_PRODUCTCASE_H

#include "test/unit/runtime/device/cuda/StridedTensor.h"
#include "test/unit/runtime/testing/CallTables.h"

#include "absl/strings/escaping.h"

#include <cmath>
#include <optional>
#include <string>

namespace minic::runtime {

struct ProductCase {
  std::string name;
  DType dtype = DType::f32, result = DType::f32;
  bool tf32 = false;
  int64_t m = 5, n = 16, k = 24;
  int64_t batch = 0; // 0: views of rank 2
  bool sharesRhs = false;
  bool lhsTransposed = false, rhsTransposed = false;
  int64_t lhsPad = 0, rhsPad = 0; // elements between rows
  bool hasBias = false, hasAddend = false, hasAux = false;
  std::optional<format::EltwiseKind> activation; // relu or gelu_tanh
  std::string algorithm;                         // bytes
  uint64_t scratchBytes = 32 << 20;

  /// Inputs 0 to 3, outputs 0 and 1.
  struct Data {
    StridedTensor lhs, rhs, bias, addend, result, aux;
  };

  Data data() const {
    Data data;
    auto matrix = [&](DType type, int64_t rows, int64_t columns,
                      bool transposed, int64_t pad, bool shared) {
      int64_t inner = transposed ? rows : columns;
      int64_t outer = transposed ? columns : rows;
      int64_t pitch = inner + pad;
      std::vector<int64_t> dims = {rows, columns};
      std::vector<int64_t> strides = {pitch, 1};
      if (transposed) {
        std::swap(strides[0], strides[1]);
      }
      if (batch > 0) {
        dims.insert(dims.begin(), shared ? 1 : batch);
        strides.insert(strides.begin(), outer * pitch);
      }
      return StridedTensor(type, dims, strides);
    };
    data.lhs = matrix(dtype, m, k, lhsTransposed, lhsPad, false);
    data.rhs = matrix(dtype, k, n, rhsTransposed, rhsPad, sharesRhs);
    data.bias = StridedTensor(result, {n}, {1});
    data.addend = matrix(result, m, n, false, 0, false);
    data.result = matrix(result, m, n, false, 0, false);
    data.aux = matrix(result, m, n, false, 0, false);
    data.lhs.fill(1);
    data.rhs.fill(2);
    data.bias.fill(3);
    data.addend.fill(4);
    return data;
  }

  format::CallT gemm(const Data &data) const {
    return product("cublas", "gemm", data);
  }
  format::CallT matmul(const Data &data) const {
    format::CallT call = product("cublaslt", "matmul", data);
    if (hasBias) {
      minic::testing::setOperand(call, "bias", data.bias.view(Base::input, 2));
    }
    if (hasAddend) {
      minic::testing::setOperand(call, "addend",
                                 data.addend.view(Base::input, 3));
    }
    if (hasAux) {
      minic::testing::setOperand(call, "aux", data.aux.view(Base::output, 1));
    }
    if (activation) {
      minic::testing::addEltwise(call, *activation);
    }
    call.algorithm = absl::BytesToHexString(algorithm);
    return call;
  }

  struct Expected {
    double value, beforeActivation, bound;
  };
  /// `bound` is of beforeActivation, without its rounding.
  Expected expected(const Data &data, int64_t which, int64_t i,
                    int64_t j) const {
    double sum = 0, magnitude = 0;
    for (int64_t p = 0; p < k; ++p) {
      double product = data.lhs.at({which, i, p}) * data.rhs.at({which, p, j});
      sum += product;
      magnitude += std::abs(product);
    }
    // tf32 keeps 11 bits of both factors.
    double bound =
        magnitude * (0x1p-24 * double(k + 4) + (tf32 ? 2.1 * 0x1p-11 : 0));
    for (double more : {hasBias ? data.bias.at({j}) : 0,
                        hasAddend ? data.addend.at({which, i, j}) : 0}) {
      sum += more;
      bound += 0x1p-22 * (std::abs(sum) + std::abs(more));
    }
    double value = sum;
    if (activation == format::EltwiseKind::relu) {
      value = std::max(sum, 0.0);
    } else if (activation == format::EltwiseKind::gelu_tanh) {
      value = 0.5 * sum *
              (1 + std::tanh(std::sqrt(2 / M_PI) *
                             (sum + 0.044715 * sum * sum * sum)));
    }
    return {value, sum, bound};
  }

private:
  format::CallT product(const char *library, const char *op,
                        const Data &data) const {
    using namespace minic::testing;
    format::CallT call = libraryCall(library, op);
    setOperand(call, "lhs", data.lhs.view(Base::input, 0));
    setOperand(call, "rhs", data.rhs.view(Base::input, 1));
    setOperand(call, "result", data.result.view(Base::output, 0));
    setText(call, "compute", tf32 ? "tf32" : "f32");
    if (scratchBytes) {
      setScratch(call, {Base::arena, 0, 0}, scratchBytes);
    }
    return call;
  }
};

} // namespace minic::runtime

#endif // MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUBLAS_PRODUCTCASE_H
