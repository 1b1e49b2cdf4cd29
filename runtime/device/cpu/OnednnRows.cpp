// SPDX-License-Identifier: Apache-2.0
//
// "onednn softmax", "onednn layer_norm" and "onednn reduction" as primitives.

#include "runtime/device/cpu/OnednnBuilder.h"
#include "runtime/format/CallReader.h"

#include <utility>

namespace minic::runtime {

#define RETURN_IF_ERROR(expression)                                            \
  if (absl::Status status = (expression); !status.ok()) {                      \
    return status;                                                             \
  }

/// Operands 0 and 1: what every op of this file reads first and writes.
static absl::Status addInputAndResult(const format::CallReader &reader,
                                      OnednnBuilder &builder) {
  RETURN_IF_ERROR(builder.addOperand(DNNL_ARG_SRC, *reader.view("input")));
  return builder.addOperand(DNNL_ARG_DST, *reader.view("result"));
}

absl::StatusOr<std::unique_ptr<OnednnPrimitive>>
createOnednnSoftmax(const format::Call &call, OnednnBuilder builder) {
  format::CallReader reader(call);
  RETURN_IF_ERROR(addInputAndResult(reader, builder));
  dnnl_softmax_v2_desc_t descriptor;
  RETURN_IF_ERROR(
      checkOnednn(builder.library().dnnl_softmax_v2_forward_desc_init(
                      &descriptor, dnnl_forward_inference,
                      dnnl_softmax_accurate, &builder.descriptor(0),
                      &builder.descriptor(1), int(reader.integer("axis"))),
                  "describe this"));
  RETURN_IF_ERROR(builder.addPostOps(call));
  return builder.finish(&descriptor, /*packedWeights=*/nullptr);
}

absl::StatusOr<std::unique_ptr<OnednnPrimitive>>
createOnednnLayerNorm(const format::Call &call, OnednnBuilder builder) {
  format::CallReader reader(call);
  RETURN_IF_ERROR(addInputAndResult(reader, builder));
  unsigned flags = dnnl_normalization_flags_none;
  const struct {
    const char *role;
    int argument;
    unsigned flag;
  } parameters[] = {{"scale", DNNL_ARG_SCALE, dnnl_use_scale},
                    {"bias", DNNL_ARG_SHIFT, dnnl_use_shift}};
  for (const auto &[role, argument, flag] : parameters) {
    if (const format::TensorView *view = reader.view(role)) {
      RETURN_IF_ERROR(builder.addOperand(argument, *view));
      flags |= flag;
    }
  }
  dnnl_layer_normalization_desc_t descriptor;
  RETURN_IF_ERROR(checkOnednn(
      builder.library().dnnl_layer_normalization_forward_desc_init(
          &descriptor, dnnl_forward_inference, &builder.descriptor(0),
          /*stat_desc=*/nullptr, float(reader.number("epsilon")), flags),
      "describe this"));
  RETURN_IF_ERROR(builder.addPostOps(call));
  return builder.finish(&descriptor, /*packedWeights=*/nullptr);
}

absl::StatusOr<std::unique_ptr<OnednnPrimitive>>
createOnednnReduction(const format::Call &call, OnednnBuilder builder) {
  static constexpr std::pair<absl::string_view, dnnl_alg_kind_t> kKinds[] = {
      {"sum", dnnl_reduction_sum},
      {"mean", dnnl_reduction_mean},
      {"max", dnnl_reduction_max},
      {"min", dnnl_reduction_min},
      {"prod", dnnl_reduction_mul}};
  format::CallReader reader(call);
  RETURN_IF_ERROR(addInputAndResult(reader, builder));
  dnnl_alg_kind_t kind = dnnl_alg_kind_undef;
  for (const auto &[name, each] : kKinds) {
    kind = name == reader.text("kind") ? each : kind;
  }
  dnnl_reduction_desc_t descriptor;
  RETURN_IF_ERROR(checkOnednn(builder.library().dnnl_reduction_desc_init(
                                  &descriptor, kind, &builder.descriptor(0),
                                  &builder.descriptor(1),
                                  /*p=*/0, /*eps=*/0),
                              "describe this"));
  RETURN_IF_ERROR(builder.addPostOps(call));
  return builder.finish(&descriptor, /*packedWeights=*/nullptr);
}

} // namespace minic::runtime
