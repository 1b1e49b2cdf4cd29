// SPDX-License-Identifier: Apache-2.0
//
// Checks oneDNN's calls: views in range, shapes that fit together.

#include "runtime/format/CallChecker.h"
#include "runtime/format/ViewChecker.h"

namespace minic::format {

absl::Status checkOnednnMatmul(const OnednnMatmul &call,
                               const AddressSpace &space) {
  ViewChecker checker("onednn matmul", space);
  checker.read(call.lhs(), "lhs");
  checker.read(call.rhs(), "rhs");
  checker.write(call.result(), "result");
  checker.read(call.bias(), "bias");
  checker.multiplies(*call.lhs(), *call.rhs(), *call.result());
  checker.broadcasts(call.bias(), *call.result(), "bias");
  if (call.pack_rhs() && call.rhs()->address()->base() != Base::constant) {
    checker.fail("packed rhs: expected a constant");
  }
  checker.postOps(call.post_ops(), *call.result());
  checker.scratch(call.scratch(), call.scratch_bytes());
  return checker.status();
}

absl::Status checkOnednnConvolution(const OnednnConvolution &call,
                                    const AddressSpace &space) {
  ViewChecker checker("onednn convolution", space);
  checkConvolution(convolutionShape(call), checker);
  checker.read(call.bias(), "bias", 1);
  if (checker.ok() && call.bias() &&
      (call.bias()->dims()->size() != 1 ||
       call.bias()->dims()->Get(0) != call.result()->dims()->Get(1))) {
    checker.fail("bias: expected one value per channel of the result");
  }
  if (call.pack_filter() &&
      call.filter()->address()->base() != Base::constant) {
    checker.fail("packed filter: expected a constant");
  }
  checker.postOps(call.post_ops(), *call.result());
  checker.scratch(call.scratch(), call.scratch_bytes());
  return checker.status();
}

} // namespace minic::format
