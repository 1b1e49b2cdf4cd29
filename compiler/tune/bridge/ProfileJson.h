// SPDX-License-Identifier: Apache-2.0
//
// A GPU's profile as text, for builders: what the compiler was told of the
// device is what candidates are built for.

#ifndef MINIC_COMPILER_TUNE_BRIDGE_PROFILEJSON_H
#define MINIC_COMPILER_TUNE_BRIDGE_PROFILEJSON_H

#include "compiler/target/DeviceProfile.h"

#include <optional>

namespace minic::tune {

/// One line of JSON.
std::string encodeProfile(const DeviceProfile &profile);
/// None for text that encodeProfile did not write.
std::optional<DeviceProfile> decodeProfile(const std::string &text);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_BRIDGE_PROFILEJSON_H
