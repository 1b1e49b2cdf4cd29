// SPDX-License-Identifier: Apache-2.0
//
// Interpolation: where the elements of a resized dimension come from, with
// which weights. No IR.

#ifndef MINIC_COMPILER_IMPORT_ONNX_INTERPOLATION_H
#define MINIC_COMPILER_IMPORT_ONNX_INTERPOLATION_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace minic {

/// What ONNX's Resize says of all dimensions.
struct Interpolation {
  std::string mode = "nearest";
  std::string coordinates = "half_pixel";
  std::string rounding = "round_prefer_floor";
  double cubicCoefficient = -0.75;
  bool excludesOutside = false;
  bool antialiases = false;
  double extrapolation = 0;
};

/// One dimension.
struct ResizedLine {
  int64_t inputs = 1, outputs = 1;
  double scale = 1;
  /// Of tf_crop_and_resize, in shares of the input.
  double begin = 0, end = 1;
};

/// Weights by index of the input, for each output; none where the extrapolation
/// value stands.
using Taps = std::vector<std::map<int64_t, double>>;

/// Whether ONNX has such modes.
bool isKnown(const Interpolation &how);

Taps tapsOf(const Interpolation &how, const ResizedLine &line);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_ONNX_INTERPOLATION_H
