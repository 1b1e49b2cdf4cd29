// SPDX-License-Identifier: Apache-2.0
//
// "onednn matmul" as a primitive.

#include "runtime/device/cpu/OnednnBuilder.h"
#include "runtime/format/CallReader.h"

namespace minic::runtime {

#define RETURN_IF_ERROR(expression)                                            \
  if (absl::Status status = (expression); !status.ok()) {                      \
    return status;                                                             \
  }

absl::StatusOr<std::unique_ptr<OnednnPrimitive>>
createOnednnMatmul(const format::Call &call, OnednnBuilder builder) {
  format::CallReader reader(call);
  const format::TensorView *bias = reader.view("bias");
  // In the order of oneDNN's descriptor: the first three are always there.
  RETURN_IF_ERROR(builder.addOperand(DNNL_ARG_SRC, *reader.view("lhs")));
  RETURN_IF_ERROR(builder.addOperand(DNNL_ARG_WEIGHTS, *reader.view("rhs")));
  RETURN_IF_ERROR(builder.addOperand(DNNL_ARG_DST, *reader.view("result")));
  if (bias) {
    RETURN_IF_ERROR(builder.addOperand(DNNL_ARG_BIAS, *bias));
  }
  const auto &lhsDims = *reader.view("lhs")->dims();
  if (lhsDims[lhsDims.size() - 1] == 0) {
    return absl::UnimplementedError(
        "oneDNN matmul over an inner dimension of 0 is not supported");
  }
  bool packs = reader.integer("pack_rhs");
  dnnl_memory_desc_t rhs = builder.descriptor(1);
  if (packs) {
    absl::StatusOr<dnnl_memory_desc_t> packed = builder.anyLayout(1);
    RETURN_IF_ERROR(packed.status());
    rhs = *packed;
  }
  dnnl_matmul_desc_t descriptor;
  RETURN_IF_ERROR(checkOnednn(builder.library().dnnl_matmul_desc_init(
                                  &descriptor, &builder.descriptor(0), &rhs,
                                  bias ? &builder.descriptor(3) : nullptr,
                                  &builder.descriptor(2)),
                              "describe this"));
  RETURN_IF_ERROR(builder.addPostOps(call));
  return builder.finish(&descriptor, packs ? reader.view("rhs") : nullptr);
}

} // namespace minic::runtime
