// SPDX-License-Identifier: Apache-2.0
//
// ProcessBuildPool with shell scripts for builders.

#include "compiler/tune/process/ProcessBuildPool.h"
#include "compiler/tune/process/BuildProtocol.h"

#include <gmock/gmock.h>

namespace minic::tune {
namespace {

using testing::HasSubstr;

/// A builder that crashes on the choice "crash", never ends on "hang", and
/// answers with the choice's first letter as hash.
ProcessBuildPool::Options scripted(int processes) {
  std::string script =
      "while read -r line; do case $line in "
      "*crash*) echo 'LLVM ERROR: cannot select' >&2; kill -ABRT $$;; "
      "*hang*) sleep 100;; *garbage*) echo hello;; *fail*) echo "
      "'{\"ok\":false,\"build_ms\":1,\"hash\":\"\",\"error\":\"no\","
      "\"spill_bytes\":0}';; "
      "*) echo '{\"ok\":true,\"build_ms\":2,\"hash\":\"h\",\"error\":\"\","
      "\"spill_bytes\":0}';; "
      "esac; done";
  return {{"/bin/sh", "-c", script}, processes, 1};
}

std::vector<BuildOutcome> build(ProcessBuildPool &pool,
                                const std::vector<std::string> &choices,
                                int stopAfter = 1000) {
  std::vector<BuildJob> jobs;
  for (const std::string &choice : choices) {
    jobs.push_back({"/p.mlir", choice, "/out"});
  }
  std::vector<BuildOutcome> outcomes(jobs.size());
  int done = 0;
  absl::Status status = pool.build(
      jobs,
      [&](size_t job, const BuildOutcome &outcome) {
        outcomes[job] = outcome;
        ++done;
      },
      [&] { return done >= stopAfter; });
  EXPECT_TRUE(status.ok()) << status;
  return outcomes;
}

TEST(ProcessBuildPool, SurvivesCrashesHangsAndGarbage) {
  for (int processes : {1, 3}) {
    ProcessBuildPool pool(scripted(processes));
    auto outcomes =
        build(pool, {"a", "crash", "b", "fail", "hang", "garbage", "c"});
    for (int good : {0, 2, 6}) {
      EXPECT_TRUE(outcomes[good].ok);
      EXPECT_EQ(outcomes[good].binaryHash, "h");
    }
    EXPECT_FALSE(outcomes[1].ok);
    EXPECT_THAT(outcomes[1].error, HasSubstr("signal 6"));
    EXPECT_THAT(outcomes[1].error, HasSubstr("LLVM ERROR: cannot select"));
    EXPECT_EQ(outcomes[3].error, "no");
    EXPECT_THAT(outcomes[4].error, HasSubstr("did not end in 1 s"));
    EXPECT_THAT(outcomes[5].error, HasSubstr("not a build reply"));
    // The pool lives on.
    EXPECT_TRUE(build(pool, {"d"})[0].ok);
  }
}

TEST(ProcessBuildPool, StopsStartingJobs) {
  ProcessBuildPool pool(scripted(1));
  auto outcomes = build(pool, {"a", "b", "c", "d"}, 2);
  EXPECT_TRUE(outcomes[1].ok);
  EXPECT_FALSE(outcomes[2].ok);
}

TEST(ProcessBuildPool, ABuilderThatCannotStartIsAnError) {
  ProcessBuildPool pool({{"/nowhere/minic", "build-worker"}, 2, 1});
  BuildJob job{"p", "c", "o"};
  absl::Status status = pool.build(
      {&job, 1}, [](size_t, const BuildOutcome &) {}, [] { return false; });
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
}

TEST(BuildProtocol, RoundTrips) {
  BuildJob job{"/p q.mlir", "#kernel.choice<a = \"b\">", "/o"};
  auto decoded = decodeJob(encode(job));
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->problemPath, job.problemPath);
  EXPECT_EQ(decoded->choice, job.choice);
  EXPECT_EQ(decoded->outputPath, job.outputPath);
  auto outcome = decodeOutcome(encode(BuildOutcome{true, 1.5, "h", "e\nf"}));
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->error, "e\nf");
  EXPECT_EQ(encode(BuildOutcome{true, 1.5, "h", "e\nf"}).find('\n'),
            std::string::npos);
  EXPECT_FALSE(decodeJob("{}").ok());
  EXPECT_FALSE(decodeJob("[\"problem\"]").ok());
  EXPECT_FALSE(decodeOutcome("nonsense").ok());
}

} // namespace
} // namespace minic::tune
