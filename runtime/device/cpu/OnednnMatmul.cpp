// SPDX-License-Identifier: Apache-2.0
//
// format.OnednnMatmul as a oneDNN primitive.

#include "runtime/device/cpu/OnednnBuilder.h"

namespace minic::runtime {

#define RETURN_IF_ERROR(expression)                                            \
  if (absl::Status status = (expression); !status.ok()) {                      \
    return status;                                                             \
  }

absl::StatusOr<std::unique_ptr<OnednnPrimitive>>
createOnednnMatmul(const format::OnednnMatmul &call, OnednnBuilder builder) {
  // In the order of oneDNN's descriptor: the first three are always there.
  RETURN_IF_ERROR(builder.addOperand(DNNL_ARG_SRC, *call.lhs()));
  RETURN_IF_ERROR(builder.addOperand(DNNL_ARG_WEIGHTS, *call.rhs()));
  RETURN_IF_ERROR(builder.addOperand(DNNL_ARG_DST, *call.result()));
  if (call.bias()) {
    RETURN_IF_ERROR(builder.addOperand(DNNL_ARG_BIAS, *call.bias()));
  }
  uint32_t rank = call.lhs()->dims()->size();
  bool noSum = call.lhs()->dims()->Get(rank - 1) == 0;
  if (noSum) {
    return absl::UnimplementedError(
        "oneDNN matmul over an inner dimension of 0 is not supported");
  }
  dnnl_memory_desc_t rhs = builder.descriptor(1);
  if (call.pack_rhs()) {
    absl::StatusOr<dnnl_memory_desc_t> packed = builder.anyLayout(1);
    RETURN_IF_ERROR(packed.status());
    rhs = *packed;
  }
  dnnl_matmul_desc_t descriptor;
  RETURN_IF_ERROR(
      checkOnednn(builder.library().dnnl_matmul_desc_init(
                      &descriptor, &builder.descriptor(0), &rhs,
                      call.bias() ? &builder.descriptor(3) : nullptr,
                      &builder.descriptor(2)),
                  "describe this"));
  RETURN_IF_ERROR(builder.addPostOps(call.post_ops()));
  builder.setScratch(call.scratch(), call.scratch_bytes());
  return builder.finish(&descriptor, call.pack_rhs() ? call.rhs() : nullptr);
}

} // namespace minic::runtime
