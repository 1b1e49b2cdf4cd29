// SPDX-License-Identifier: Apache-2.0
//
// Which attentions cuDNN takes, and the call that is written for them.

#include "compiler/target/cuda/cudnn/CudnnAttention.h"

#include "test/unit/compiler/target/cuda/LoweredCall.h"
#include "test/unit/compiler/target/cuda/attention/AttentionCase.h"

#include "gmock/gmock.h"

using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace minic::cuda {
namespace {

const CudnnAttention kAttention;

ParsedFusion parse(const AttentionCase &c) {
  return ParsedFusion(c.arguments(), c.results(), c.body());
}

std::string reasonOf(const AttentionCase &c) {
  return reasonFor(kAttention, parse(c));
}

double scaleOf(plan::LibraryCallAttr descriptor) {
  return mlir::cast<mlir::FloatAttr>(descriptor.attribute("scale"))
      .getValueAsDouble();
}

TEST(CudnnAttentionTest, OperandsAreDense) {
  for (const char *dtype : {"bf16", "f16"}) {
    AttentionCase c;
    c.dtype = dtype;
    c.batch = 2;
    c.heads = 6;
    c.keyHeads = 2;
    c.rows = 16;
    c.keys = 24;
    c.depth = 64;
    c.valueDepth = 128;
    c.causal = Causality::LowerRight;
    c.scale = 0.25;
    ParsedFusion parsed = parse(c);
    LoweredCall lowered(kAttention, parsed, *getCudaProfile("h200"));
    auto attention = lowered.descriptor;
    EXPECT_THAT(attention.view("query").getDims().asArrayRef(),
                ElementsAre(2, 6, 16, 64));
    EXPECT_THAT(attention.view("key").getDims().asArrayRef(),
                ElementsAre(2, 2, 24, 64));
    EXPECT_THAT(attention.view("value").getStrides().asArrayRef(),
                ElementsAre(6144, 3072, 128, 1));
    EXPECT_THAT(attention.view("result").getStrides().asArrayRef(),
                ElementsAre(12288, 2048, 128, 1));
    EXPECT_EQ(textOf(attention, "causal"), "lower_right");
    EXPECT_EQ(scaleOf(attention), 0.25);
    EXPECT_EQ(lowered.call.getAddresses().size(), 4u);
  }
}

// Heads merged in rows of a projection: q, k and v are slices of one tensor.
TEST(CudnnAttentionTest, MovedOperandsAreStrides) {
  ParsedFusion parsed(
      {"tensor<2x16x3x4x64xbf16>"}, "tensor<2x16x256xbf16>",
      R"(%q0 = graph.slice %0 [0, 0, 0, 0, 0] to [2, 16, 1, 4, 64] by [1, 1, 1, 1, 1] : tensor<2x16x3x4x64xbf16> -> tensor<2x16x1x4x64xbf16>
         %k0 = graph.slice %0 [0, 0, 1, 0, 0] to [2, 16, 2, 4, 64] by [1, 1, 1, 1, 1] : tensor<2x16x3x4x64xbf16> -> tensor<2x16x1x4x64xbf16>
         %v0 = graph.slice %0 [0, 0, 2, 0, 0] to [2, 16, 3, 4, 64] by [1, 1, 1, 1, 1] : tensor<2x16x3x4x64xbf16> -> tensor<2x16x1x4x64xbf16>
         %q1 = graph.reshape %q0 : tensor<2x16x1x4x64xbf16> to tensor<2x16x4x64xbf16>
         %k1 = graph.reshape %k0 : tensor<2x16x1x4x64xbf16> to tensor<2x16x4x64xbf16>
         %v1 = graph.reshape %v0 : tensor<2x16x1x4x64xbf16> to tensor<2x16x4x64xbf16>
         %q = graph.transpose %q1 [0, 2, 1, 3] : tensor<2x16x4x64xbf16> -> tensor<2x4x16x64xbf16>
         %k = graph.transpose %k1 [0, 2, 1, 3] : tensor<2x16x4x64xbf16> -> tensor<2x4x16x64xbf16>
         %v = graph.transpose %v1 [0, 2, 1, 3] : tensor<2x16x4x64xbf16> -> tensor<2x4x16x64xbf16>
         %a = graph.attention %q, %k, %v : (tensor<2x4x16x64xbf16>, tensor<2x4x16x64xbf16>, tensor<2x4x16x64xbf16>) -> tensor<2x4x16x64xbf16>
         %t = graph.transpose %a [0, 2, 1, 3] : tensor<2x4x16x64xbf16> -> tensor<2x16x4x64xbf16>
         %r = graph.reshape %t : tensor<2x16x4x64xbf16> to tensor<2x16x256xbf16>
         kernel.yield %r : tensor<2x16x256xbf16>)");
  LoweredCall lowered(kAttention, parsed, *getCudaProfile("h200"));
  auto attention = lowered.descriptor;
  for (const char *role : {"query", "key", "value"}) {
    EXPECT_THAT(attention.view(role).getStrides().asArrayRef(),
                ElementsAre(12288, 64, 768, 1))
        << role;
  }
  EXPECT_THAT(attention.view("result").getStrides().asArrayRef(),
              ElementsAre(4096, 64, 256, 1));
  auto offsetOf = [&](const char *role) {
    auto view = lowered.call.getAddresses()[attention.view(role).getOperand()]
                    .getDefiningOp<plan::ViewOp>();
    return view ? int64_t(view.getOffset()) : 0;
  };
  EXPECT_EQ(offsetOf("query"), 0);
  EXPECT_EQ(offsetOf("key"), 512);
  EXPECT_EQ(offsetOf("value"), 1024);
  EXPECT_EQ(textOf(attention, "causal"), "none");
  EXPECT_EQ(scaleOf(attention), 0.125);
}

// A dimension of one index has no stride of its own, cuDNN wants one.
TEST(CudnnAttentionTest, OneQueryAtTheLastKeySeesAll) {
  AttentionCase c;
  c.rows = 1;
  c.keys = 40;
  c.causal = Causality::LowerRight;
  ParsedFusion parsed = parse(c);
  LoweredCall lowered(kAttention, parsed, *getCudaProfile("h200"));
  EXPECT_EQ(textOf(lowered.descriptor, "causal"), "none");
  EXPECT_THAT(lowered.descriptor.view("query").getStrides().asArrayRef(),
              ElementsAre(64, 64, 64, 1));
  EXPECT_THAT(lowered.descriptor.view("key").getStrides().asArrayRef(),
              ElementsAre(2560, 2560, 64, 1));
}

TEST(CudnnAttentionTest, AMaskOfFloatsIsAdded) {
  AttentionCase c;
  c.batch = 2;
  c.heads = c.keyHeads = 4;
  c.rows = 16;
  c.keys = 21;
  c.causal = Causality::UpperLeft;
  auto viewOf = [&](const char *type, std::vector<int64_t> dims) {
    c.maskType = type;
    c.maskDims = dims;
    ParsedFusion parsed = parse(c);
    LoweredCall lowered(kAttention, parsed, *getCudaProfile("h200"));
    EXPECT_EQ(lowered.call.getAddresses().size(), 5u);
    auto view = lowered.descriptor.view("bias");
    return std::tuple(view.getDims().asArrayRef().vec(),
                      view.getStrides().asArrayRef().vec(),
                      view.getDtype().isF32());
  };
  using Dims = std::vector<int64_t>;
  EXPECT_EQ(viewOf("bf16", {16, 21}),
            std::tuple(Dims{1, 1, 16, 21}, Dims{336, 336, 21, 1}, false));
  EXPECT_EQ(viewOf("f32", {2, 1, 1, 21}),
            std::tuple(Dims{2, 1, 1, 21}, Dims{21, 21, 21, 1}, true));
  EXPECT_EQ(viewOf("f32", {2, 4, 16, 21}),
            std::tuple(Dims{2, 4, 16, 21}, Dims{1344, 336, 21, 1}, true));
}

TEST(CudnnAttentionTest, SaysWhatItDoesNotTake) {
  AttentionCase good;
  EXPECT_EQ(reasonOf(good), "accepted");
  auto reason = [&](void (*change)(AttentionCase &)) {
    AttentionCase c = good;
    change(c);
    return reasonOf(c);
  };
  EXPECT_THAT(reason([](auto &c) { c.dtype = "f32"; }),
              HasSubstr("not all bf16 or all f16"));
  for (int64_t depth : {4, 68, 264}) {
    AttentionCase c = good;
    c.depth = c.valueDepth = depth;
    EXPECT_THAT(reasonOf(c), HasSubstr("8, 16, ... up to 256")) << depth;
  }
  EXPECT_THAT(reason([](auto &c) { c.scale = 1e39; }),
              HasSubstr("no finite f32"));
  EXPECT_THAT(reason([](auto &c) { c.window = 4; }), HasSubstr("a window"));
  EXPECT_THAT(reason([](auto &c) { c.softCap = 4; }), HasSubstr("a soft_cap"));
  EXPECT_THAT(reason([](auto &c) { c.lengthType = "i32"; }),
              HasSubstr("a key_length"));
  EXPECT_THAT(reason([](auto &c) { c.logSumExp = true; }),
              HasSubstr("log_sum_exp"));
  EXPECT_THAT(reason([](auto &c) {
                c.maskType = "i1";
                c.maskDims = {c.rows, c.keys};
              }),
              HasSubstr("a mask of i1"));
  EXPECT_THAT(reason([](auto &c) {
                c.maskType = "bf16";
                c.maskDims = {c.rows, 1};
              }),
              HasSubstr("keys are not contiguous"));
  EXPECT_THAT(reason([](auto &c) {
                c.maskType = "bf16";
                c.maskDims = {c.rows, c.keys};
                c.causal = Causality::LowerRight;
              }),
              HasSubstr("a mask beside causal<lower_right>"));
  EXPECT_THAT(reason([](auto &c) {
                c.causal = Causality::LowerRight;
                c.rows = 18;
              }),
              HasSubstr("queries without keys"));
  AttentionCase c = good;
  EXPECT_EQ(kAttention.reject(parse(c).get(), *getCudaProfile("h200")),
            std::nullopt);
  DeviceProfile old = *getCudaProfile("h200");
  old.smVersion = 75;
  EXPECT_THAT(kAttention.reject(parse(c).get(), old).value_or(""),
              HasSubstr("older than sm_80"));
}

TEST(CudnnAttentionTest, RowsAreVectors) {
  const std::string to = "tensor<1x1x16x64xbf16>";
  auto query = [&](const std::string &from, const std::string &move) {
    return reasonFor(kAttention,
                     ParsedFusion({from, to, to}, to,
                                  "%q = " + move + " : " + from + " -> " + to +
                                      "\n%r = graph.attention %q, %1, %2 : (" +
                                      to + ", " + to + ", " + to + ") -> " +
                                      to + "\nkernel.yield %r : " + to));
  };
  auto columns = [](int64_t first) {
    return "graph.slice %0 [0, 0, 0, " + std::to_string(first) +
           "] to [1, 1, 16, " + std::to_string(first + 64) +
           "] by [1, 1, 1, 1]";
  };
  EXPECT_EQ(query("tensor<1x1x16x72xbf16>", columns(8)), "accepted");
  EXPECT_THAT(query("tensor<1x1x16x68xbf16>", columns(0)),
              HasSubstr("not aligned to 16 bytes"));
  EXPECT_THAT(query("tensor<1x1x16x72xbf16>", columns(4)),
              HasSubstr("not aligned to 16 bytes"));
  EXPECT_THAT(
      query("tensor<1x1x64x16xbf16>", "graph.transpose %0 [0, 1, 3, 2]"),
      HasSubstr("not contiguous"));
}

TEST(CudnnAttentionTest, AScheduleOfAnotherIsADiagnostic) {
  AttentionCase c;
  ParsedFusion parsed = parse(c);
  kernel::FusionOp fusion = parsed.get();
  mlir::Builder b(fusion.getContext());
  fusion.setImplAttr(kernel::ImplAttr::get(
      fusion.getContext(), "cudnn_attention",
      b.getDictionaryAttr(b.getNamedAttr("tile", b.getI64IntegerAttr(64)))));
  EXPECT_THAT(loweringError(kAttention, fusion),
              HasSubstr("a schedule of cuDNN"));
}

} // namespace
} // namespace minic::cuda
