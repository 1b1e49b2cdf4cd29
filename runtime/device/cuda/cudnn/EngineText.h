// SPDX-License-Identifier: Apache-2.0
//
// How plans name an engine of cuDNN, "eng38_k2=5_k13=1", and how messages say
// why cuDNN has none.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUDNN_ENGINETEXT_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUDNN_ENGINETEXT_H

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <string>
#include <utility>
#include <vector>

namespace minic::runtime {

/// An engine of an operation graph and its knobs, as cuDNN numbers both.
struct EngineChoice {
  int64_t engine = 0;
  std::vector<std::pair<int64_t, int64_t>> knobs; // type, value
};

/// Of "eng38_k2=5_k13=1". InvalidArgument where it is not of that form.
absl::StatusOr<EngineChoice> parseEngine(absl::string_view text);
std::string toString(const EngineChoice &choice);

/// Of cuDNN's last error, which tells of each engine in several lines why it
/// was refused: the first reason of each, once, in one line, at most 300
/// characters. Empty where it tells none.
std::string refusals(absl::string_view lastError);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUDNN_ENGINETEXT_H
