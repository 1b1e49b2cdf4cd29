// SPDX-License-Identifier: Apache-2.0
//
// OnednnBuilder: what it takes to make a primitive of any call.

#ifndef MINIC_RUNTIME_DEVICE_CPU_ONEDNNBUILDER_H
#define MINIC_RUNTIME_DEVICE_CPU_ONEDNNBUILDER_H

#include "runtime/device/cpu/OnednnPrimitive.h"

namespace minic::runtime {

/// OK, or what oneDNN could not do: "oneDNN cannot `what` on this machine".
absl::Status checkOnednn(dnnl_status_t status, const char *what);

/// Makes one primitive: operands first, then post-ops, then finish().
class OnednnBuilder {
public:
  /// Opens oneDNN and compares versions.
  static absl::StatusOr<OnednnBuilder> open(const OnednnOptions &options);

  const OnednnLibrary &library() const { return primitive_->library_; }

  absl::StatusOr<dnnl_memory_desc_t> describe(const format::TensorView &view);
  absl::Status addOperand(int argument, const format::TensorView &view);
  absl::Status addOperand(int argument, const dnnl_memory_desc_t &descriptor,
                          const format::TensorView &view);
  const dnnl_memory_desc_t &descriptor(size_t operand) const {
    return primitive_->operands_[operand].descriptor;
  }
  /// The operand's descriptor with a layout of oneDNN's choice.
  absl::StatusOr<dnnl_memory_desc_t> anyLayout(size_t operand);

  /// The call's epilogue, and where its scratch is.
  absl::Status addPostOps(const format::Call &call);

  /// `descriptor`: oneDNN's of the operation. With `packedWeights` operand 1 is
  /// at this address and packed now. Unimplemented where oneDNN chooses an
  /// implementation whose name has `broken` in it (null for none).
  absl::StatusOr<std::unique_ptr<OnednnPrimitive>>
  finish(const void *descriptor, const format::TensorView *packedWeights,
         const char *broken = nullptr);

private:
  OnednnBuilder(const OnednnOptions &options,
                std::unique_ptr<OnednnPrimitive> primitive)
      : options_(&options), primitive_(std::move(primitive)) {}
  absl::Status pack(const dnnl_memory_desc_t &to, const std::byte *data);

  const OnednnOptions *options_;
  std::unique_ptr<OnednnPrimitive> primitive_;
  OnednnHandle<dnnl_primitive_attr_t> attributes_;
};

absl::StatusOr<std::unique_ptr<OnednnPrimitive>>
createOnednnMatmul(const format::Call &call, OnednnBuilder builder);
absl::StatusOr<std::unique_ptr<OnednnPrimitive>>
createOnednnConvolution(const format::Call &call, OnednnBuilder builder);
absl::StatusOr<std::unique_ptr<OnednnPrimitive>>
createOnednnSoftmax(const format::Call &call, OnednnBuilder builder);
absl::StatusOr<std::unique_ptr<OnednnPrimitive>>
createOnednnLayerNorm(const format::Call &call, OnednnBuilder builder);
absl::StatusOr<std::unique_ptr<OnednnPrimitive>>
createOnednnReduction(const format::Call &call, OnednnBuilder builder);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CPU_ONEDNNBUILDER_H
