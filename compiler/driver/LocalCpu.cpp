// SPDX-License-Identifier: Apache-2.0
//
// One question to the worker, two where this machine is new.

#include "compiler/driver/LocalCpu.h"

#include "compiler/driver/JoinCosts.h"

namespace minic {

void describeLocalCpu(tune::Machine &machine, DeviceProfile &profile) {
  absl::StatusOr<runtime::DeviceFacts> facts = machine.describe(/*gpus=*/false);
  if (!facts.ok()) {
    return; // whoever needs the worker says so
  }
  if (facts->libraries.find("oneDNN") == facts->libraries.end()) {
    profile.onednnProblem =
        "oneDNN cannot be opened on this machine; --cpu-isa=v3 or v4 compiles "
        "for another one";
  }
  if (profile.threads <= 1) {
    return;
  }
  JoinCosts costs(JoinCosts::defaultPath());
  std::optional<double> known = costs.find(profile.tuningKey);
  if (!known) {
    absl::StatusOr<double> measured = machine.measureJoin(profile.threads);
    if (!measured.ok()) {
      return;
    }
    known = JoinCosts::rounded(*measured);
    costs.keep(profile.tuningKey, *known);
  }
  profile.joinUs = *known;
}

} // namespace minic
