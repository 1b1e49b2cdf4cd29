// SPDX-License-Identifier: Apache-2.0
//
// The interpreter's wgmma: what descriptors and fragments mean, and that it
// reports what goes wrong on a GPU only sometimes.

#include "test/unit/compiler/target/cuda/SimtWgmmaRun.h"

#include "llvm/ADT/STLExtras.h"

#include <gmock/gmock.h>

#include <cmath>

namespace minic::cuda {
namespace {

using testing::HasSubstr;

constexpr const char *fence =
    "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>,\n"
    "                    space = #nvvm.shared_space<cta>}\n";
constexpr const char *wait = "nvvm.wgmma.wait.group.sync.aligned 1\n";

TEST(SimtWgmma, Swizzles) {
  for (int64_t rowBytes : {128, 64, 32}) {
    SCOPED_TRACE(rowBytes);
    WgmmaRun(24, rowBytes, "bf16").check();
    WgmmaRun(8, rowBytes, "f16").check();
  }
}

TEST(SimtWgmma, ManyColumns) {
  WgmmaRun(160, 128, "bf16").check();
  WgmmaRun(256, 32, "f16").check();
}

TEST(SimtWgmma, SeveralWarpGroups) {
  WgmmaRun(24, 128, "bf16", /*stages=*/3, /*groups=*/2).check();
}

TEST(SimtWgmma, ReplacesSums) {
  WgmmaRun run(8, 32, "bf16", /*stages=*/1);
  ASSERT_EQ(run.run({{"llvm.mlir.zero", "llvm.mlir.undef"},
                     {"D [<f32>, <one>]", "D [<f32>, <zero>]"}}),
            "");
  EXPECT_EQ(double(run.at(5, 3)), run.expected(5, 3));
}

// 25 bits below the largest of 17 terms are added, 23 are kept.
TEST(SimtWgmma, CutsSumsOffAsAnH100) {
  for (int64_t below : {25, 26}) {
    WgmmaRun run(8, 32, "bf16", /*stages=*/1);
    std::fill(run.lhs.begin(), run.lhs.end(), std::ldexp(1.0, int(12 - below)));
    std::fill(run.rhs.begin(), run.rhs.end(), 0);
    run.lhs[0] = run.rhs[0] = 1;
    std::fill_n(run.rhs.begin() + 1, 8, 0x1p-12);
    ASSERT_EQ(run.run(), "");
    EXPECT_EQ(run.at(0, 0), below == 25 ? 1 + 0x1p-22f : 1.0f);
  }
}

bool allNan(const std::vector<float> &values) {
  return llvm::all_of(values, [](float each) { return std::isnan(each); });
}

TEST(SimtWgmma, SumsNotWaitedForAreNan) {
  WgmmaRun run(24, 128, "bf16");
  ASSERT_EQ(run.run({{"wgmma.wait_group.sync.aligned 0;",
                      "wgmma.wait_group.sync.aligned 1;"}}),
            "");
  EXPECT_TRUE(allNan(run.results));
  // Nothing says that a wait which they do not pass through comes first.
  ASSERT_EQ(run.run({{wait, "nvvm.wgmma.wait.group.sync.aligned 0\n"},
                     {"llvm.extractvalue %done", "llvm.extractvalue %sums#0"}}),
            "");
  EXPECT_TRUE(allNan(run.results));
}

TEST(SimtWgmma, ProxyFence) {
  WgmmaRun run(24, 128, "bf16");
  auto missing = HasSubstr("no fence.proxy.async between");
  const std::string landed = "nvvm.cp.async.wait.group 0\n",
                    barrier = "nvvm.barrier\n";
  EXPECT_THAT(run.run({{fence, ""}}), missing);
  EXPECT_THAT(run.run({{fence, ""}, {landed, fence + landed}}), missing);
  EXPECT_THAT(run.run({{fence, ""}, {barrier, barrier + fence}}), missing);
  EXPECT_THAT(run.run({{fence, std::string("%isFirst = arith.cmpi eq, %t, %c0 "
                                           ": i32\nscf.if %isFirst {\n") +
                                   fence + "}\n"}}),
              missing);
  EXPECT_THAT(run.run({{"async.shared>,\n                    space = "
                        "#nvvm.shared_space<cta>}",
                        "async.global>}"}}),
              missing);
  EXPECT_EQ(run.run({{"async.shared>,\n                    space = "
                      "#nvvm.shared_space<cta>}",
                      "async>}"}}),
            "");
}

TEST(SimtWgmma, ReadsBeforeWritesAreThere) {
  WgmmaRun run(24, 128, "bf16");
  EXPECT_THAT(run.run({{"nvvm.barrier\n", ""}}),
              HasSubstr("no barrier after it was written"));
  EXPECT_THAT(run.run({{"nvvm.cp.async.wait.group 0\n", ""}}),
              HasSubstr("before its copy was waited for"));
}

TEST(SimtWgmma, OverwritesOperands) {
  WgmmaRun run(24, 128, "bf16");
  const std::string store = "llvm.store %c0, %shared : i32, !llvm.ptr<3>\n",
                    one = "%is = arith.cmpi eq, %t, %c0 : i32\nscf.if %is {\n" +
                          store + "}\n",
                    all = "nvvm.wgmma.wait.group.sync.aligned 0\n",
                    barrier = "nvvm.barrier\n";
  EXPECT_THAT(run.run({{wait, wait + barrier + one}}),
              HasSubstr("that a pending wgmma reads is written"));
  EXPECT_THAT(run.run({{wait, all + one}}),
              HasSubstr("that another warp uses is written"));
  EXPECT_EQ(run.run({{wait, all + barrier + one}}), "");
  EXPECT_EQ(double(run.at(0, 0)), run.expected(0, 0));
}

TEST(SimtWgmma, Descriptors) {
  WgmmaRun run(24, 64, "bf16");
  const std::string matrix = "%first = arith.addi %start, %matrix : i64\n";
  auto plus = [&](const std::string &number) {
    return "%plain = arith.addi %start, %matrix : i64\n"
           "%more = " +
           number + "\n%first = arith.addi %plain, %more : i64\n";
  };
  EXPECT_THAT(run.run({{matrix, plus("arith.extui %t : i32 to i64")}}),
              HasSubstr("a descriptor differs within a warp group"));
  for (int64_t sixteens : {1, 4, 16}) { // bytes 16, 64, 256
    EXPECT_THAT(run.run({{matrix, plus("arith.constant " +
                                       std::to_string(sixteens) + " : i64")}}),
                HasSubstr("not aligned to 512"));
  }
  for (int bit : {14, 31, 33, 49}) { // 33: part of the stride
    EXPECT_THAT(
        run.run({{matrix, plus("arith.constant " +
                               std::to_string(int64_t(1) << bit) + " : i64")}}),
        HasSubstr(bit == 33 ? "not aligned to 512" : "unknown descriptor"));
  }
  EXPECT_THAT(run.run({{matrix, "%first = arith.addi %start, %start : i64\n"}}),
              HasSubstr("unknown descriptor"));
  EXPECT_THAT(run.run({{"%stages = arith.constant 2", "%stages = "
                                                      "arith.constant 3"}}),
              HasSubstr("shared address"));
}

TEST(SimtWgmma, Registers) {
  WgmmaRun run(24, 64, "bf16");
  EXPECT_THAT(run.run({{"nvvm.wgmma.fence.aligned\n", ""}}),
              HasSubstr("no wgmma.fence before"));
  EXPECT_THAT(run.run({{"%rhs_1, %s1", "%rhs_1, %s0"}}),
              HasSubstr("or that another one took"));
  EXPECT_THAT(run.run({{"%rhs_1, %s1", "%rhs_1, %half"},
                       {"%rhs_1 =", "%one = llvm.extractvalue %s1[1] : $sums$\n"
                                    "%half = llvm.insertvalue %one, %s1[0] : "
                                    "$sums$\n%rhs_1 ="}}),
              HasSubstr("some of the sums are those of another"));
  WgmmaRun once(24, 64, "bf16", /*stages=*/1);
  EXPECT_THAT(once.run({{"scf.yield %s2", "scf.yield %s1"}}),
              HasSubstr("a sum that a later wgmma went on with"));
}

TEST(SimtWgmma, WholeWarpGroups) {
  WgmmaRun run(24, 64, "bf16");
  EXPECT_THAT(run.run({{"nvvm.wgmma.commit.group.sync.aligned",
                        "%is = arith.cmpi ult, %t, %c16 : i32\nscf.if %is {\n"
                        "nvvm.wgmma.commit.group.sync.aligned\n}"}}),
              HasSubstr("a warp group's instruction in divergent code"));
}

TEST(SimtWgmma, UnknownKinds) {
  WgmmaRun run(24, 64, "bf16");
  EXPECT_THAT(run.run({{"<row>", "<col>"}}), HasSubstr("not of A by rows"));
  EXPECT_THAT(run.run({{"<one>, <row>", "<neg>, <row>"}}),
              HasSubstr("not of A by rows"));
  EXPECT_THAT(run.run({{"\"=f,", "\"=r,"}}),
              HasSubstr("a wait whose results are not its operands"));
}

} // namespace
} // namespace minic::cuda
