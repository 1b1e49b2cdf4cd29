// SPDX-License-Identifier: Apache-2.0
//
// Names and help of the flags.

#include "tools/minic-run/RunFlags.h"

#include "tools/common/DigestFlag.h"
#include "tools/common/GpuFlags.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include <set>

namespace minic::tools {

RunFlags::RunFlags(CLI::App &app, RunOptions &options) {
  app.add_option("--input", options.inputs,
                 "Array of an input, by name or in order; inputs not given "
                 "are random in [-1, 1]")
      ->type_name("[NAME=]FILE.npy")
      ->allow_extra_args(false);
  app.add_option("--output", options.outputs,
                 "Where to write an output, by name or in order (bf16 as "
                 "uint16)")
      ->type_name("[NAME=]FILE.npy")
      ->allow_extra_args(false);
  app.add_option("--seed", options.seed, "Seed of random inputs")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--function", options.function, "Function to run")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--dim", dims,
                 "Size of a dimension that varies; inputs from files say "
                 "theirs themselves (default: the first plan's)")
      ->type_name("NAME=SIZE")
      ->allow_extra_args(false);
  app.add_option("--threads", options.threads,
                 "Use the plan for N threads (default: the artifact's first "
                 "that runs here)")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  addDigestFlag(app, options.expectedDigest);
  addDeviceFlag(app, options.device);
  addGraphFlag(app, options.graph);
  app.add_flag("--strict-libraries", options.strictLibraries,
               "On a GPU: fail where a library has another version than the "
               "one that was measured, instead of asking it anew");
  app.add_flag("--stats", options.stats,
               "Print where it ran, what its graph did, and the runs of each "
               "bucket");
  app.add_option("--repeat", options.repeat, "Run N times and print the median")
      ->type_name("N")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  auto *check =
      app.add_flag("--check", options.check,
                   "Compare with the float64 reference (needs minic beside "
                   "this program)");
  app.add_option("--expected", options.expected,
                 "Compare with what 'minic evaluate' wrote for the same inputs")
      ->type_name("FILE")
      ->excludes(check);
  app.add_option("--model", options.model,
                 "Model to check against instead of the one in the artifact")
      ->type_name("FILE.mlir");
  app.add_option("--dtype", dtype, "How to read .npy files of uint16: bf16")
      ->check(CLI::IsMember({"bf16"}));
}

absl::Status RunFlags::finish(RunOptions &options) const {
  options.bf16 = dtype == "bf16";
  // A line of --batch may give sizes that the command line gave before.
  std::set<std::string> named;
  for (const std::string &dim : dims) {
    size_t equal = dim.rfind('=');
    int64_t size = 0;
    if (equal == std::string::npos || equal == 0 ||
        !absl::SimpleAtoi(dim.substr(equal + 1), &size) || size < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("--dim: expected NAME=SIZE, got '", dim, "'"));
    }
    std::string name = dim.substr(0, equal);
    if (!named.insert(name).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("--dim: '", name, "' appears twice, expected once"));
    }
    options.sizes[name] = size;
  }
  return absl::OkStatus();
}

} // namespace minic::tools
