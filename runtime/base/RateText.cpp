// SPDX-License-Identifier: Apache-2.0
//
// Four digits.

#include "runtime/base/RateText.h"

#include <cstdio>

namespace minic::runtime {

std::string rateText(double gflops) {
  bool isTera = gflops >= 1000;
  char text[32];
  std::snprintf(text, sizeof text, "%.4g %s", isTera ? gflops / 1000 : gflops,
                isTera ? "TFLOP/s" : "GFLOP/s");
  return text;
}

} // namespace minic::runtime
