// SPDX-License-Identifier: Apache-2.0
//
// What a search costs the cores of a machine: builds all candidates of a linear
// layer for a named GPU, one after the other, as a builder does, and evaluates
// the reference. No GPU is needed.
//
//   candidate_build_bench 256x1024x1024 [bf16|f16|f32] [matmul|linear]
//                         [profile] [part of a name | --list]

#include "compiler/driver/Compiler.h"
#include "compiler/pipeline/ResolveTarget.h"
#include "compiler/tune/bridge/BuildWorker.h"
#include "compiler/tune/bridge/TuningTasks.h"

#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

using namespace mlir;
using namespace minic;

namespace {

/// User and system time of this process, in ms.
double cpuMs() {
  rusage usage;
  ::getrusage(RUSAGE_SELF, &usage);
  auto ms = [](const timeval &time) {
    return double(time.tv_sec) * 1e3 + double(time.tv_usec) * 1e-3;
  };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

double wallMs() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string fusionText(int m, int n, int k, const std::string &dtype,
                       bool isLinear) {
  auto tensor = [&](int rows, int columns) {
    return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) +
           "x" + dtype + ">";
  };
  std::string x = tensor(m, k), y = tensor(m, n);
  std::string w = isLinear ? tensor(n, k) : tensor(k, n);
  std::string b = "tensor<" + std::to_string(n) + "x" + dtype + ">";
  std::string bias = isLinear ? ", %2 = %b : " + b : "";
  std::string product =
      isLinear ? "graph.linear %0, %1, %2 : (" + x + ", " + w + ", " + b + ")"
               : "graph.matmul %0, %1 : (" + x + ", " + w + ")";
  return "func.func @f(%x: " + x + ") -> " + y + " {\n" +
         "%w = graph.constant @w : " + w + "\n%b = graph.constant @b : " + b +
         "\n%r = kernel.fusion (%0 = %x : " + x + ", %1 = %w : " + w + bias +
         ") -> " + y + " {\n%p = " + product + " -> " + y +
         "\nkernel.yield %p : " + y + "\n}\nreturn %r : " + y + "\n}\n";
}

} // namespace

int main(int argc, char **argv) {
  int m = 0, n = 0, k = 0;
  if (argc < 2 || std::sscanf(argv[1], "%dx%dx%d", &m, &n, &k) != 3) {
    std::fprintf(stderr,
                 "usage: candidate_build_bench MxNxK [dtype] "
                 "[matmul|linear] [profile] [part of a name | --list]\n");
    return 2;
  }
  auto argument = [&](int i, const char *otherwise) {
    return argc > i ? argv[i] : otherwise;
  };
  CompileOptions options;
  options.target = "cuda:sm_90a";
  options.deviceProfile = argument(4, "h200");
  std::unique_ptr<MLIRContext> context = createCompilerContext();
  auto targets = resolveTargets(options, *context);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      fusionText(m, n, k, argument(2, "bf16"),
                 StringRef(argument(3, "linear")) == "linear"),
      context.get());
  if (failed(targets) || !module) {
    return 1;
  }
  kernel::FusionOp fusion;
  module->walk([&](kernel::FusionOp op) { fusion = op; });
  tune::SelectionInputs inputs{targets->front().target.get(),
                               targets->front().isa, &options};
  auto tasks = tune::makeTasks(fusion, inputs, /*areMeasured=*/true);
  if (failed(tasks)) {
    return 1;
  }
  tune::TuningTask &task = (*tasks)->tasks.front();
  auto folder = std::filesystem::temp_directory_path() /
                ("minic-build-bench-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  tune::BuildJob job;
  job.problemPath = folder / "problem.mlir";
  job.outputPath = folder / "candidate.minic";
  std::ofstream(job.problemPath) << task.problem.text;

  StringRef part = argument(5, "");
  double total = 0;
  for (const tune::CandidateSpec &candidate : task.candidates) {
    if (part == "--list") {
      std::printf("%8.2f us  %s\n", candidate.estimateUs,
                  candidate.name.c_str());
    }
    if (!StringRef(candidate.name).contains(part)) {
      continue;
    }
    job.choice = candidate.choice;
    double begun = cpuMs();
    tune::BuildOutcome outcome = tune::buildCandidate(
        *context, job, {&targets->front().target->profile()});
    double ms = cpuMs() - begun;
    total += ms;
    std::printf("%8.1f ms  %8.2f us  %s%s%s\n", ms, candidate.estimateUs,
                candidate.name.c_str(), outcome.ok ? "" : ": ",
                outcome.error.c_str());
  }
  double begun = cpuMs(), begunWall = wallMs();
  absl::Status status = task.writeExpected(folder / "expected");
  std::printf("%s: %zu candidates, %.2f core-seconds of building; reference "
              "%.2f core-seconds, %.2f s%s\n",
              task.problem.description.c_str(), task.candidates.size(),
              total / 1e3, (cpuMs() - begun) / 1e3,
              (wallMs() - begunWall) / 1e3, status.ok() ? "" : " FAILED");
  std::filesystem::remove_all(folder);
  return 0;
}
