// SPDX-License-Identifier: Apache-2.0
//
// Every field once; fields of CPUs are left out.

#include "compiler/tune/bridge/ProfileJson.h"

#include <nlohmann/json.hpp>

namespace minic::tune {

using Json = nlohmann::json;

/// Calls `visit(name, member)` for each field.
template <typename Profile, typename Visit>
static void forEachField(Profile &profile, Visit visit) {
  visit("target", profile.target);
  visit("name", profile.name);
  visit("cpu", profile.cpu);
  visit("features", profile.features);
  visit("l2_bytes", profile.l2Bytes);
  visit("peak_gflops", profile.peakGflops);
  visit("memory_gbs", profile.memoryGBs);
  visit("sm_version", profile.smVersion);
  visit("sm_count", profile.smCount);
  visit("shared_bytes_per_block", profile.sharedBytesPerBlock);
  visit("shared_bytes_per_sm", profile.sharedBytesPerSm);
  visit("registers_per_sm", profile.registersPerSm);
  visit("threads_per_sm", profile.threadsPerSm);
  visit("clock_mhz", profile.clockMHz);
  visit("tensor_gflops_16", profile.tensorGflops16);
  visit("tensor_gflops_tf32", profile.tensorGflopsTf32);
  visit("is_present", profile.isPresent);
  visit("device_index", profile.deviceIndex);
  visit("device_id", profile.deviceId);
  visit("libraries", profile.libraries);
  visit("allow_tf32", profile.allowTf32);
  visit("workspace_limit", profile.workspaceLimit);
  visit("tuning_key", profile.tuningKey);
}

std::string encodeProfile(const DeviceProfile &profile) {
  Json object = Json::object();
  forEachField(profile, [&](const char *name, const auto &value) {
    object[name] = value;
  });
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<DeviceProfile> decodeProfile(const std::string &text) {
  Json object = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) {
    return std::nullopt;
  }
  DeviceProfile profile;
  bool valid = true;
  forEachField(profile, [&](const char *name, auto &value) {
    // What the field holds now has the type that is expected.
    Json model = value;
    auto found = object.find(name);
    valid = valid && found != object.end() &&
            (model.is_number() ? found->is_number()
                               : found->type() == model.type());
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>,
                                 std::vector<std::string>>) {
      valid = valid && std::all_of(found->begin(), found->end(),
                                   [](auto &one) { return one.is_string(); });
    }
    if (valid) {
      found->get_to(value);
    }
  });
  return valid ? std::optional(profile) : std::nullopt;
}

} // namespace minic::tune
