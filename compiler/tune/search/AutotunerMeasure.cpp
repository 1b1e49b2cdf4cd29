// SPDX-License-Identifier: Apache-2.0
//
// The measuring half of the Autotuner: what a problem's candidates are verified
// and timed with. AutotunerScreen and AutotunerFinal do it.

#include "compiler/tune/search/Search.h"

#include "absl/strings/str_cat.h"

#include <unistd.h>

namespace minic::tune {

absl::Status Autotuner::openBench(Search &search) {
  double begun = clock.now();
  BenchOptions bench;
  bench.seed = search.task->seed;
  bench.constantsSeed = search.task->constantsSeed;
  bench.expectedPath = search.expectedPath;
  bench.residency = search.task->residency;
  bench.onGpu = search.task->onGpu;
  bench.device = search.task->device;
  bench.timeoutSeconds = options.timeoutSeconds;
  if (absl::Status status = search.task->writeExpected(search.expectedPath);
      !status.ok()) {
    return status;
  }
  if (search.task->writeExpectedOfNan) {
    bench.expectedOfNanPath = search.expectedPath + ".nan";
    absl::Status status =
        search.task->writeExpectedOfNan(bench.expectedOfNanPath);
    if (!status.ok()) {
      return status;
    }
  }
  search.record.verifySeconds += clock.now() - begun;
  search.bench = std::make_unique<CandidateBench>(worker, clock, bench);
  for (size_t i = 0; i < search.size(); ++i) {
    search.bench->add(search.id(i), search.artifact(i));
  }
  return absl::OkStatus();
}

void Autotuner::closeBench(Search &search) {
  if (search.bench) {
    double begun = clock.now();
    search.record.loadSeconds = search.bench->loadSeconds;
    search.record.clock = search.bench->smClock;
    search.record.noise = search.bench->noise.noise();
    search.bench.reset(); // unloads
    search.record.loadSeconds += clock.now() - begun;
  }
  ::unlink(search.expectedPath.c_str());
  ::unlink((search.expectedPath + ".nan").c_str());
  for (size_t i = 0; i < search.size(); ++i) {
    ::unlink(search.artifact(i).c_str());
  }
}

absl::Status Autotuner::measure(Search &search) {
  absl::Status status = openBench(search);
  if (status.ok()) {
    status = screen(search);
  }
  if (status.ok()) {
    status = screenAgain(search);
  }
  if (status.ok()) {
    Search *alone = &search;
    status = descend({&alone, 1});
  }
  if (status.ok()) {
    status = runFinal(search);
  }
  closeBench(search);
  return status.ok() ? finish(search) : status;
}

} // namespace minic::tune
