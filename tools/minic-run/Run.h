// SPDX-License-Identifier: Apache-2.0
//
// What minic-run does once its command line is understood.

#ifndef MINIC_TOOLS_MINIC_RUN_RUN_H
#define MINIC_TOOLS_MINIC_RUN_RUN_H

#include "runtime/device/Device.h"
#include "runtime/format/Digest.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace minic::tools {

struct RunOptions {
  std::string artifact;
  std::vector<std::string> inputs, outputs; // FILE or NAME=FILE
  std::string function = "main";            // or an entry
  std::map<std::string, int64_t> sizes;     // of an entry's dimensions
  std::string model; // of the check; empty: what the artifact carries
  std::string
      expected; // file of `minic evaluate` to compare with; may be empty
  uint64_t seed = 0;
  int threads = 0;
  int repeat = 1;
  int device = 0;                               // index of the GPU
  std::optional<format::Digest> expectedDigest; // of the artifact
  runtime::GraphMode graph = runtime::GraphMode::Artifact;
  bool strictLibraries = false;
  bool stats = false;
  bool bf16 = false;
  bool check = false;
};

/// Loads, runs, prints a line per output, checks, writes. Output files are
/// written last, and only if nothing failed; a mismatch found by the check is
/// no failure: one may want to look at it. Returns the exit code. `loaded`, if
/// it is not null, gets what the run loaded, in place of what it held.
int run(const RunOptions &options,
        std::shared_ptr<const void> *loaded = nullptr);

} // namespace minic::tools

#endif // MINIC_TOOLS_MINIC_RUN_RUN_H
