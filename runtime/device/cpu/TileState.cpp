// SPDX-License-Identifier: Apache-2.0
//
// arch_prctl; see Documentation/arch/x86/xstate.rst of Linux.

#include "runtime/device/cpu/TileState.h"

#include "runtime/device/cpu/CpuFeatures.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace minic::runtime {

static absl::Status ask() {
  constexpr int getPermissions = 0x1022, requestPermission = 0x1023;
  constexpr int tileData = 18; // a bit of XCR0
  if (!cpuHasFeature("amx-tile")) {
    return absl::FailedPreconditionError("this CPU lacks 'amx-tile'");
  }
  if (syscall(SYS_arch_prctl, requestPermission, tileData) != 0) {
    if (errno == ENOSPC) {
      return absl::FailedPreconditionError(
          "Linux refuses AMX tiles: a thread of this process has an alternate "
          "signal stack that is too small for them");
    }
    return absl::ErrnoToStatus(errno, "Linux refuses AMX tiles");
  }
  uint64_t granted = 0;
  if (syscall(SYS_arch_prctl, getPermissions, &granted) != 0 ||
      (granted >> tileData & 1) == 0) {
    return absl::FailedPreconditionError("Linux grants no AMX tiles");
  }
  return absl::OkStatus();
}

absl::Status requestTileState() {
  static const absl::Status *answer = new absl::Status(ask());
  return *answer;
}

} // namespace minic::runtime
