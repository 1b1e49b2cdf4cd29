// SPDX-License-Identifier: Apache-2.0
//
// minic-run: runs a compiled model on arrays in files or on random data.

#include "tools/common/CommandLine.h"
#include "tools/common/DigestFlag.h"
#include "tools/common/GpuFlags.h"
#include "tools/minic-run/Run.h"

#include "absl/strings/numbers.h"

#include <CLI/CLI.hpp>

int main(int argc, char **argv) {
  minic::tools::RunOptions options;
  CLI::App app("Runs a compiled model (.minic), prints a summary of each "
               "output, and writes outputs as .npy.",
               "minic-run");
  app.footer(
      "Examples:\n"
      "  minic-run mlp.minic                       random inputs\n"
      "  minic-run mlp.minic --input=x.npy --output=y.npy\n"
      "  minic-run mlp.minic --input=x=a.npy --output=y=b.npy --check\n"
      "Exit codes: 0 right, 1 the check failed, 2 command line, 3 bad input,\n"
      "4 not supported here, 5 internal error.");
  app.add_option("model", options.artifact, "Compiled model (.minic)")
      ->required()
      ->type_name("FILE");
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
  std::vector<std::string> dims;
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
  minic::tools::addDigestFlag(app, options.expectedDigest);
  minic::tools::addDeviceFlag(app, options.device);
  minic::tools::addGraphFlag(app, options.graph);
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
  std::string dtype;
  app.add_option("--dtype", dtype, "How to read .npy files of uint16: bf16")
      ->check(CLI::IsMember({"bf16"}));
  if (std::optional<int> code =
          minic::tools::parseCommandLine("minic-run", app, argc, argv)) {
    return *code;
  }
  options.bf16 = dtype == "bf16";
  for (const std::string &dim : dims) {
    size_t equal = dim.rfind('=');
    int64_t size = 0;
    if (equal == std::string::npos || equal == 0 ||
        !absl::SimpleAtoi(dim.substr(equal + 1), &size) || size < 1) {
      return minic::tools::fail("minic-run", minic::runtime::ExitCode::Usage,
                                "--dim: expected NAME=SIZE, got '" + dim + "'");
    }
    options.sizes[dim.substr(0, equal)] = size;
  }
  return minic::tools::run(options);
}
