// SPDX-License-Identifier: Apache-2.0
//
// A database that cannot be used is none: assembling takes longer, no more.

#include "compiler/tune/bridge/TunedBinaries.h"

#include "compiler/tune/bridge/TuningTasks.h"

namespace minic::tune {

TuningDb *TunedBinaries::open() {
  if (!wasOpened) {
    wasOpened = true;
    TuningDb::Options dbOptions;
    dbOptions.path = databasePath(options);
    dbOptions.access = options.tune && !options.tuneReplay
                           ? TuningDb::Access::ReadWrite
                           : TuningDb::Access::ReadOnly;
    dbOptions.busySeconds = 1;
    absl::StatusOr<std::unique_ptr<TuningDb>> opened =
        TuningDb::open(dbOptions);
    if (opened.ok()) {
      db = *std::move(opened);
    }
  }
  return db.get();
}

std::optional<AssembledBinary> TunedBinaries::find(const std::string &key) {
  if (!open()) {
    return std::nullopt;
  }
  absl::StatusOr<std::optional<StoredBinary>> found = db->findBinary(key);
  if (!found.ok() || !*found) {
    return std::nullopt;
  }
  return AssembledBinary{std::move((*found)->bytes), std::move((*found)->log)};
}

void TunedBinaries::put(const std::string &key, const AssembledBinary &binary) {
  if (options.tune && !options.tuneReplay && open()) {
    // Who cannot write it assembles it again.
    (void)db->putBinary(key, {binary.bytes, binary.log});
  }
}

} // namespace minic::tune
