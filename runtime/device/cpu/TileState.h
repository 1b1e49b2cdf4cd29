// SPDX-License-Identifier: Apache-2.0
//
// The tile registers of AMX, which a process has only after it asked for them.

#ifndef MINIC_RUNTIME_DEVICE_CPU_TILESTATE_H
#define MINIC_RUNTIME_DEVICE_CPU_TILESTATE_H

#include "absl/status/status.h"

namespace minic::runtime {

/// Asks Linux, once per process, for the tile registers; later calls have the
/// same answer. All threads have them then, also those that begin later. What
/// touches them without it is killed (SIGILL).
///
/// An error says why not, in one line: the CPU or the kernel has no AMX, or a
/// thread has an alternate signal stack that is too small for a frame with
/// tiles (about 12 KB). After a success Linux refuses such stacks.
/// Thread-safe.
absl::Status requestTileState();

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CPU_TILESTATE_H
