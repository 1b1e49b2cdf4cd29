// SPDX-License-Identifier: Apache-2.0
//
// ProcessBuildPool: builds in processes, because code generation may abort its
// process and the linker is not thread-safe.

#ifndef MINIC_COMPILER_TUNE_PROCESS_PROCESSBUILDPOOL_H
#define MINIC_COMPILER_TUNE_PROCESS_PROCESSBUILDPOOL_H

#include "compiler/tune/process/BuildPool.h"
#include "compiler/tune/process/Subprocess.h"

#include <deque>

namespace minic::tune {

class ProcessBuildPool : public BuildPool {
public:
  struct Options {
    std::vector<std::string> command; // program and arguments of one builder
    int processes = 1;
    double timeoutSeconds = 60; // for one job
  };
  explicit ProcessBuildPool(Options options) : options(std::move(options)) {}

  void add(size_t id, const BuildJob &job) override;
  void dropWaiting() override;
  size_t pending() const override;
  absl::Status pump(double seconds, const Done &done) override;

private:
  struct Slot {
    std::unique_ptr<Subprocess> process;
    size_t job = 0;
    bool busy = false;
    double started = 0;
    int jobsDone = 0;
  };
  /// Gives free builders what waits.
  absl::Status start();
  /// What became of the slot's job; nothing while it runs.
  bool poll(Slot &slot, BuildOutcome &outcome);
  /// Says which jobs have ended; false if none has.
  bool reap(const Done &done);

  Options options;
  std::deque<std::pair<size_t, BuildJob>> waiting;
  std::vector<Slot> slots; // kept between calls: a builder starts once
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_PROCESS_PROCESSBUILDPOOL_H
