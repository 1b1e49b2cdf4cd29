// SPDX-License-Identifier: Apache-2.0
//
// ScratchDirectory: a folder in memory for the files of one run, gone when the
// run is, even one that was killed.

#ifndef MINIC_COMPILER_TUNE_PROCESS_SCRATCHDIRECTORY_H
#define MINIC_COMPILER_TUNE_PROCESS_SCRATCHDIRECTORY_H

#include "absl/status/statusor.h"

#include <memory>
#include <string>

namespace minic::tune {

/// Named minic-<pid>-<random> under $XDG_RUNTIME_DIR, /dev/shm, $TMPDIR or
/// /tmp, whichever first can be written. Holds a lock for its lifetime, by
/// which others see that it is in use.
class ScratchDirectory {
public:
  /// Removes those of processes that are dead, and files named
  /// minic-<pid>-<random>.<suffix> that such left a while ago.
  static void removeOrphans();
  /// Creates one, after removing orphans.
  static absl::StatusOr<std::unique_ptr<ScratchDirectory>> create();
  /// The same under `parent`.
  static absl::StatusOr<std::unique_ptr<ScratchDirectory>>
  createIn(const std::string &parent);
  /// Removes it with all that is in it.
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory &) = delete;
  ScratchDirectory &operator=(const ScratchDirectory &) = delete;

  const std::string &path() const { return directory; }

private:
  ScratchDirectory() = default;
  std::string directory;
  int lock = -1;
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_PROCESS_SCRATCHDIRECTORY_H
