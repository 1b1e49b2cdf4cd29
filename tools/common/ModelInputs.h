// SPDX-License-Identifier: Apache-2.0
//
// ModelInputs: inputs and outputs of a run as the command line gives them.

#ifndef MINIC_TOOLS_COMMON_MODELINPUTS_H
#define MINIC_TOOLS_COMMON_MODELINPUTS_H

#include "runtime/base/AlignedBuffer.h"
#include "runtime/base/Tensor.h"

#include "absl/status/statusor.h"

#include <optional>
#include <string>
#include <vector>

namespace minic::tools {

/// "256x1024xf32"
std::string typeText(absl::Span<const int64_t> dims, runtime::DType dtype);

/// Files by position among `specs`, empty strings where none is given.
/// Arguments are NAME=FILE, or FILE for the next spec that has none yet.
/// InvalidArgument for a name that is not there, one given twice, or too many;
/// `what` is "input" or "output".
absl::StatusOr<std::vector<std::string>>
assignFiles(const std::vector<std::string> &arguments,
            absl::Span<const runtime::TensorSpec> specs, const char *what);

/// Tensors that own their data. `specs` outlives it. Move-only.
struct ModelTensors {
  std::vector<runtime::AlignedBuffer> buffers;
  std::vector<runtime::Tensor> tensors;
};

/// Zeroed tensors.
absl::StatusOr<ModelTensors>
allocateTensors(absl::Span<const runtime::TensorSpec> specs);

/// Inputs from .npy files, or random (`seed` and the input's name) where no
/// file is given. With `bf16` files of uint16 are bf16. InvalidArgument where
/// shape or dtype is not the model's.
absl::StatusOr<ModelTensors>
readInputs(absl::Span<const runtime::TensorSpec> specs,
           const std::vector<std::string> &files, bool bf16, uint64_t seed);

} // namespace minic::tools

#endif // MINIC_TOOLS_COMMON_MODELINPUTS_H
