// SPDX-License-Identifier: Apache-2.0
//
// Checks calls of cuBLAS and cuBLASLt: views in range, shapes that multiply.

#include "runtime/format/CallChecker.h"
#include "runtime/format/ViewChecker.h"

namespace minic::format {

// sizeof(cublasLtMatmulAlgo_t), eight opaque words.
static constexpr uint32_t kAlgorithmBytes = 64;

absl::Status checkCublasGemm(const CublasGemm &call,
                             const AddressSpace &space) {
  ViewChecker checker("cublas gemm", space);
  checker.read(call.lhs(), "lhs");
  checker.read(call.rhs(), "rhs");
  checker.write(call.result(), "result");
  checker.sameFloat({call.lhs(), call.rhs()}, "lhs and rhs");
  checker.sameFloat({call.result()}, "result");
  checker.multiplies(*call.lhs(), *call.rhs(), *call.result());
  checker.compute(call.compute(), *call.lhs());
  checker.scratch(call.scratch(), call.scratch_bytes());
  return checker.status();
}

absl::Status checkCublasltMatmul(const CublasltMatmul &call,
                                 const AddressSpace &space) {
  ViewChecker checker("cublaslt matmul", space);
  checker.read(call.lhs(), "lhs");
  checker.read(call.rhs(), "rhs");
  checker.read(call.bias(), "bias", 1);
  checker.read(call.addend(), "addend");
  checker.write(call.result(), "result");
  checker.write(call.aux(), "aux");
  checker.sameFloat({call.lhs(), call.rhs()}, "lhs and rhs");
  checker.sameFloat({call.result()}, "result");
  checker.multiplies(*call.lhs(), *call.rhs(), *call.result());
  checker.sameAs(call.addend(), *call.result(), "addend");
  checker.sameAs(call.aux(), *call.result(), "aux");
  if (checker.ok() && call.bias()) {
    const auto &dims = *call.bias()->dims(), &result = *call.result()->dims();
    if (dims.size() != 1 || dims[0] != result[result.size() - 1]) {
      checker.fail("bias: expected one value per column of the result");
    }
    checker.sameFloat({call.bias()}, "bias");
  }
  checker.known(call.activation(), "activation");
  if (call.aux() && call.activation() != CublasltActivation::gelu_tanh) {
    checker.fail("aux: expected the activation gelu_tanh, got ",
                 EnumNameCublasltActivation(call.activation()));
  }
  checker.compute(call.compute(), *call.lhs());
  if (call.algorithm() && call.algorithm()->size() != 0 &&
      call.algorithm()->size() != kAlgorithmBytes) {
    checker.fail("algorithm: expected ", kAlgorithmBytes, " bytes, got ",
                 call.algorithm()->size());
  }
  checker.scratch(call.scratch(), call.scratch_bytes());
  return checker.status();
}

} // namespace minic::format
