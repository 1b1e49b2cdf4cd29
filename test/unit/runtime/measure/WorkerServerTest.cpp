// SPDX-License-Identifier: Apache-2.0
//
// The worker answers every request, right or wrong, and the process dies with
// its parent's end of the pipe. Kernels are wrong by their parameters.

#include "runtime/measure/WorkerServer.h"

#include "runtime/measure/ExpectedOutputs.h"
#include "runtime/measure/RandomData.h"
#include "test/unit/runtime/testing/TestArtifact.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <csignal>
#include <cstdio>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

namespace minic::runtime {
namespace {

using ::testing::HasSubstr;
using namespace ::minic::testing;

constexpr int64_t count = 37;
constexpr uint64_t seed = 5;

std::string temporaryPath(const std::string &name) {
  return ::testing::TempDir() + "/worker-" + std::to_string(getpid()) + "-" +
         name;
}

std::string write(const TestArtifact &artifact, const std::string &name) {
  std::string path = temporaryPath(name);
  std::vector<std::byte> bytes = artifact.bytes();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char *>(bytes.data()),
             std::streamsize(bytes.size()));
  return path;
}

/// y = 2x + 1 over 37 elements of which the kernel believes there to be
/// `believed`, in tiles of 8.
std::string scale(int64_t believed, const std::string &name) {
  TestArtifact artifact;
  artifact.input("x", {count});
  artifact.output("y", {count});
  artifact.launch("scale_f32", (believed + 7) / 8,
                  {inputAddress(0), outputAddress(0)}, {believed, 8});
  artifact.function().flops = 2 * count;
  return write(artifact, name);
}

/// y = x + w with w an external constant.
std::string addExternal(const std::string &name) {
  TestArtifact artifact;
  artifact.input("x", {count});
  artifact.output("y", {count});
  uint32_t w = artifact.constant("w", {count}, std::vector<float>(count));
  artifact.metadata.constants[w]->external = true;
  artifact.variant().arena_bytes = 64;
  format::LaunchT &add =
      artifact.launch("add_f32", count,
                      {inputAddress(0), constantAddress(w), outputAddress(0)});
  add.scratch = std::make_unique<format::Address>(arenaAddress(0));
  add.scratch_bytes = 64;
  return write(artifact, name);
}

std::string writeExpected(std::vector<double> values, const std::string &name,
                          std::vector<int64_t> dims = {count}) {
  ExpectedOutput expected{.name = "y",
                          .dtype = DType::f32,
                          .dims = dims,
                          .rows = {},
                          .values = values,
                          .tolerances =
                              std::vector<double>(values.size(), 1e-6),
                          .alternatives = {}};
  std::string path = temporaryPath(name);
  EXPECT_TRUE(writeExpectedOutputs(path, {expected}).ok());
  return path;
}

std::vector<float> randomFloats(const std::string &name, uint64_t seed) {
  std::vector<float> values(count);
  std::vector<int64_t> dims = {count};
  fillRandom(values.data(), DType::f32, dims, seed, name, true);
  return values;
}

std::string expectedOfScale(const std::string &name) {
  std::vector<double> values;
  for (float x : randomFloats("x", seed)) {
    values.push_back(2.0 * x + 1);
  }
  return writeExpected(values, name);
}

class WorkerServerTest : public ::testing::Test {
protected:
  template <typename T> T ask(const Request &request) {
    Reply reply = server.handle(request);
    if (const auto *error = std::get_if<ErrorReply>(&reply)) {
      ADD_FAILURE() << error->status;
      return T{};
    }
    return std::get<T>(reply);
  }
  absl::Status refusal(const Request &request) {
    Reply reply = server.handle(request);
    const auto *error = std::get_if<ErrorReply>(&reply);
    return error ? error->status : absl::OkStatus();
  }
  VerifyReply verifyScale(int64_t believed) {
    ask<LoadReply>(LoadRequest{.id = "k", .path = scale(believed, "k.minic")});
    return ask<VerifyReply>(
        VerifyRequest{.id = "k",
                      .seed = seed,
                      .expectedPath = expectedOfScale("k.expected"),
                      .trustedId = ""});
  }
  WorkerServer server;
};

TEST_F(WorkerServerTest, LoadsVerifiesTimesAndUnloads) {
  EXPECT_GE(ask<DeviceFacts>(DescribeRequest{}).cores, 1);
  LoadReply loaded =
      ask<LoadReply>(LoadRequest{.id = "a", .path = scale(count, "a.minic")});
  EXPECT_GT(loaded.microseconds, 0);
  EXPECT_EQ(loaded.threads, 1);
  EXPECT_EQ(loaded.flops, uint64_t(2 * count));
  EXPECT_FALSE(loaded.callsLibrary);
  ask<LoadReply>(LoadRequest{.id = "b", .path = scale(count, "b.minic")});
  VerifyReply verified = ask<VerifyReply>(
      VerifyRequest{.id = "a",
                    .seed = seed,
                    .expectedPath = expectedOfScale("a.expected"),
                    .trustedId = "b"});
  EXPECT_EQ(verified.status, VerifyStatus::ok) << verified.detail;
  EXPECT_TRUE(verified.deterministic);
  for (Residency residency : {Residency::warm, Residency::cold}) {
    TimeReply timed = ask<TimeReply>(TimeRequest{.ids = {"b", "a", "b"},
                                                 .iterations = {3, 2, 1},
                                                 .residency = residency});
    ASSERT_EQ(timed.microseconds.size(), 3u);
    for (double microseconds : timed.microseconds) {
      EXPECT_GT(microseconds, 0);
    }
  }
  ask<DoneReply>(UnloadRequest{.id = "a"});
  EXPECT_EQ(refusal(UnloadRequest{.id = "a"}).code(),
            absl::StatusCode::kNotFound);
}

TEST_F(WorkerServerTest, UnwrittenElements) {
  VerifyReply reply = verifyScale(count - 1);
  EXPECT_EQ(reply.status, VerifyStatus::wrong);
  EXPECT_EQ(reply.detail, "output y: element 36 of 37 was not written");
}

TEST_F(WorkerServerTest, WritesOutOfBounds) {
  VerifyReply reply = verifyScale(count + 1);
  EXPECT_EQ(reply.status, VerifyStatus::wrong);
  EXPECT_EQ(reply.detail, "memory around output y was written");
}

TEST_F(WorkerServerTest, WrongValues) {
  ask<LoadReply>(LoadRequest{.id = "k", .path = scale(count, "k.minic")});
  VerifyReply reply = ask<VerifyReply>(
      VerifyRequest{.id = "k",
                    .seed = seed + 1,
                    .expectedPath = expectedOfScale("k.expected"),
                    .trustedId = ""});
  EXPECT_EQ(reply.status, VerifyStatus::wrong);
  EXPECT_THAT(reply.detail, HasSubstr("output y[0]: expected"));
}

TEST_F(WorkerServerTest, ExternalConstantsAreRandomByNameAndSeed) {
  constexpr uint64_t constantsSeed = 99;
  ask<LoadReply>(LoadRequest{.id = "k",
                             .path = addExternal("e.minic"),
                             .constantsSeed = constantsSeed});
  std::vector<float> x = randomFloats("x", seed);
  std::vector<float> w = randomFloats("w", constantsSeed);
  std::vector<double> sum;
  for (int64_t i = 0; i < count; ++i) {
    sum.push_back(double(x[i]) + w[i]);
  }
  VerifyReply reply = ask<VerifyReply>(
      VerifyRequest{.id = "k",
                    .seed = seed,
                    .expectedPath = writeExpected(sum, "e.expected"),
                    .trustedId = ""});
  EXPECT_EQ(reply.status, VerifyStatus::ok) << reply.detail;
}

TEST_F(WorkerServerTest, RefusesWhatItCannotDo) {
  EXPECT_EQ(
      refusal(LoadRequest{.id = "a", .path = "/nonexistent/a.minic"}).code(),
      absl::StatusCode::kNotFound);
  std::string path = scale(count, "a.minic");
  EXPECT_EQ(
      refusal(LoadRequest{.id = "a", .path = path, .function = "f"}).code(),
      absl::StatusCode::kNotFound);
  ask<LoadReply>(LoadRequest{.id = "a", .path = path});
  EXPECT_FALSE(refusal(LoadRequest{.id = "a", .path = path}).ok());
  VerifyRequest verify{.id = "a",
                       .seed = seed,
                       .expectedPath = "/nonexistent/a.minic",
                       .trustedId = ""};
  EXPECT_EQ(refusal(verify).code(), absl::StatusCode::kNotFound);
  verify.expectedPath =
      writeExpected(std::vector<double>(4), "bad.expected", {4});
  EXPECT_THAT(std::string(refusal(verify).message()),
              HasSubstr("is 4xf32 where the function has 37xf32"));
  verify.expectedPath = expectedOfScale("a.expected");
  verify.trustedId = "nobody";
  EXPECT_THAT(std::string(refusal(verify).message()),
              HasSubstr("nothing is loaded as 'nobody'"));
  EXPECT_FALSE(refusal(TimeRequest{.ids = {"a"}, .iterations = {}}).ok());
  EXPECT_FALSE(refusal(TimeRequest{.ids = {"a"}, .iterations = {0}}).ok());
  EXPECT_FALSE(refusal(TimeRequest{.ids = {"b"}, .iterations = {1}}).ok());
  // It goes on.
  ask<TimeReply>(TimeRequest{.ids = {"a"}, .iterations = {1}});
}

/// minic-worker as a child with pipes to its stdin and stdout.
class WorkerProcessTest : public ::testing::Test {
protected:
  void SetUp() override {
    int toChild[2], fromChild[2];
    ASSERT_EQ(pipe(toChild) | pipe(fromChild), 0);
    child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      dup2(toChild[0], 0);
      dup2(fromChild[1], 1);
      for (int fd : {toChild[0], toChild[1], fromChild[0], fromChild[1]}) {
        close(fd);
      }
      execl(MINIC_WORKER, MINIC_WORKER, nullptr);
      _exit(127);
    }
    close(toChild[0]);
    close(fromChild[1]);
    in = fdopen(toChild[1], "w");
    out = fdopen(fromChild[0], "r");
  }
  void TearDown() override {
    if (in) {
      fclose(in);
    }
    fclose(out);
  }
  std::string exchange(const std::string &line) {
    fprintf(in, "%s\n", line.c_str());
    fflush(in);
    char buffer[1 << 16] = "";
    return fgets(buffer, sizeof(buffer), out) ? buffer : "";
  }
  int exitStatus() {
    int status = -1;
    waitpid(child, &status, 0);
    return status;
  }
  pid_t child = -1;
  FILE *in = nullptr, *out = nullptr;
};

TEST_F(WorkerProcessTest, AnswersLinesUntilQuit) {
  EXPECT_THAT(exchange("not json"), HasSubstr("\"reply\":\"error\""));
  auto facts = decodeReply(exchange(encode(Request(DescribeRequest{}))));
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_GE(std::get<DeviceFacts>(*facts).cores, 1);
  auto loaded = decodeReply(exchange(encode(
      Request(LoadRequest{.id = "a", .path = scale(count, "process.minic")}))));
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_TRUE(std::holds_alternative<LoadReply>(*loaded));
  EXPECT_THAT(exchange(encode(Request(QuitRequest{}))), HasSubstr("done"));
  EXPECT_EQ(exitStatus(), 0);
}

TEST_F(WorkerProcessTest, EndsWithItsInput) {
  fputs("half a line", in);
  fclose(in);
  in = nullptr;
  EXPECT_EQ(exitStatus(), 0);
}

} // namespace
} // namespace minic::runtime
