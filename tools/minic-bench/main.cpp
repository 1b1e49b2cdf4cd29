// SPDX-License-Identifier: Apache-2.0
//
// minic-bench: how fast a compiled model runs, alone or beside others.

#include "runtime/measure/ClockKeeper.h"
#include "tools/common/CommandLine.h"
#include "tools/common/DigestFlag.h"
#include "tools/common/GpuFlags.h"
#include "tools/minic-bench/Bench.h"
#include "tools/minic-bench/LockClocks.h"

#include <CLI/CLI.hpp>

#include <cstring>

int main(int argc, char **argv) {
  if (argc > 1 &&
      std::strcmp(argv[1], minic::runtime::clockKeeperCommand) == 0) {
    return minic::runtime::keepClocks(argc - 1, argv + 1);
  }
  minic::tools::BenchOptions options;
  std::string artifact;
  std::vector<std::string> others;
  std::string clocks = "off";
  bool cold = false;
  CLI::App app("Times a compiled model (.minic): percentiles, GFLOP/s, share "
               "of this machine's peak, and the ratio to other artifacts "
               "timed in the same rounds.",
               "minic-bench");
  app.footer(
      "Examples:\n"
      "  minic-bench mlp.minic\n"
      "  minic-bench tuned.minic --compare=default.minic --seconds=10\n"
      "  minic-bench mlp.minic --check --json=mlp.json\n"
      "  minic-bench problem.mlir --candidate='generated gemm_packed ...'\n"
      "Percentiles are of samples, a sample being the mean of as many runs as\n"
      "take --sample-ms; --sample-ms=0 times each run alone. On a GPU they\n"
      "are of runs back to back; single calls that are waited for, and the\n"
      "device's own time, get a line of their own.\n"
      "Exit codes: 0 measured, 1 the check failed, 2 command line, 3 bad\n"
      "input, 4 not supported here, 5 internal error.");
  app.add_option("model", artifact,
                 "Compiled model (.minic), or a model or problem (.mlir), "
                 "which minic compiles")
      ->required()
      ->type_name("FILE");
  app.add_option("--compare", others,
                 "Also time FILE and print its time relative to the model's; "
                 "may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--callable", options.callables,
                 "Also time void FUNCTION(void) of a shared library in the "
                 "same rounds; may be repeated")
      ->type_name("LIB.so:FUNCTION")
      ->allow_extra_args(false);
  app.add_option("--candidate", options.candidates,
                 "Compile the model with this candidate of an AUTOTUNE table; "
                 "may be repeated to compare several")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option("--pin", options.pin, "Compile the model with these pins")
      ->type_name("FILE");
  app.add_option("--function", options.function,
                 "Function to time (default: main, or the only one)")
      ->type_name("NAME");
  app.add_option("--compare-function", options.otherFunction,
                 "Function of the others to time, such as a bucket "
                 "'main[T=512]' (default: the same)")
      ->type_name("NAME");
  app.add_option("--threads", options.threads,
                 "Use the plans for N threads (default: each artifact's first "
                 "that runs here)")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  minic::tools::addDigestFlag(app, options.expectedDigest);
  minic::tools::addDeviceFlag(app, options.device);
  minic::tools::addGraphFlag(app, options.graph);
  app.add_flag("--lock-clocks{max}", clocks,
               "Lock the GPU's SM clocks while measuring (to the highest that "
               "the device names) where permitted")
      ->type_name("[=MHz]");
  app.add_flag("--require-locked-clocks", options.requireLockedClocks,
               "The same, but fail if they cannot be locked");
  auto *seconds = app.add_option("--seconds", options.seconds,
                                 "Measure for S seconds, at least 10 rounds")
                      ->type_name("S")
                      ->check(CLI::Range(0.01, 86400.0))
                      ->capture_default_str();
  app.add_option("--rounds", options.rounds, "Measure exactly N rounds")
      ->type_name("N")
      ->check(CLI::PositiveNumber)
      ->excludes(seconds);
  app.add_option("--sample-ms", options.sampleMs,
                 "Repeat short runs until a sample takes this long")
      ->type_name("MS")
      ->check(CLI::Range(0.0, 10000.0))
      ->capture_default_str();
  app.add_option("--warmup", options.warmUpMs,
                 "Run each for this long before the rounds")
      ->type_name("MS")
      ->check(CLI::Range(0.0, 600000.0))
      ->capture_default_str();
  app.add_option("--quantiles", options.quantiles,
                 "Also print these quantiles of the samples, 0 to 1")
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(0.0, 1.0));
  app.add_flag("--cold", cold,
               "Evict the caches before each run, which is timed alone; on a "
               "GPU operands take turns past its L2 cache for the device time");
  app.add_flag("--overhead", options.overhead,
               "Also print the fastest sample and the median of 21 loads: for "
               "tiny models, the fixed costs");
  app.add_flag("--check", options.check,
               "First compare with the float64 reference, as minic-run does");
  app.add_option("--model", options.model,
                 "Model to check against instead of the one in the artifact")
      ->type_name("FILE.mlir");
  app.add_option("--trace", options.tracePath,
                 "Trace runs command by command, print where their time goes "
                 "and write one as a Chrome trace to FILE")
      ->type_name("FILE");
  app.add_option("--trace-page", options.tracePage,
                 "Put the traced run into a page that minic --trace wrote, "
                 "such as DIR/trace.html")
      ->type_name("FILE");
  app.add_flag("--nvtx", options.nvtx,
               "Name each command to a profiler by a range of NVTX; on a GPU "
               "commands are launched one by one then");
  app.add_option("--json", options.jsonPath,
                 "Write machine facts, figures and every sample to FILE")
      ->type_name("FILE");
  if (std::optional<int> code =
          minic::tools::parseCommandLine("minic-bench", app, argc, argv)) {
    return *code;
  }
  if (std::optional<int> mhz = minic::tools::parseClocks(clocks)) {
    options.lockClocks = *mhz;
  } else {
    return minic::tools::fail("minic-bench", minic::tools::ExitCode::Usage,
                              "--lock-clocks: expected MHz from 1 to 10000, "
                              "max or off, got '" +
                                  clocks + "'");
  }
  if (artifact.ends_with(".mlir") && options.expectedDigest) {
    return minic::tools::fail(
        "minic-bench", minic::tools::ExitCode::Usage,
        "--expected-digest expects an artifact (.minic), got '" + artifact +
            "'");
  }
  if (!artifact.ends_with(".mlir") &&
      (!options.candidates.empty() || !options.pin.empty())) {
    return minic::tools::fail(
        "minic-bench", minic::tools::ExitCode::Usage,
        "--candidate and --pin expect a model (.mlir), got '" + artifact + "'");
  }
  if (!options.candidates.empty() && !options.pin.empty()) {
    return minic::tools::fail("minic-bench", minic::tools::ExitCode::Usage,
                              "--candidate with --pin, expected one of them");
  }
  options.artifacts = {artifact};
  options.artifacts.insert(options.artifacts.end(), others.begin(),
                           others.end());
  options.residency =
      cold ? minic::runtime::Residency::cold : minic::runtime::Residency::warm;
  return minic::tools::bench(options);
}
