// SPDX-License-Identifier: Apache-2.0
//
// Feature queries on a device profile.

#include "compiler/target/DeviceProfile.h"

#include <algorithm>

namespace minic {

bool DeviceProfile::has(const std::string &feature) const {
  return std::find(features.begin(), features.end(), "+" + feature) !=
         features.end();
}

} // namespace minic
