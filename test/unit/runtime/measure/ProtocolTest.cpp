// SPDX-License-Identifier: Apache-2.0
//
// Every message survives the trip as a line; lines that are not messages are
// refused by name of the field, never by a crash.

#include "runtime/measure/Protocol.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>

namespace minic::runtime {
namespace {

using ::testing::HasSubstr;

template <typename T> T roundTripRequest(const T &message) {
  auto decoded = decodeRequest(encode(Request(message)));
  EXPECT_TRUE(decoded.ok()) << decoded.status();
  return decoded.ok() ? std::get<T>(*decoded) : T{};
}

template <typename T> T roundTripReply(const T &message) {
  auto decoded = decodeReply(encode(Reply(message)));
  EXPECT_TRUE(decoded.ok()) << decoded.status();
  return decoded.ok() ? std::get<T>(*decoded) : T{};
}

TEST(ProtocolTest, LoadRequest) {
  LoadRequest request{.id = "candidate \"7\"\n",
                      .path = "/tmp/ü x.minic",
                      .function = "problem",
                      .threads = 2,
                      .constantsSeed = 0xffffffffffffffffu,
                      .onlyListsAlgorithms = true,
                      .isPart = true};
  std::string line = encode(Request(request));
  EXPECT_EQ(line.find('\n'), std::string::npos);
  LoadRequest got = roundTripRequest(request);
  EXPECT_EQ(got.id, request.id);
  EXPECT_EQ(got.path, request.path);
  EXPECT_EQ(got.function, "problem");
  EXPECT_EQ(got.threads, 2);
  EXPECT_EQ(got.constantsSeed, request.constantsSeed);
  EXPECT_TRUE(got.onlyListsAlgorithms);
  EXPECT_TRUE(got.isPart);
}

TEST(ProtocolTest, OtherRequests) {
  roundTripRequest(DescribeRequest{});
  roundTripRequest(QuitRequest{});
  EXPECT_EQ(roundTripRequest(UnloadRequest{.id = "a"}).id, "a");

  VerifyRequest verify{
      .id = "a", .seed = 3, .expectedPath = "e.bin", .trustedId = "aten"};
  VerifyRequest gotVerify = roundTripRequest(verify);
  EXPECT_EQ(gotVerify.seed, 3u);
  EXPECT_EQ(gotVerify.expectedPath, "e.bin");
  EXPECT_EQ(gotVerify.trustedId, "aten");

  TimeRequest time{
      .ids = {"b", "a"}, .iterations = {10, 1}, .residency = Residency::cold};
  TimeRequest gotTime = roundTripRequest(time);
  EXPECT_EQ(gotTime.ids, time.ids);
  EXPECT_EQ(gotTime.iterations, time.iterations);
  EXPECT_EQ(gotTime.residency, Residency::cold);
}

TEST(ProtocolTest, DeviceFacts) {
  DeviceFacts facts;
  facts.name = "AMD EPYC";
  facts.vendor = "AuthenticAMD";
  facts.family = 25;
  facts.model = 17;
  facts.stepping = 1;
  facts.features = {"avx2", "avx512f"};
  facts.l1Bytes = 32768;
  facts.l2Bytes = 1 << 20;
  facts.l3Bytes = int64_t(1) << 33;
  facts.cores = 2;
  facts.joinUs = 1.5;
  facts.libraries = {{"oneDNN", "2.6.3"}};
  DeviceFacts got = roundTripReply(facts);
  EXPECT_EQ(got.name, facts.name);
  EXPECT_EQ(got.family, 25);
  EXPECT_EQ(got.features, facts.features);
  EXPECT_EQ(got.l3Bytes, facts.l3Bytes);
  EXPECT_EQ(got.joinUs, 1.5);
  EXPECT_EQ(roundTripRequest(DescribeRequest{.teamThreads = 3}).teamThreads, 3);
  EXPECT_EQ(got.libraries, facts.libraries);
}

TEST(ProtocolTest, Gpus) {
  EXPECT_TRUE(roundTripRequest(DescribeRequest{.gpus = true}).gpus);
  DeviceFacts facts;
  facts.isGpuBroken = true;
  facts.gpuProblem = "none is visible";
  GpuFacts &gpu = facts.gpus.emplace_back();
  gpu.index = 1;
  gpu.name = "NVIDIA H200";
  gpu.uuid = "GPU-1";
  gpu.computeMajor = 9;
  gpu.smCount = 132;
  gpu.memoryGBs = 4915.2;
  gpu.l2Bytes = 60 << 20;
  gpu.isMig = true;
  DeviceFacts got = roundTripReply(facts);
  EXPECT_TRUE(got.isGpuBroken);
  EXPECT_EQ(got.gpuProblem, facts.gpuProblem);
  ASSERT_EQ(got.gpus.size(), 1u);
  EXPECT_EQ(got.gpus[0].index, 1);
  EXPECT_EQ(got.gpus[0].name, "NVIDIA H200");
  EXPECT_EQ(got.gpus[0].uuid, "GPU-1");
  EXPECT_EQ(got.gpus[0].computeMajor, 9);
  EXPECT_EQ(got.gpus[0].smCount, 132);
  EXPECT_EQ(got.gpus[0].memoryGBs, 4915.2);
  EXPECT_EQ(got.gpus[0].l2Bytes, 60 << 20);
  EXPECT_TRUE(got.gpus[0].isMig);
  // A field of a message inside is checked like any other.
  EXPECT_FALSE(decodeReply(R"({"reply": "algorithms",
                               "algorithms": [{"name": 1}]})")
                   .ok());
}

TEST(ProtocolTest, Algorithms) {
  AlgorithmsRequest request = roundTripRequest(
      AlgorithmsRequest{.id = "a", .most = 8, .scratchLimit = 1u << 25});
  EXPECT_EQ(request.most, 8);
  EXPECT_EQ(request.scratchLimit, 1u << 25);
  AlgorithmsReply reply =
      roundTripReply(AlgorithmsReply{{{"00ff", "tile=64x64", 512}, {}}});
  ASSERT_EQ(reply.algorithms.size(), 2u);
  EXPECT_EQ(reply.algorithms[0].algorithm, "00ff");
  EXPECT_EQ(reply.algorithms[0].name, "tile=64x64");
  EXPECT_EQ(reply.algorithms[0].scratchBytes, 512u);
}

TEST(ProtocolTest, RunModesAndClocks) {
  TimeRequest request{.ids = {"a", "a"},
                      .iterations = {1, 2},
                      .modes = {RunMode::graphCall, RunMode::stream}};
  EXPECT_EQ(roundTripRequest(request).modes, request.modes);
  request.modes = {RunMode::whenIdle, RunMode::whenIdleCall};
  request.runUs = {8.5, 0.1};
  EXPECT_EQ(roundTripRequest(request).modes, request.modes);
  EXPECT_EQ(roundTripRequest(request).runUs, request.runUs);
  EXPECT_EQ(roundTripReply(TimeReply{.microseconds = {1.0},
                                     .firstTakesUs = {},
                                     .disturbed = {},
                                     .smClockMHz = 1980.0})
                .smClockMHz,
            1980.0);
}

TEST(ProtocolTest, DisturbedSamples) {
  TimeRequest request{.ids = {"a"}, .iterations = {1}, .retakeUs = 12000};
  EXPECT_EQ(roundTripRequest(request).retakeUs, 12000);
  TimeReply reply = roundTripReply(TimeReply{.microseconds = {1.0, 2.0},
                                             .firstTakesUs = {3.0, 2.0},
                                             .disturbed = {false, true}});
  EXPECT_EQ(reply.firstTakesUs, (std::vector<double>{3.0, 2.0}));
  EXPECT_EQ(reply.disturbed, (std::vector<bool>{false, true}));
}

TEST(ProtocolTest, ChangedPointers) {
  using enum ChangedPointers;
  TimeRequest request{.ids = {"a", "a", "a", "a"}, .iterations = {1, 1, 1, 1}};
  request.changes = {none, stage, launch, update};
  EXPECT_EQ(roundTripRequest(request).changes, request.changes);
  EXPECT_FALSE(roundTripReply(LoadReply{}).libraryUsesCallers);
  EXPECT_TRUE(
      roundTripReply(LoadReply{.libraryUsesCallers = true}).libraryUsesCallers);
}

TEST(ProtocolTest, RepliesKeepValuesThatAreNotFinite) {
  VerifyReply reply{.status = VerifyStatus::wrong,
                    .worst = std::numeric_limits<double>::infinity(),
                    .maxAbsoluteError = std::nan(""),
                    .maxRelativeError = 0.1,
                    .deterministic = true,
                    .detail = "output y[3]: ..."};
  VerifyReply got = roundTripReply(reply);
  EXPECT_EQ(got.status, VerifyStatus::wrong);
  EXPECT_TRUE(std::isinf(got.worst));
  EXPECT_TRUE(std::isnan(got.maxAbsoluteError));
  EXPECT_EQ(got.maxRelativeError, 0.1);
  EXPECT_TRUE(got.deterministic);
  EXPECT_EQ(got.detail, reply.detail);
  EXPECT_EQ(roundTripReply(TimeReply{.microseconds = {1.5, 1.0 / 3},
                                     .firstTakesUs = {},
                                     .disturbed = {}})
                .microseconds,
            (std::vector<double>{1.5, 1.0 / 3}));
}

TEST(ProtocolTest, ErrorsAreReplies) {
  ErrorReply got = roundTripReply(
      ErrorReply{absl::FailedPreconditionError("needs avx512f")});
  EXPECT_EQ(got.status, absl::FailedPreconditionError("needs avx512f"));
  EXPECT_FALSE(got.isFatal);
  EXPECT_TRUE(
      roundTripReply(ErrorReply{absl::InternalError("lost"), true}).isFatal);
}

TEST(ProtocolTest, RefusesMalformedRequests) {
  struct Case {
    const char *line;
    const char *says;
  };
  for (const Case &c : {
           Case{"", "JSON object"},
           Case{"{", "JSON object"},
           Case{"[1, 2]", "JSON object"},
           Case{"\xff\xfe", "JSON object"},
           Case{"{}", "'request' is missing"},
           Case{R"({"request": 1})", "'request' has an unexpected"},
           Case{R"({"request": "fly"})", "unknown request 'fly'"},
           Case{R"({"request": "unload"})", "'id' is missing"},
           Case{R"({"request": "unload", "id": null})", "'id' has"},
           Case{R"({"request": "load", "id": "a", "path": "p",
                    "function": "main", "threads": 1e99,
                    "constants_seed": 0})",
                "'threads' has"},
           Case{R"({"request": "load", "id": "a", "path": "p",
                    "function": "main", "threads": 99999999999,
                    "constants_seed": 0})",
                "'threads' has"},
           Case{R"({"request": "load", "id": "a", "path": "p",
                    "function": "main", "threads": 1,
                    "constants_seed": -1})",
                "'constants_seed' has"},
           Case{R"({"request": "time", "ids": "a", "iterations": [],
                    "residency": "warm"})",
                "'ids' has"},
           Case{R"({"request": "time", "ids": ["a"],
                    "iterations": [18446744073709551615],
                    "residency": "warm"})",
                "'iterations' has"},
           Case{R"({"request": "time", "ids": ["a"], "iterations": [1],
                    "residency": "hot"})",
                "'residency' has"},
       }) {
    auto decoded = decodeRequest(c.line);
    ASSERT_FALSE(decoded.ok()) << c.line;
    EXPECT_EQ(decoded.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(decoded.status().message()), HasSubstr(c.says));
  }
}

TEST(ProtocolTest, RefusesMalformedReplies) {
  EXPECT_FALSE(decodeReply(R"({"reply": "done"} trailing)").ok());
  EXPECT_FALSE(decodeReply(R"({"reply": "error", "code": 0,
                               "message": ""})")
                   .ok());
  EXPECT_FALSE(decodeReply(R"({"reply": "error", "code": 400,
                               "message": ""})")
                   .ok());
  EXPECT_FALSE(decodeReply(R"({"reply": "timed"})").ok());
  EXPECT_TRUE(decodeReply(R"({"reply": "done", "new": 1})").ok());
}

} // namespace
} // namespace minic::runtime
