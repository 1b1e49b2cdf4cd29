// SPDX-License-Identifier: Apache-2.0
//
// Every mode but nearest is a kernel of the distance: a hat, or Keys' cubic
// (Cubic convolution interpolation, 1981). It is as wide as the scale when it
// antialiases.

#include "compiler/import/onnx/Interpolation.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace minic {

bool isKnown(const Interpolation &how) {
  static const std::set<std::string> modes = {"nearest", "linear", "cubic"};
  static const std::set<std::string> roundings = {
      "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
  static const std::set<std::string> coordinates = {
      "half_pixel",          "half_pixel_symmetric", "pytorch_half_pixel",
      "align_corners",       "asymmetric",           "tf_crop_and_resize",
      "tf_half_pixel_for_nn"};
  return modes.count(how.mode) && roundings.count(how.rounding) &&
         coordinates.count(how.coordinates);
}

/// The place in the input of output `at`.
static double sourceOf(const Interpolation &how, const ResizedLine &line,
                       int64_t at) {
  double width = line.scale * double(line.inputs);
  double last = double(line.inputs - 1), y = double(at);
  const std::string &mode = how.coordinates;
  if (mode == "align_corners") {
    return width == 1 ? 0 : y * last / (width - 1);
  }
  if (mode == "asymmetric") {
    return y / line.scale;
  }
  if (mode == "tf_crop_and_resize") {
    double part = line.end - line.begin;
    double inside =
        width == 1 ? part * last / 2 : y * part * last / (width - 1);
    return inside + line.begin * last;
  }
  if (mode == "tf_half_pixel_for_nn") {
    return (y + 0.5) / line.scale;
  }
  if (mode == "pytorch_half_pixel" && width == 1) {
    return -0.5;
  }
  double offset =
      mode == "half_pixel_symmetric"
          ? double(line.inputs) / 2 * (1 - double(line.outputs) / width)
          : 0;
  return offset + (y + 0.5) / line.scale - 0.5;
}

static double rounded(double x, const std::string &how) {
  return how == "floor"               ? std::floor(x)
         : how == "ceil"              ? std::ceil(x)
         : how == "round_prefer_ceil" ? std::floor(x + 0.5)
                                      : std::ceil(x - 0.5);
}

static double weightAt(const Interpolation &how, double distance) {
  double x = std::fabs(distance), a = how.cubicCoefficient;
  if (how.mode == "linear") {
    return std::max(1 - x, 0.0);
  }
  return x <= 1  ? ((a + 2) * x - (a + 3)) * x * x + 1
         : x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
                 : 0;
}

Taps tapsOf(const Interpolation &how, const ResizedLine &line) {
  Taps taps(line.outputs);
  double shrink = how.antialiases ? std::min(line.scale, 1.0) : 1;
  double radius = (how.mode == "linear" ? 1 : 2) / shrink;
  for (int64_t i = 0; i < line.outputs; ++i) {
    double x = sourceOf(how, line, i), last = double(line.inputs - 1);
    if (how.coordinates == "tf_crop_and_resize" && !(x >= 0 && x <= last)) {
      continue;
    }
    if (how.mode == "nearest") {
      double at = std::clamp(rounded(x, how.rounding), 0.0, last);
      taps[i][int64_t(at)] = 1;
      continue;
    }
    double sum = 0;
    for (double at = std::ceil(x - radius); at <= std::floor(x + radius);
         ++at) {
      double weight = weightAt(how, (at - x) * shrink);
      bool isOutside = at < 0 || at > last;
      if (weight == 0 || (isOutside && how.excludesOutside)) {
        continue;
      }
      taps[i][int64_t(std::clamp(at, 0.0, last))] += weight;
      sum += weight;
    }
    for (auto &[at, weight] : taps[i]) {
      weight /= sum == 0 ? 1 : sum;
    }
  }
  return taps;
}

} // namespace minic
