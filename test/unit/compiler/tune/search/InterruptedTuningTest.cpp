// SPDX-License-Identifier: Apache-2.0
//
// Processes that die while tuning, and several that tune at once.

#include "test/unit/compiler/tune/FakePool.h"
#include "test/unit/compiler/tune/FakeWorker.h"
#include "test/unit/compiler/tune/TempFolder.h"

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <filesystem>

namespace minic::tune {
namespace {

/// Tunes "p" on the database of `folder`, in this process.
int tuneHere(const TempFolder &folder, const std::function<void()> &onVerify,
             int seed) {
  FakeMachine machine;
  machine.random.seed(seed);
  machine.onVerify = onVerify;
  std::vector<FakeCandidate> specs(8, FakeCandidate{100, 0.01});
  specs[6].us = 70;
  TuningTask task = makeTask(machine, "p", specs);
  FakePool pool(machine);
  FakeWorker worker(machine);
  AutotunerOptions options;
  options.scratchDirectory = folder / std::to_string(seed);
  std::filesystem::create_directories(options.scratchDirectory);
  auto db = folder.openDb();
  if (!db) {
    return 1;
  }
  auto result =
      Autotuner(*db, pool, worker, machine.clock, options).tune({&task, 1});
  if (!result.ok()) {
    std::cerr << result.status() << "\n";
    return 2;
  }
  return result->front().selection.row == 6 ? 0 : 3;
}

/// Runs `body` in a forked process and returns its pid.
pid_t inChild(const std::function<int()> &body) {
  pid_t child = fork();
  if (child == 0) {
    _exit(body());
  }
  return child;
}

TEST(InterruptedTuning, KillLosesAtMostTheCandidateInFlight) {
  for (int at = 1; at <= 7; at += 3) {
    TempFolder folder;
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    pid_t child = inChild([&] {
      int verified = 0;
      return tuneHere(
          folder,
          [&] {
            if (++verified == at) {
              (void)!write(ready[1], "x", 1);
              pause();
            }
          },
          1);
    });
    char byte;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    kill(child, SIGKILL);
    int status;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    close(ready[0]);
    close(ready[1]);

    FakeMachine machine;
    TuningTask task = makeTask(machine, "p", {});
    auto lookup = folder.openDb()->find(task.problem);
    ASSERT_TRUE(lookup.ok()) << lookup.status();
    EXPECT_EQ(lookup->freshness, Freshness::Unfinished);
    EXPECT_EQ(int(lookup->record.rows.size()), at - 1);
    EXPECT_EQ(tuneHere(folder, nullptr, 2), 0);
  }
}

TEST(InterruptedTuning, KillDuringRetuneKeepsTheOldRecord) {
  TempFolder folder;
  ASSERT_EQ(tuneHere(folder, nullptr, 1), 0);
  FakeMachine machine;
  TuningTask task = makeTask(machine, "p", {{100}, {90}});
  auto db = folder.openDb();
  // What a killed --retune leaves: a running record beside the complete one.
  auto id = db->begin(task.problem, 2, /*restart=*/true);
  ASSERT_TRUE(id.ok());
  Row row;
  row.candidate.name = "new";
  ASSERT_TRUE(db->putRow(*id, row).ok());
  auto lookup = db->find(task.problem);
  EXPECT_EQ(lookup->freshness, Freshness::Fresh);
  EXPECT_EQ(lookup->record.rows.size(), 8u);
}

TEST(InterruptedTuning, SeveralTunersShareOneDatabase) {
  TempFolder folder;
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i) {
    children.push_back(inChild(
        [&folder, i] { return tuneHere(folder, [] { usleep(2000); }, i); }));
  }
  for (pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  auto db = folder.openDb();
  auto records = db->records();
  ASSERT_TRUE(records.ok());
  ASSERT_EQ(records->size(), 1u);
  EXPECT_EQ(records->front().state, RecordState::Complete);
  EXPECT_EQ(records->front().rows.size(), 8u);
}

} // namespace
} // namespace minic::tune
