// SPDX-License-Identifier: Apache-2.0
//
// format.OnednnConvolution as a oneDNN primitive.

#include "runtime/device/cpu/OnednnBuilder.h"

#include <algorithm>

namespace minic::runtime {

#define RETURN_IF_ERROR(expression)                                            \
  if (absl::Status status = (expression); !status.ok()) {                      \
    return status;                                                             \
  }

/// The filter as oneDNN wants it: with groups the output channels are two
/// dimensions, [groups, K / groups, C / groups, spatial...].
static absl::StatusOr<dnnl_memory_desc_t>
describeFilter(OnednnBuilder &builder, const format::OnednnConvolution &call) {
  absl::StatusOr<dnnl_memory_desc_t> dense = builder.describe(*call.filter());
  if (!dense.ok() || call.groups() == 1) {
    return dense;
  }
  const auto &dims = *call.filter()->dims();
  const auto &strides = *call.filter()->strides();
  int64_t perGroup = dims[0] / call.groups();
  dnnl_dims_t groupedDims = {call.groups(), perGroup};
  dnnl_dims_t groupedStrides = {perGroup * strides[0], strides[0]};
  for (uint32_t i = 1; i < dims.size(); ++i) {
    groupedDims[i + 1] = dims[i];
    groupedStrides[i + 1] = strides[i];
  }
  dnnl_memory_desc_t grouped;
  RETURN_IF_ERROR(
      checkOnednn(builder.library().dnnl_memory_desc_init_by_strides(
                      &grouped, dims.size() + 1, groupedDims, dense->data_type,
                      groupedStrides),
                  "describe a grouped filter"));
  return grouped;
}

static bool hasBinary(const format::OnednnConvolution &call) {
  for (uint32_t i = 0; call.post_ops() && i < call.post_ops()->size(); ++i) {
    if (call.post_ops()->Get(i)->post_op_as_BinaryPostOp()) {
      return true;
    }
  }
  return false;
}

absl::StatusOr<std::unique_ptr<OnednnPrimitive>>
createOnednnConvolution(const format::OnednnConvolution &call,
                        OnednnBuilder builder) {
  absl::StatusOr<dnnl_memory_desc_t> filter = describeFilter(builder, call);
  RETURN_IF_ERROR(filter.status());
  RETURN_IF_ERROR(builder.addOperand(DNNL_ARG_SRC, *call.input()));
  RETURN_IF_ERROR(
      builder.addOperand(DNNL_ARG_WEIGHTS, *filter, *call.filter()));
  RETURN_IF_ERROR(builder.addOperand(DNNL_ARG_DST, *call.result()));
  if (call.bias()) {
    RETURN_IF_ERROR(builder.addOperand(DNNL_ARG_BIAS, *call.bias()));
  }
  if (call.pack_filter()) {
    filter = builder.anyLayout(1);
    RETURN_IF_ERROR(filter.status());
  }
  auto toDims = [](const flatbuffers::Vector<int64_t> &values, dnnl_dims_t &out,
                   int64_t less = 0) {
    for (uint32_t i = 0; i < values.size(); ++i) {
      out[i] = values[i] - less;
    }
  };
  dnnl_dims_t strides, dilations, padsBegin, padsEnd;
  toDims(*call.strides(), strides);
  toDims(*call.dilations(), dilations, 1); // oneDNN counts skipped elements
  toDims(*call.pads_begin(), padsBegin);
  toDims(*call.pads_end(), padsEnd);
  dnnl_convolution_desc_t descriptor;
  RETURN_IF_ERROR(checkOnednn(
      builder.library().dnnl_dilated_convolution_forward_desc_init(
          &descriptor, dnnl_forward_inference, dnnl_convolution_direct,
          &builder.descriptor(0), &*filter,
          call.bias() ? &builder.descriptor(3) : nullptr,
          &builder.descriptor(2), strides, dilations, padsBegin, padsEnd),
      "describe this"));
  RETURN_IF_ERROR(builder.addPostOps(call.post_ops()));
  builder.setScratch(call.scratch(), call.scratch_bytes());
  // oneDNN 2.6.3 applies binary post-ops to the wrong elements of NHWC results
  // where it falls back to a matrix product.
  const format::TensorView &result = *call.result();
  bool isNhwc = result.strides()->Get(1) == 1 &&
                (result.dims()->Get(2) != 1 || result.dims()->Get(3) != 1);
  return builder.finish(&descriptor,
                        call.pack_filter() ? call.filter() : nullptr,
                        isNhwc && hasBinary(call) ? "gemm:" : nullptr);
}

} // namespace minic::runtime
