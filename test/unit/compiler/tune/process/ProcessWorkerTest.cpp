// SPDX-License-Identifier: Apache-2.0
//
// ProcessWorker with shell scripts for workers.

#include "compiler/tune/process/ProcessWorker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace minic::tune {
namespace {

using Fate = WorkerAnswer::Fate;
using testing::HasSubstr;

/// A worker that answers each request with what `script` prints for it.
ProcessWorker scripted(const std::string &script) {
  return ProcessWorker(
      {"/bin/sh", "-c", "while read -r line; do " + script + "; done"});
}

std::string quoted(const runtime::Reply &reply) {
  return "printf '%s\\n' '" + runtime::encode(reply) + "'";
}

TEST(ProcessWorker, AnswersAndErrors) {
  ProcessWorker worker = scripted(quoted(runtime::DoneReply()));
  EXPECT_EQ(worker.ask(runtime::UnloadRequest{"a"}, 5).fate, Fate::Answered);
  ProcessWorker refusing = scripted(quoted(
      runtime::ErrorReply{absl::FailedPreconditionError("no avx512bf16")}));
  for (int i = 0; i < 2; ++i) {
    WorkerAnswer answer = refusing.ask(runtime::LoadRequest{}, 5);
    EXPECT_EQ(answer.fate, Fate::Refused);
    EXPECT_THAT(answer.detail, HasSubstr("no avx512bf16"));
    EXPECT_TRUE(answer.isMachines);
  }
}

TEST(ProcessWorker, ACrashIsReportedAndTheNextRequestGoesToAnother) {
  // Dies on load, answers everything else.
  ProcessWorker worker =
      scripted("case $line in *'\"load\"'*) kill -SEGV $$;; esac; " +
               quoted(runtime::DoneReply()));
  EXPECT_EQ(worker.ask(runtime::UnloadRequest{"a"}, 5).fate, Fate::Answered);
  runtime::LoadRequest load;
  load.id = "x";
  WorkerAnswer answer = worker.ask(load, 5);
  EXPECT_EQ(answer.fate, Fate::Crashed) << runtime::encode(load);
  EXPECT_THAT(answer.detail, HasSubstr("signal 11"));
  EXPECT_EQ(worker.ask(runtime::UnloadRequest{"a"}, 5).fate, Fate::Answered);
}

TEST(ProcessWorker, SaysWhereTheSecondsWent) {
  // Takes its time to load.
  ProcessWorker worker =
      scripted("case $line in *'\"load\"'*) sleep 0.2;; esac; " +
               quoted(runtime::DoneReply()));
  worker.ask(runtime::UnloadRequest{"a"}, 5);
  RequestCosts before = worker.costs();
  worker.ask(runtime::UnloadRequest{"a"}, 5);
  worker.ask(runtime::LoadRequest{}, 5);
  worker.ask(runtime::UnloadRequest{"a"}, 5);
  EXPECT_GE(worker.costs().at("load").seconds, 0.2);
  EXPECT_LT(worker.costs().at("unload").seconds, 0.2);
  EXPECT_THAT(
      describeCosts(worker.costs(), before),
      testing::MatchesRegex("load [0-9.]+ s in 1, unload [0-9.]+ s in 2"));
  EXPECT_EQ(describeCosts(before, before), "");
}

TEST(ProcessWorker, AHangIsEnded) {
  ProcessWorker worker = scripted("sleep 100");
  EXPECT_EQ(worker.ask(runtime::DescribeRequest(), 0.3).fate, Fate::Hung);
}

TEST(ProcessWorker, MissingOrForeignProgram) {
  ProcessWorker missing({"/nowhere/minic-worker"});
  WorkerAnswer answer = missing.ask(runtime::DescribeRequest(), 5);
  EXPECT_EQ(answer.fate, Fate::Missing);
  EXPECT_THAT(answer.detail, HasSubstr("/nowhere/minic-worker"));
  ProcessWorker foreign = scripted("echo hello");
  EXPECT_EQ(foreign.ask(runtime::DescribeRequest(), 5).fate, Fate::Missing);
  // A reply of another kind is no better.
  ProcessWorker confused = scripted(quoted(runtime::DoneReply()));
  EXPECT_EQ(confused.ask(runtime::TimeRequest{{"a"}, {1}}, 5).fate,
            Fate::Missing);
}

} // namespace
} // namespace minic::tune
