// SPDX-License-Identifier: Apache-2.0
//
// The family gemm_sm80 as the compiler sees it: what it takes, what it offers,
// how schedules are written, and what the assembler says of its kernels.

#include "compiler/target/cuda/gemm_sm80/GemmSm80Family.h"

#include "compiler/target/cuda/gemm_sm80/EmitGemm.h"
#include "compiler/target/cuda/gemm_sm80/EnumerateSchedules.h"
#include "test/unit/compiler/target/cuda/gemm/GemmFamilyCases.h"

#include "mlir/IR/Diagnostics.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <set>

using namespace mlir;

namespace minic::cuda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const GemmSm80Family family;

TEST(GemmSm80Schedule, AttributeRoundTrip) {
  MLIRContext context;
  GemmSm80Schedule schedule{
      {64, 96, 32, 5, 6, 7, true, true, true}, 2, 2, 4, GemmMath::Tf32x3};
  auto parsed = parseGemmSm80Schedule(toAttribute(schedule, &context),
                                      UnknownLoc::get(&context));
  ASSERT_TRUE(succeeded(parsed));
  EXPECT_EQ(*parsed, schedule);
  EXPECT_EQ(toString(schedule),
            "gemm_sm80 64x96x32 warps=2x2x4 stages=5 cluster=6 group=7 "
            "math=tf32x3 lhs=padded pdl=on");
  EXPECT_EQ(toString(GemmSm80Schedule()),
            "gemm_sm80 128x128x64 warps=2x2 stages=3 group=8 math=mma");
}

TEST(GemmSm80Schedule, RejectsWhatItDoesNotKnow) {
  MLIRContext context;
  Builder b(&context);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  auto parse = [&](StringRef key, Attribute value) {
    return parseGemmSm80Schedule(
        b.getDictionaryAttr(b.getNamedAttr(key, value)),
        UnknownLoc::get(&context));
  };
  EXPECT_TRUE(failed(parse("bm", b.getI64IntegerAttr(24))));
  EXPECT_EQ(message, "gemm_sm80 schedule expects bm in [16, 256] and a "
                     "multiple of 16, got 24 : i64");
  EXPECT_TRUE(failed(parse("bk", b.getI64IntegerAttr(48))));
  EXPECT_EQ(message, "gemm_sm80 schedule expects bk in [8, 256] and a power of "
                     "two, got 48 : i64");
  EXPECT_TRUE(failed(parse("stages", b.getI64IntegerAttr(1))));
  EXPECT_EQ(message,
            "gemm_sm80 schedule expects stages in [2, 16], got 1 : i64");
  EXPECT_TRUE(failed(parse("math", b.getStringAttr("fp8"))));
  EXPECT_EQ(message, "gemm_sm80 schedule expects math to be \"mma\", \"tf32\", "
                     "\"tf32x3\" or \"ffma\", got \"fp8\"");
  EXPECT_TRUE(failed(parse("lhs", b.getStringAttr("odd"))));
  EXPECT_EQ(message, "gemm_sm80 schedule expects lhs to be \"padded\" or "
                     "\"dense\", got \"odd\"");
  EXPECT_TRUE(failed(parse("swizzle", b.getI64IntegerAttr(2))));
  EXPECT_EQ(message, "gemm_sm80 schedule has no 'swizzle'");
}

TEST(GemmSm80Geometry, SaysWhatCannotBe) {
  ParsedFusion parsed = linearRelu(64, 64, 64, "bf16");
  std::string reason;
  auto shape = kernel::FusionShape::get(parsed.get(), &reason);
  ASSERT_TRUE(succeeded(shape));
  auto why = [&](auto change) {
    GemmSm80Schedule schedule;
    change(schedule);
    reason.clear();
    EXPECT_TRUE(failed(GemmSm80Geometry::get(*shape, schedule, &reason)));
    return reason;
  };
  using S = GemmSm80Schedule;
  EXPECT_THAT(why([](S &s) { s.math = GemmMath::Ffma; }), HasSubstr("dtype"));
  EXPECT_THAT(why([](S &s) { s.bm = 48; }), HasSubstr("multiples of 16x16"));
  EXPECT_THAT(why([](S &s) { s.bm = 256, s.bn = 256; }), HasSubstr("128 sums"));
  EXPECT_THAT(why([](S &s) { s.bk = 256; }), HasSubstr("bytes of K"));
  EXPECT_THAT(why([](S &s) { s.warpsK = 8; }),
              HasSubstr("does not divide among its warps"));
  EXPECT_THAT(why([](S &s) { s.splitK = 2; }), HasSubstr("too few stages"));
  EXPECT_THAT(why([](S &s) { s.warpsM = s.warpsN = 8; }),
              HasSubstr("1024 threads"));

  GemmSm80Schedule schedule;
  schedule.stages = 8;
  auto geometry = GemmSm80Geometry::get(*shape, schedule, &reason);
  ASSERT_TRUE(succeeded(geometry));
  EXPECT_THAT(geometry->misfit(profileOf("sm_90a")).value_or(""),
              HasSubstr("bytes of shared memory"));
  geometry->schedule.stages = 3;
  EXPECT_EQ(geometry->misfit(profileOf("sm_90a")), std::nullopt);
  geometry->schedule.programmatic = true;
  EXPECT_THAT(geometry->misfit(profileOf("sm_80")).value_or(""),
              HasSubstr("sm_90"));
}

TEST(GemmSm80Geometry, ForeseesSpills) {
  // Narrow copies with a tail of K: ptxas spills the largest tiles where a
  // stage has eight steps.
  ParsedFusion parsed = linearRelu(2048, 1280, 3420, "bf16");
  std::string reason;
  auto shape = kernel::FusionShape::get(parsed.get(), &reason);
  ASSERT_TRUE(succeeded(shape));
  GemmSm80Schedule schedule{{128, 256, 128, /*stages=*/2}};
  schedule.warpsN = 4;
  auto geometry = GemmSm80Geometry::get(*shape, schedule, &reason);
  ASSERT_TRUE(succeeded(geometry)) << reason;
  EXPECT_THAT(geometry->misfit(profileOf("sm_90a")).value_or(""),
              HasSubstr("registers"));
  schedule.bk = 64;
  geometry = GemmSm80Geometry::get(*shape, schedule, &reason);
  ASSERT_TRUE(succeeded(geometry)) << reason;
  EXPECT_EQ(geometry->misfit(profileOf("sm_90a")), std::nullopt);
}

TEST(GemmSm80Raster, EachTileOnce) {
  for (TileRaster raster :
       {TileRaster{7, 5, 2, 3, 3}, TileRaster{1, 9, 1, 1, 8},
        TileRaster{8, 2, 4, 1, 4}}) {
    std::set<std::array<int64_t, 4>> seen;
    for (int64_t block = 0; block != raster.blocks(); ++block) {
      auto [m, n, split, batch] = raster.locate(block);
      EXPECT_TRUE(m < raster.tilesM && n < raster.tilesN &&
                  split < raster.splits && batch < raster.batches);
      EXPECT_TRUE(seen.insert({m, n, split, batch}).second);
    }
  }
}

TEST(GemmSm80Family, OffersDistinctSchedulesForAnyShape) {
  const int64_t sizes[][3] = {
      {1, 1, 1},         {1, 11008, 4096},    {256, 1024, 1024}, {37, 513, 129},
      {560, 1280, 3420}, {2048, 16384, 4096}, {256, 1024, 0},    {0, 8, 8},
      {8, 0, 8},         {8192, 8192, 8192}};
  for (std::string arch : {"sm_80", "sm_89", "sm_90a"}) {
    DeviceProfile profile = profileOf(arch);
    for (auto [m, n, k] : sizes) {
      for (std::string dtype : {"f32", "bf16", "f16"}) {
        SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n) + "x" +
                     std::to_string(k) + dtype + arch);
        ParsedFusion parsed = linearRelu(m, n, k, dtype);
        EXPECT_EQ(family.reject(parsed.get(), profile), std::nullopt);
        auto offers = family.enumerate(parsed.get(), profile);
        ASSERT_FALSE(offers.empty());
        EXPECT_LE(offers.size(),
                  40u + maxShallowSchedules + maxClusterSchedules);
        std::set<std::string> names;
        bool hasFfma = false;
        for (size_t i = 0; i != offers.size(); ++i) {
          EXPECT_TRUE(names.insert(offers[i].name).second) << offers[i].name;
          EXPECT_TRUE(std::isfinite(offers[i].estimateUs));
          EXPECT_TRUE(i == 0 ||
                      offers[i - 1].estimateUs <= offers[i].estimateUs);
          ASSERT_EQ(offers[i].operandLayouts.size(), 3u);
          hasFfma |= offers[i].name.find("math=ffma") != std::string::npos;
          EXPECT_EQ(offers[i].name.find("math=tf32 "), std::string::npos)
              << "tf32 was not allowed";
        }
        EXPECT_EQ(hasFfma, dtype == "f32");
      }
    }
  }
}

/// Blocks of the next launches fit beside one that runs: two of them in all,
/// three, and four. Not where the blocks of one launch fill the device already.
TEST(GemmSm80Family, OffersFewerStagesToProgrammaticLaunches) {
  DeviceProfile profile = profileOf("sm_90a");
  auto stagesByTile = [&](int64_t m) {
    ParsedFusion parsed = linearRelu(m, 1024, 1024, "bf16");
    std::map<std::string, std::set<int64_t>> stages;
    for (const EstimatedSchedule &one : enumerateSchedules(
             *kernel::FusionShape::get(parsed.get(), nullptr), profile)) {
      GemmSm80Schedule schedule = one.schedule;
      if (schedule.programmatic) {
        schedule.stages = 2;
        stages[toString(schedule)].insert(one.schedule.stages);
      }
    }
    return stages;
  };
  std::string rest = " warps=1x2x2 stages=2 group=8 math=mma pdl=on";
  auto small = stagesByTile(256);
  EXPECT_THAT(small["gemm_sm80 32x64x64" + rest], ElementsAre(4, 6, 8));
  EXPECT_THAT(small["gemm_sm80 32x64x128" + rest], ElementsAre(3, 4, 8));
  auto large = stagesByTile(8192);
  EXPECT_FALSE(large.empty());
  for (const auto &[tile, stages] : large) {
    EXPECT_EQ(stages.size(), 1u) << tile;
  }
}

TEST(GemmSm80Family, Tf32WhereItIsAllowed) {
  ParsedFusion parsed = linearRelu(256, 1024, 1024, "f32");
  DeviceProfile profile = profileOf("sm_90a");
  profile.allowTf32 = true;
  auto offers = family.enumerate(parsed.get(), profile);
  EXPECT_THAT(offers.front().name, HasSubstr("math=tf32"));
}

TEST(GemmSm80Family, SaysWhyNot) {
  DeviceProfile profile = profileOf("sm_90a");
  std::string t = tensor({64, 64}, "f32");
  ParsedFusion pointwise(
      {t}, t, "%r = graph.relu %0 : " + t + "\nkernel.yield %r : " + t);
  EXPECT_THAT(family.reject(pointwise.get(), profile).value_or(""),
              HasSubstr("no linear or matmul"));
  profile.smVersion = 75;
  EXPECT_THAT(
      family.reject(linearRelu(8, 8, 8, "f32").get(), profile).value_or(""),
      HasSubstr("older than sm_80"));
}

/// What is offered for typical shapes assembles without spills, and uses the
/// instructions it is about.
TEST(GemmSm80Family, AssemblesWithoutSpills) {
  struct Case {
    int64_t m, n, k;
    std::string dtype, mma;
  };
  const Case cases[] = {
      {256, 1024, 1024, "bf16", "mma.sync.aligned.m16n8k16.row.col.f32.bf16"},
      {2048, 16384, 4096, "f16", "mma.sync.aligned.m16n8k16.row.col.f32.f16"},
      {256, 1024, 1024, "f32", "mma.sync.aligned.m16n8k8.row.col.f32.tf32"},
      {560, 1280, 3420, "bf16", "cp.async.ca.shared.global"},
  };
  for (std::string arch : {"sm_80", "sm_89", "sm_90a"}) {
    DeviceProfile profile = profileOf(arch);
    for (const Case &each : cases) {
      SCOPED_TRACE(each.dtype + arch);
      ParsedFusion parsed = linearRelu(each.m, each.n, each.k, each.dtype);
      std::string reason;
      auto shape = kernel::FusionShape::get(parsed.get(), &reason);
      ASSERT_TRUE(succeeded(shape));
      // All of them on one architecture, the best on the others.
      size_t limit = arch == "sm_90a" ? 40 : 6;
      auto schedules = enumerateSchedules(*shape, profile, limit);
      Assembled assembled = assemble<GemmSm80Geometry>(
          parsed.get(), ArrayRef(schedules), profile);
      EXPECT_THAT(assembled.ptx, HasSubstr(each.mma));
      EXPECT_THAT(assembled.ptx, HasSubstr("cp.async.cg.shared.global"));
      EXPECT_THAT(assembled.ptx,
                  HasSubstr("ldmatrix.sync.aligned.m8n8.x4.shared.b16"));
      EXPECT_THAT(assembled.ptx, Not(HasSubstr(".local")));
      if (!hasAssembler()) {
        continue;
      }
      EXPECT_EQ(assembled.resources.size(), schedules.size());
      for (const KernelResources &kernel : assembled.resources) {
        size_t number = std::stoul(kernel.entry.substr(strlen("kernel")));
        EXPECT_EQ(kernel.spillBytes, 0) << toString(schedules[number].schedule);
        EXPECT_EQ(kernel.stackBytes, 0) << toString(schedules[number].schedule);
      }
    }
  }
}

/// The same with ops before the product: long ones, another matrix, a cast.
TEST(GemmSm80Family, AssemblesProloguesWithoutSpills) {
  DeviceProfile profile = profileOf("sm_90a");
  for (std::string dtype : {"bf16", "f32"}) {
    std::string x = tensor({256, 1032}, "f32"), p = tensor({256, 1032}, dtype),
                v = tensor({1032}, "f32"), w = tensor({1024, 1032}, dtype),
                y = tensor({256, 1024}, dtype);
    std::string cast =
        dtype == "f32" ? "" : "%p = graph.cast %c : " + x + " to " + p + "\n";
    ParsedFusion parsed(
        {x, w, x, v}, y,
        "%a = graph.gelu %0 : " + x + "\n%b = graph.mul %a, %2 : (" + x + ", " +
            x + ") -> " + x + "\n%c = graph.mul %b, %3 : (" + x + ", " + v +
            ") -> " + x + "\n" + cast + "%y = graph.linear " +
            (cast.empty() ? "%c" : "%p") + ", %1 : (" + p + ", " + w + ") -> " +
            y + "\nkernel.yield %y : " + y);
    std::string reason;
    auto shape = kernel::FusionShape::get(parsed.get(), &reason);
    ASSERT_TRUE(succeeded(shape)) << reason;
    auto schedules = enumerateSchedules(*shape, profile, /*limit=*/16);
    ASSERT_FALSE(schedules.empty());
    Assembled assembled =
        assemble<GemmSm80Geometry>(parsed.get(), ArrayRef(schedules), profile);
    EXPECT_THAT(assembled.ptx, Not(HasSubstr(".local")));
    for (const KernelResources &kernel : assembled.resources) {
      size_t number = std::stoul(kernel.entry.substr(strlen("kernel")));
      EXPECT_EQ(kernel.spillBytes, 0) << toString(schedules[number].schedule);
      EXPECT_EQ(kernel.stackBytes, 0) << toString(schedules[number].schedule);
    }
  }
}

} // namespace
} // namespace minic::cuda
