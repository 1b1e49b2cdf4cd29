// SPDX-License-Identifier: Apache-2.0
//
// Which bodies are one attention, and where its operands and results lie.

#include "compiler/target/codegen/AttentionFusion.h"
#include "test/unit/dialects/kernel/ParsedFusion.h"

#include "gmock/gmock.h"

using ::testing::ElementsAre;

namespace minic {
namespace {

/// `parsed` outlives it.
AttentionFusion match(ParsedFusion &parsed) {
  std::string reason;
  auto attention = AttentionFusion::get(parsed.get(), reason);
  EXPECT_TRUE(succeeded(attention)) << reason;
  return succeeded(attention) ? *attention : AttentionFusion();
}

std::string refusal(const std::vector<std::string> &arguments,
                    const std::string &results, const std::string &body) {
  ParsedFusion parsed(arguments, results, body);
  std::string reason;
  EXPECT_TRUE(failed(AttentionFusion::get(parsed.get(), reason)));
  return reason;
}

/// "%y = graph.attention %0, %1, %2 ..." on tensors of `query` and `key`.
std::string attention(const std::string &operands, const std::string &types,
                      const std::string &result) {
  return "%y = graph.attention " + operands + " : (" + types + ") -> " +
         result + "\n";
}

const std::string kQuery = "tensor<1x4x1x8xbf16>",
                  kFresh = "tensor<1x2x1x8xbf16>",
                  kCache = "tensor<1x2x9x8xbf16>", kAt = "tensor<i64>";

/// "%name = graph.cache_update %cache, %fresh at %4 axis = 2 ..."
std::string update(const std::string &name, const std::string &cache,
                   const std::string &fresh, bool inPlace = true) {
  return "%" + name + " = graph.cache_update %" + cache + ", %" + fresh +
         " at %4 axis = 2" + (inPlace ? " {graph.in_place}" : "") + " : (" +
         kCache + ", " + kFresh + ", " + kAt + ") -> " + kCache + "\n";
}

// Operands: query, cache of keys, cache of values, a new row, a position.
TEST(AttentionFusion, UpdatesItsCaches) {
  std::string halves = "tensor<1x1x4x8xbf16>", rows = "tensor<1x1x2x8xbf16>",
              call = attention("%0, %k, %v",
                               kQuery + ", " + kCache + ", " + kCache, kQuery);
  auto half = [&](const std::string &name, const std::string &begin,
                  const std::string &end) {
    return "%" + name + "s = graph.slice %3 [0, 0, " + begin +
           ", 0] to [1, 1, " + end + ", 8] by [1, 1, 1, 1] : " + halves +
           " -> " + rows + "\n%" + name + " = graph.transpose %" + name +
           "s [0, 2, 1, 3] : " + rows + " -> " + kFresh + "\n";
  };
  ParsedFusion parsed({kQuery, kCache, kCache, halves, kAt},
                      "(" + kCache + ", " + kQuery + ", " + kCache + ")",
                      half("a", "0", "2") + half("b", "2", "4") +
                          update("k", "1", "a") + update("v", "2", "b") + call +
                          "kernel.yield %v, %y, %k : " + kCache + ", " +
                          kQuery + ", " + kCache);
  AttentionFusion body = match(parsed);
  EXPECT_EQ(body.key.argument, 1u);
  EXPECT_EQ(body.value.argument, 2u);
  EXPECT_EQ(body.result.argument, 1u);
  EXPECT_EQ(body.operands, 5u);
  ASSERT_EQ(body.updates.size(), 2u);
  EXPECT_EQ(body.updates[0].result, 2u); // of keys
  EXPECT_EQ(body.updates[1].result, 0u);
}

TEST(AttentionFusion, RefusesOtherUpdates) {
  std::string types = kQuery + ", " + kCache + ", " + kCache;
  std::vector<std::string> operands = {kQuery, kCache, kCache, kFresh, kAt};
  std::string results = "(" + kQuery + ", " + kCache + ")";
  auto yield = "kernel.yield %y, %k : " + kQuery + ", " + kCache;
  // A copy of the cache is no state.
  EXPECT_EQ(refusal(operands, results,
                    update("k", "1", "3", /*inPlace=*/false) +
                        attention("%0, %k, %2", types, kQuery) + yield),
            "attention's key is computed in the body");
  EXPECT_EQ(refusal(operands, kQuery,
                    update("k", "1", "3") +
                        attention("%0, %k, %2", types, kQuery) +
                        "kernel.yield %y : " + kQuery),
            "an update in place that is no result");
  // Values as they were, keys as they are.
  EXPECT_EQ(refusal(operands, results,
                    update("k", "1", "3") +
                        attention("%0, %k, %1", types, kQuery) + yield),
            "a cache that the body reads before its update");
  EXPECT_EQ(refusal(operands, results,
                    "%n = graph.softmax %3 axis = 3 : " + kFresh + "\n" +
                        update("k", "1", "n") +
                        attention("%0, %k, %2", types, kQuery) + yield),
            "operands of attention that graph.softmax makes");
}

TEST(AttentionFusion, ReadsDenseOperands) {
  std::string q = "tensor<2x3x5x8xf32>", k = "tensor<2x3x7x8xf32>",
              v = "tensor<2x3x7x4xf32>", y = "tensor<2x3x5x4xf32>";
  ParsedFusion parsed(
      {q, k, v}, y,
      attention("%0, %1, %2 {soft_cap = 2.0 : f64, window = 3 : i64}",
                q + ", " + k + ", " + v, y) +
          "kernel.yield %y : " + y);
  AttentionFusion body = match(parsed);
  EXPECT_EQ(body.batch, 2);
  EXPECT_EQ(body.heads, 3);
  EXPECT_EQ(body.keyHeads, 3);
  EXPECT_EQ(body.rows, 5);
  EXPECT_EQ(body.keys, 7);
  EXPECT_EQ(body.depth, 8);
  EXPECT_EQ(body.valueDepth, 4);
  EXPECT_NEAR(body.scale, 0.35355339, 1e-8);
  EXPECT_EQ(body.softCap, 2.0);
  EXPECT_EQ(body.window, 3);
  EXPECT_EQ(body.causal, graph::Causal::None);
  EXPECT_THAT(body.query.strides, ElementsAre(120, 40, 8, 1));
  EXPECT_THAT(body.key.strides, ElementsAre(168, 56, 8, 1));
  EXPECT_THAT(body.value.strides, ElementsAre(84, 28, 4, 1));
  EXPECT_THAT(body.result.strides, ElementsAre(60, 20, 4, 1));
  EXPECT_EQ(body.value.argument, 2u);
  EXPECT_TRUE(body.key.storage.isF32());
  EXPECT_FALSE(body.mask || body.keyLength || body.logSumExp);
  EXPECT_TRUE(body.leavesOutKeys());
}

TEST(AttentionFusion, SharesKeysAmongHeadsAndBroadcastsAMask) {
  std::string q = "tensor<2x6x5x8xbf16>", k = "tensor<2x2x7x8xbf16>",
              m = "tensor<2x1x1x7xi1>", n = "tensor<2xi64>",
              l = "tensor<2x6x5xf32>";
  ParsedFusion parsed(
      {k, k, q, n, m}, "(" + l + ", " + q + ")",
      "%y:2 = graph.attention %2, %0, %1 mask %4 key_length %3 {causal = "
      "#graph.causal<lower_right>, scale = 2.0 : f64, with_log_sum_exp} "
      ": (" +
          q + ", " + k + ", " + k + ", " + m + ", " + n + ") -> (" + q + ", " +
          l + ")\nkernel.yield %y#1, %y#0 : " + l + ", " + q);
  AttentionFusion body = match(parsed);
  EXPECT_EQ(body.headsPerKey(), 3);
  EXPECT_EQ(body.scale, 2.0);
  EXPECT_EQ(body.causal, graph::Causal::LowerRight);
  EXPECT_EQ(body.query.argument, 2u);
  EXPECT_THAT(body.query.strides, ElementsAre(240, 40, 8, 1));
  EXPECT_EQ(body.key.argument, 0u);
  EXPECT_THAT(body.key.strides, ElementsAre(112, 56, 8, 1));
  ASSERT_TRUE(body.mask && body.keyLength && body.logSumExp);
  EXPECT_TRUE(body.mask->storage.isInteger(1));
  EXPECT_THAT(body.mask->strides, ElementsAre(7, 0, 0, 1));
  EXPECT_TRUE(body.keyLength->storage.isInteger(64));
  EXPECT_THAT(body.keyLength->strides, ElementsAre(1, 0, 0, 0));
  EXPECT_EQ(body.result.argument, 1u);
  EXPECT_EQ(body.logSumExp->argument, 0u);
  EXPECT_THAT(body.logSumExp->strides, ElementsAre(30, 5, 1, 0));
}

TEST(AttentionFusion, ReadsAllKeysOfOneHead) {
  std::string q = "tensor<1x4x5x8xf32>", k = "tensor<1x1x7x8xf32>",
              m = "tensor<4x1x7xf32>", n = "tensor<i32>";
  ParsedFusion parsed({q, k, k, m, n}, q,
                      attention("%0, %1, %2 mask %3 key_length %4",
                                q + ", " + k + ", " + k + ", " + m + ", " + n,
                                q) +
                          "kernel.yield %y : " + q);
  AttentionFusion body = match(parsed);
  EXPECT_THAT(body.key.strides, ElementsAre(0, 0, 8, 1));
  EXPECT_THAT(body.mask->strides, ElementsAre(0, 7, 0, 1));
  EXPECT_THAT(body.keyLength->strides, ElementsAre(0, 0, 0, 0));
}

/// One projection of 2 batches, 5 rows and 3 times 4 heads of 8.
constexpr const char *kOperandsOfAProjection = R"(
    %r = graph.reshape %0 : tensor<2x5x96xf32> to tensor<2x5x3x4x8xf32>
    %t = graph.transpose %r [2, 0, 3, 1, 4] : tensor<2x5x3x4x8xf32> -> tensor<3x2x4x5x8xf32>
    %a = graph.slice %t [0, 0, 0, 0, 0] to [1, 2, 4, 5, 8] by [1, 1, 1, 1, 1] : tensor<3x2x4x5x8xf32> -> tensor<1x2x4x5x8xf32>
    %b = graph.slice %t [1, 0, 0, 0, 0] to [2, 2, 4, 5, 8] by [1, 1, 1, 1, 1] : tensor<3x2x4x5x8xf32> -> tensor<1x2x4x5x8xf32>
    %c = graph.slice %t [2, 0, 0, 0, 0] to [3, 2, 4, 5, 8] by [1, 1, 1, 1, 1] : tensor<3x2x4x5x8xf32> -> tensor<1x2x4x5x8xf32>
    %q = graph.reshape %a : tensor<1x2x4x5x8xf32> to tensor<2x4x5x8xf32>
    %k = graph.reshape %b : tensor<1x2x4x5x8xf32> to tensor<2x4x5x8xf32>
    %v = graph.reshape %c : tensor<1x2x4x5x8xf32> to tensor<2x4x5x8xf32>
)";
constexpr const char *kHeads = "tensor<2x4x5x8xf32>";

std::string attentionOfAProjection() {
  std::string t = kHeads;
  return kOperandsOfAProjection +
         attention("%q, %k, %v", t + ", " + t + ", " + t, t);
}

TEST(AttentionFusion, FollowsOperandsAndResultThroughViews) {
  ParsedFusion parsed(
      {"tensor<2x5x96xf32>"}, "tensor<2x5x32xf32>",
      attentionOfAProjection() +
          "%z = graph.transpose %y [0, 2, 1, 3] : tensor<2x4x5x8xf32> -> "
          "tensor<2x5x4x8xf32>\n"
          "%w = graph.reshape %z : tensor<2x5x4x8xf32> to tensor<2x5x32xf32>\n"
          "kernel.yield %w : tensor<2x5x32xf32>");
  AttentionFusion body = match(parsed);
  for (const auto &[access, offset] :
       {std::pair(body.query, 0), std::pair(body.key, 32),
        std::pair(body.value, 64)}) {
    EXPECT_EQ(access.argument, 0u);
    EXPECT_EQ(access.offset, offset);
    EXPECT_THAT(access.strides, ElementsAre(480, 8, 96, 1));
  }
  EXPECT_EQ(body.result.offset, 0);
  EXPECT_THAT(body.result.strides, ElementsAre(160, 8, 32, 1));
}

TEST(AttentionFusion, FollowsAResultOfOtherRanks) {
  ParsedFusion parsed(
      {"tensor<2x5x96xf32>"}, "tensor<8x40xf32>",
      attentionOfAProjection() + "%z = graph.reshape %y : " + kHeads +
          " to tensor<8x40xf32>\nkernel.yield %z : tensor<8x40xf32>");
  AttentionFusion body = match(parsed);
  EXPECT_THAT(body.result.strides, ElementsAre(160, 40, 8, 1));
}

TEST(AttentionFusion, SaysWhyItRefuses) {
  std::string t = kHeads, three = t + ", " + t + ", " + t;
  std::string plain = attention("%0, %1, %2", three, t);
  EXPECT_EQ(
      refusal({t}, t, "%y = graph.relu %0 : " + t + "\nkernel.yield %y : " + t),
      "no attention in the body");
  EXPECT_EQ(
      refusal({t, t, t}, t,
              plain + "%z = graph.relu %y : " + t + "\nkernel.yield %z : " + t),
      "graph.relu beside attention");
  EXPECT_EQ(refusal({t, t, t}, t,
                    plain + "%z = graph.attention %y, %y, %y : (" + three +
                        ") -> " + t + "\nkernel.yield %z : " + t),
            "two attentions in the body");
  EXPECT_EQ(refusal({t, t, "tensor<2x4x5x8xf16>"}, t,
                    "%c = graph.cast %2 : tensor<2x4x5x8xf16> to " + t + "\n" +
                        attention("%0, %1, %c", three, t) +
                        "kernel.yield %y : " + t),
            "attention's value is computed in the body");
  EXPECT_EQ(
      refusal({t, t, t}, "tensor<2x4x5x4xf32>",
              plain +
                  "%z = graph.slice %y [0, 0, 0, 0] to [2, 4, 5, 4] by [1, "
                  "1, 1, 1] : " +
                  t +
                  " -> tensor<2x4x5x4xf32>\n"
                  "kernel.yield %z : tensor<2x4x5x4xf32>"),
      "only some of attention's result is yielded");
  EXPECT_EQ(refusal({t, t, t}, "tensor<2x4x5xf32>",
                    "%y:2 = graph.attention %0, %1, %2 {with_log_sum_exp} : (" +
                        three + ") -> (" + t +
                        ", tensor<2x4x5xf32>)\n"
                        "kernel.yield %y#1 : tensor<2x4x5xf32>"),
            "attention's result is unused");
  std::string none = "tensor<2x4x0x8xf32>";
  EXPECT_EQ(refusal({none, t, t}, none,
                    attention("%0, %1, %2", none + ", " + t + ", " + t, none) +
                        "kernel.yield %y : " + none),
            "no elements");
}

// Rows of two dimensions at once: no stride leads from one to the next.
TEST(AttentionFusion, RefusesWhatIsNotAtOneStride) {
  std::string t = "tensor<1x1x6x8xf32>", wide = "tensor<2x8x3xf32>";
  EXPECT_EQ(refusal({wide, t, t}, t,
                    "%p = graph.transpose %0 [0, 2, 1] : " + wide +
                        " -> tensor<2x3x8xf32>\n"
                        "%s = graph.transpose %p [1, 0, 2] : tensor<2x3x8xf32> "
                        "-> tensor<3x2x8xf32>\n"
                        "%q = graph.reshape %s : tensor<3x2x8xf32> to " +
                        t + "\n" +
                        attention("%q, %1, %2", t + ", " + t + ", " + t, t) +
                        "kernel.yield %y : " + t),
            "attention's query is not at one stride along dimension 2");
}

} // namespace
} // namespace minic
