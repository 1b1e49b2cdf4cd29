// SPDX-License-Identifier: Apache-2.0
//
// Checks cuDNN's calls: views in range, shapes that fit together.

#include "runtime/format/CallChecker.h"
#include "runtime/format/ViewChecker.h"

namespace minic::format {

absl::Status checkCudnnConvolution(const CudnnConvolution &call,
                                   const AddressSpace &space) {
  ViewChecker checker("cudnn convolution", space);
  checkConvolution(convolutionShape(call), checker);
  checker.read(call.bias(), "bias", 3);
  checker.read(call.addend(), "addend", 3);
  checker.sameFloat({call.input(), call.filter()}, "input and filter");
  checker.sameFloat({call.result()}, "result");
  checker.sameAs(call.addend(), *call.result(), "addend");
  if (checker.ok() && call.bias()) {
    const auto &dims = *call.bias()->dims(), &result = *call.result()->dims();
    bool matches = dims.size() == result.size() && dims[1] == result[1];
    for (uint32_t i = 0; matches && i < dims.size(); ++i) {
      matches = i == 1 || dims[i] == 1;
    }
    if (!matches) {
      checker.fail("bias: expected one value per channel of the result");
    }
  }
  checker.eltwise(call.activation());
  checker.compute(call.compute(), *call.input());
  checker.scratch(call.scratch(), call.scratch_bytes());
  return checker.status();
}

absl::Status checkCudnnMatmul(const CudnnMatmul &call,
                              const AddressSpace &space) {
  ViewChecker checker("cudnn matmul", space);
  checker.read(call.lhs(), "lhs");
  checker.read(call.rhs(), "rhs");
  checker.read(call.bias(), "bias", 1);
  checker.write(call.result(), "result");
  checker.sameFloat({call.lhs(), call.rhs()}, "lhs and rhs");
  checker.sameFloat({call.result()}, "result");
  checker.multiplies(*call.lhs(), *call.rhs(), *call.result());
  if (checker.ok() && call.bias()) {
    const auto &dims = *call.bias()->dims(), &result = *call.result()->dims();
    if (dims.size() != 1 || dims[0] != result[result.size() - 1]) {
      checker.fail("bias: expected one value per column of the result");
    }
  }
  checker.eltwise(call.activation());
  checker.compute(call.compute(), *call.lhs());
  checker.scratch(call.scratch(), call.scratch_bytes());
  return checker.status();
}

} // namespace minic::format
