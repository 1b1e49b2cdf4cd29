// SPDX-License-Identifier: Apache-2.0
//
// Children that answer, end, hang, or do not listen.

#include "compiler/tune/process/Subprocess.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

namespace minic::tune {
namespace {

using Event = Subprocess::Event;
using testing::HasSubstr;

std::unique_ptr<Subprocess> shell(const std::string &script) {
  auto process = Subprocess::spawn({"/bin/sh", "-c", script});
  EXPECT_TRUE(process.ok()) << process.status();
  return *std::move(process);
}

TEST(Subprocess, AnswersLines) {
  auto process = shell("while read line; do echo \"got $line\"; done");
  std::string line;
  for (int i = 0; i < 3; ++i) {
    process->send(std::to_string(i));
    ASSERT_EQ(process->receive(line, 5), Event::Line);
    EXPECT_EQ(line, "got " + std::to_string(i));
  }
}

TEST(Subprocess, LongLinesPass) {
  auto process = shell("cat");
  std::string text(300000, 'x'), line;
  process->send(text);
  ASSERT_EQ(process->receive(line, 10), Event::Line);
  EXPECT_EQ(line, text);
}

TEST(Subprocess, TellsHowItEnded) {
  std::string line;
  auto process = shell("echo first >&2; echo why >&2; exit 3");
  EXPECT_EQ(process->receive(line, 5), Event::Ended);
  EXPECT_EQ(process->describeEnd(), "exited with code 3: why");
  process = shell("kill -SEGV $$");
  EXPECT_EQ(process->receive(line, 5), Event::Ended);
  EXPECT_THAT(process->describeEnd(), HasSubstr("signal 11"));
}

TEST(Subprocess, AProgramThatIsNotThere) {
  auto process = Subprocess::spawn({"/nowhere/minic-worker"});
  EXPECT_EQ(process.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(process.status().message()),
              HasSubstr("cannot run '/nowhere/minic-worker'"));
}

TEST(Subprocess, TimeoutLeavesItRunning) {
  auto process = shell("sleep 0.3; echo late; sleep 100");
  std::string line;
  EXPECT_EQ(process->receive(line, 0.05), Event::Timeout);
  EXPECT_EQ(process->receive(line, 5), Event::Line);
  EXPECT_EQ(line, "late");
}

TEST(Subprocess, KillTakesGrandchildrenAndLeavesNoZombie) {
  auto process = shell("sleep 100 & echo $!; wait");
  std::string line;
  ASSERT_EQ(process->receive(line, 5), Event::Line);
  pid_t grandchild = std::stoi(line), child = process->pid();
  EXPECT_EQ(kill(grandchild, 0), 0);
  process.reset();
  EXPECT_EQ(waitpid(child, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
  // Its new parent reaps it soon.
  for (int i = 0; i < 200 && kill(grandchild, 0) == 0; ++i) {
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/stat", grandchild);
    FILE *stat = fopen(path, "r");
    char state = 'Z';
    if (stat) {
      (void)!fscanf(stat, "%*d %*s %c", &state);
      fclose(stat);
    }
    if (state == 'Z') {
      return; // dead; whoever is pid 1 here may never reap
    }
    usleep(10000);
  }
  EXPECT_NE(kill(grandchild, 0), 0);
}

TEST(Subprocess, AChildThatReadsNothingDoesNotKillUs) {
  auto process = shell("exec 0<&-; sleep 0.1; echo done");
  usleep(20000);
  process->send("nobody listens");
  std::string line;
  EXPECT_EQ(process->receive(line, 5), Event::Line);
  EXPECT_EQ(line, "done");
}

TEST(Subprocess, DiesWithItsParent) {
  int pids[2];
  ASSERT_EQ(pipe(pids), 0);
  pid_t parent = fork();
  if (parent == 0) {
    auto process = Subprocess::spawn({"/bin/sleep", "100"});
    pid_t child = process.ok() ? (*process)->pid() : -1;
    (void)!write(pids[1], &child, sizeof(child));
    pause();
    _exit(0);
  }
  pid_t child = -1;
  ASSERT_EQ(read(pids[0], &child, sizeof(child)), ssize_t(sizeof(child)));
  ASSERT_GT(child, 0);
  close(pids[0]);
  close(pids[1]);
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  bool gone = false;
  for (int i = 0; i < 500 && !gone; ++i) {
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/stat", child);
    FILE *stat = fopen(path, "r");
    char state = 'Z';
    if (stat) {
      (void)!fscanf(stat, "%*d %*s %c", &state);
      fclose(stat);
    }
    gone = state == 'Z';
    usleep(10000);
  }
  EXPECT_TRUE(gone);
}

} // namespace
} // namespace minic::tune
