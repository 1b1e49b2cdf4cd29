// SPDX-License-Identifier: Apache-2.0
//
// Queries on a device profile.

#include "compiler/target/DeviceProfile.h"

#include <algorithm>

namespace minic {

bool DeviceProfile::has(const std::string &feature) const {
  return std::find(features.begin(), features.end(), "+" + feature) !=
         features.end();
}

double DeviceProfile::productGflops(bool isF32) const {
  return !isF32 ? tensorGflops16 : allowTf32 ? tensorGflopsTf32 : peakGflops;
}

} // namespace minic
