// SPDX-License-Identifier: Apache-2.0
//
// "onednn convolution" as a primitive.

#include "runtime/device/cpu/OnednnBuilder.h"
#include "runtime/format/CallReader.h"

#include <algorithm>

namespace minic::runtime {

#define RETURN_IF_ERROR(expression)                                            \
  if (absl::Status status = (expression); !status.ok()) {                      \
    return status;                                                             \
  }

/// The filter as oneDNN wants it: with groups the output channels are two
/// dimensions, [groups, K / groups, C / groups, spatial...].
static absl::StatusOr<dnnl_memory_desc_t>
describeFilter(OnednnBuilder &builder, const format::TensorView &filter,
               int64_t groups) {
  absl::StatusOr<dnnl_memory_desc_t> dense = builder.describe(filter);
  if (!dense.ok() || groups == 1) {
    return dense;
  }
  const auto &dims = *filter.dims();
  const auto &strides = *filter.strides();
  int64_t perGroup = dims[0] / groups;
  dnnl_dims_t groupedDims = {groups, perGroup};
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

static bool hasBinary(const format::Call &call) {
  for (uint32_t i = 0; call.epilogue() && i < call.epilogue()->size(); ++i) {
    if (call.epilogue()->Get(i)->post_op_as_BinaryPostOp()) {
      return true;
    }
  }
  return false;
}

absl::StatusOr<std::unique_ptr<OnednnPrimitive>>
createOnednnConvolution(const format::Call &call, OnednnBuilder builder) {
  format::CallReader reader(call);
  const format::TensorView &plannedFilter = *reader.view("filter");
  const format::TensorView &result = *reader.view("result");
  const format::TensorView *bias = reader.view("bias");
  bool packs = reader.integer("pack_filter");
  absl::StatusOr<dnnl_memory_desc_t> filter =
      describeFilter(builder, plannedFilter, reader.integer("groups"));
  RETURN_IF_ERROR(filter.status());
  RETURN_IF_ERROR(builder.addOperand(DNNL_ARG_SRC, *reader.view("input")));
  RETURN_IF_ERROR(builder.addOperand(DNNL_ARG_WEIGHTS, *filter, plannedFilter));
  RETURN_IF_ERROR(builder.addOperand(DNNL_ARG_DST, result));
  if (bias) {
    RETURN_IF_ERROR(builder.addOperand(DNNL_ARG_BIAS, *bias));
  }
  if (packs) {
    filter = builder.anyLayout(1);
    RETURN_IF_ERROR(filter.status());
  }
  auto toDims = [&](const char *name, dnnl_dims_t &out, int64_t less = 0) {
    absl::Span<const int64_t> values = reader.integers(name);
    for (size_t i = 0; i < values.size(); ++i) {
      out[i] = values[i] - less;
    }
  };
  dnnl_dims_t strides, dilations, padsBegin, padsEnd;
  toDims("strides", strides);
  toDims("dilations", dilations, 1); // oneDNN counts skipped elements
  toDims("pads_begin", padsBegin);
  toDims("pads_end", padsEnd);
  dnnl_convolution_desc_t descriptor;
  RETURN_IF_ERROR(checkOnednn(
      builder.library().dnnl_dilated_convolution_forward_desc_init(
          &descriptor, dnnl_forward_inference, dnnl_convolution_direct,
          &builder.descriptor(0), &*filter,
          bias ? &builder.descriptor(3) : nullptr, &builder.descriptor(2),
          strides, dilations, padsBegin, padsEnd),
      "describe this"));
  RETURN_IF_ERROR(builder.addPostOps(call));
  // oneDNN 2.6.3 applies binary post-ops to the wrong elements of NHWC results
  // where it falls back to a matrix product.
  const auto &dims = *result.dims();
  bool isNhwc = result.strides()->Get(1) == 1 &&
                std::any_of(dims.begin() + 2, dims.end(),
                            [](int64_t extent) { return extent != 1; });
  return builder.finish(&descriptor, packs ? &plannedFilter : nullptr,
                        isNhwc && hasBinary(call) ? "gemm:" : nullptr);
}

} // namespace minic::runtime
