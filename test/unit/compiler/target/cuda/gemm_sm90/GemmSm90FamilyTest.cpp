// SPDX-License-Identifier: Apache-2.0
//
// The family gemm_sm90 as the compiler sees it: what it takes, what it offers,
// how schedules are written, and what the assembler says of its kernels.

#include "compiler/target/cuda/gemm_sm90/GemmSm90Family.h"

#include "compiler/target/cuda/gemm_sm90/EmitGemm.h"
#include "compiler/target/cuda/gemm_sm90/EnumerateSchedules.h"
#include "test/unit/compiler/target/cuda/gemm/GemmFamilyCases.h"

#include "mlir/IR/Diagnostics.h"

#include <gmock/gmock.h>

#include <cmath>
#include <set>

using namespace mlir;

namespace minic::cuda {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const GemmSm90Family family;

TEST(GemmSm90Schedule, AttributeRoundTrip) {
  MLIRContext context;
  GemmSm90Schedule schedule{{64, 96, 32, 5, 6, 7, true, true, true}, 1, 2, 4};
  auto parsed = parseGemmSm90Schedule(toAttribute(schedule, &context),
                                      UnknownLoc::get(&context));
  ASSERT_TRUE(succeeded(parsed));
  EXPECT_EQ(*parsed, schedule);
  EXPECT_EQ(toString(schedule),
            "gemm_sm90 64x96x32 warpgroups=1x2x4 stages=5 cluster=6 group=7 "
            "lhs=padded pdl=on");
  GemmSm90Schedule tma;
  tma.tma = true;
  tma.multicastM = 2;
  parsed = parseGemmSm90Schedule(toAttribute(tma, &context),
                                 UnknownLoc::get(&context));
  ASSERT_TRUE(succeeded(parsed));
  EXPECT_EQ(*parsed, tma);
  EXPECT_EQ(toString(tma), "gemm_sm90 128x128x64 warpgroups=2x1 stages=3 "
                           "group=8 copies=tma multicast=2x1");
  GemmSm90Schedule evicting;
  evicting.evictsResults = true;
  parsed = parseGemmSm90Schedule(toAttribute(evicting, &context),
                                 UnknownLoc::get(&context));
  ASSERT_TRUE(succeeded(parsed));
  EXPECT_EQ(*parsed, evicting);
  EXPECT_EQ(toString(evicting), "gemm_sm90 128x128x64 warpgroups=2x1 stages=3 "
                                "group=8 results=evict_first");
  EXPECT_EQ(toString(GemmSm90Schedule()),
            "gemm_sm90 128x128x64 warpgroups=2x1 stages=3 group=8");
}

TEST(GemmSm90Schedule, RejectsWhatItDoesNotKnow) {
  MLIRContext context;
  Builder b(&context);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  auto parse = [&](StringRef key, Attribute value) {
    return parseGemmSm90Schedule(
        b.getDictionaryAttr(b.getNamedAttr(key, value)),
        UnknownLoc::get(&context));
  };
  EXPECT_TRUE(failed(parse("bm", b.getI64IntegerAttr(96))));
  EXPECT_EQ(message, "gemm_sm90 schedule expects bm in [64, 256] and a "
                     "multiple of 64, got 96 : i64");
  EXPECT_TRUE(failed(parse("bk", b.getI64IntegerAttr(128))));
  EXPECT_EQ(message, "gemm_sm90 schedule expects bk in [16, 64] and a power of "
                     "two, got 128 : i64");
  EXPECT_TRUE(failed(parse("stages", b.getI64IntegerAttr(2))));
  EXPECT_EQ(message,
            "gemm_sm90 schedule expects stages in [3, 16], got 2 : i64");
  EXPECT_TRUE(failed(parse("pdl", b.getI64IntegerAttr(1))));
  EXPECT_EQ(message, "gemm_sm90 schedule expects pdl to be \"on\" or \"off\", "
                     "got 1 : i64");
  EXPECT_TRUE(failed(parse("copies", b.getStringAttr("tmi"))));
  EXPECT_EQ(message, "gemm_sm90 schedule expects copies to be \"tma\" or "
                     "\"cp.async\", got \"tmi\"");
  EXPECT_TRUE(failed(parse("multicast", b.getStringAttr("4x1"))));
  EXPECT_EQ(message, "gemm_sm90 schedule expects multicast to be \"1x1\", "
                     "\"2x1\" or \"1x2\", got \"4x1\"");
  EXPECT_TRUE(failed(parse("results", b.getStringAttr("gone"))));
  EXPECT_EQ(message, "gemm_sm90 schedule expects results to be "
                     "\"evict_first\" or \"evict_normal\", got \"gone\"");
  EXPECT_TRUE(failed(parse("math", b.getStringAttr("mma"))));
  EXPECT_EQ(message, "gemm_sm90 schedule has no 'math'");
}

TEST(GemmSm90Geometry, SaysWhatCannotBe) {
  ParsedFusion parsed = linearRelu(64, 64, 63, "bf16");
  std::string reason;
  auto shape = kernel::FusionShape::get(parsed.get(), &reason);
  ASSERT_TRUE(succeeded(shape));
  auto why = [&](auto change) {
    GemmSm90Schedule schedule;
    schedule.padLhs = true;
    change(schedule);
    reason.clear();
    EXPECT_TRUE(failed(GemmSm90Geometry::get(*shape, schedule, &reason)));
    return reason;
  };
  using S = GemmSm90Schedule;
  EXPECT_THAT(why([](S &s) { s.bm = 64; }), HasSubstr("multiples of 64x8"));
  EXPECT_THAT(why([](S &s) { s.bn = 16, s.warpGroupsN = 3; }),
              HasSubstr("multiples of 64x8"));
  EXPECT_THAT(why([](S &s) { s.bm = 256, s.bn = 160; }),
              HasSubstr("more sums in a thread"));
  EXPECT_THAT(why([](S &s) { s.teamRegisters = 240; }),
              HasSubstr("only the teams of a ping-pong"));
  EXPECT_THAT(why([](S &s) { s.bk = 16, s.warpGroupsK = 2; }),
              HasSubstr("does not divide among its warp groups"));
  EXPECT_THAT(why([](S &s) { s.bn = 32, s.warpGroupsK = s.warpGroupsN = 4; }),
              HasSubstr("1024 threads"));
  EXPECT_THAT(why([](S &s) { s.splitK = 2; }), HasSubstr("too few stages"));
  EXPECT_THAT(why([](S &s) { s.padLhs = false; }), HasSubstr("lhs=padded"));
  EXPECT_THAT(why([](S &s) { s.padLhs = false, s.tma = true; }),
              HasSubstr("rows of a multiple of 16 bytes"));
  EXPECT_THAT(why([](S &s) { s.multicastM = 2; }),
              HasSubstr("multicast is of copies by TMA"));
  EXPECT_THAT(why([](S &s) { s.tma = true, s.bk = 32; }),
              HasSubstr("64 elements of K"));
  EXPECT_THAT(why([](S &s) { s.tma = true, s.multicastM = 2; }),
              HasSubstr("along M do not divide among clusters"));
  EXPECT_THAT(why([](S &s) { s.tma = true, s.multicastN = 2; }),
              HasSubstr("along N do not divide among clusters"));

  GemmSm90Schedule schedule;
  schedule.padLhs = true;
  auto geometry = GemmSm90Geometry::get(*shape, schedule, &reason);
  ASSERT_TRUE(succeeded(geometry)) << reason;
  EXPECT_EQ(geometry->misfit(profileOf("sm_90a")), std::nullopt);
  geometry->schedule.stages = 16;
  EXPECT_THAT(geometry->misfit(profileOf("sm_90a")).value_or(""),
              HasSubstr("bytes of shared memory"));
}

/// wgmma is of one architecture, whatever may follow it.
TEST(GemmSm90Family, IsForHopperOnly) {
  ParsedFusion parsed = linearRelu(256, 1024, 1024, "bf16");
  EXPECT_EQ(family.reject(parsed.get(), profileOf("sm_90a")), std::nullopt);
  for (std::string arch : {"sm_80", "sm_89", "sm_90", "compute_90", "sm_100a",
                           "sm_120a", "compute_80"}) {
    EXPECT_EQ(family.reject(parsed.get(), profileOf(arch)),
              "the GPU is not sm_90a")
        << arch;
  }
}

TEST(GemmSm90Family, SaysWhyNot) {
  DeviceProfile profile = profileOf("sm_90a");
  auto why = [&](ParsedFusion &&parsed) {
    return family.reject(parsed.get(), profile).value_or("");
  };
  EXPECT_EQ(why(linearRelu(32, 64, 64, "bf16")), "fewer than 33 rows");
  EXPECT_EQ(why(linearRelu(64, 64, 64, "f32")),
            "operands that are not both bf16 or f16");
  std::string t = tensor({64, 64}, "bf16");
  EXPECT_EQ(
      why(ParsedFusion(
          {t}, t, "%r = graph.relu %0 : " + t + "\nkernel.yield %r : " + t)),
      "no linear or matmul in the body");
}

/// Blocks of the next launch fit beside one that runs, also where TMA copies.
TEST(GemmSm90Family, OffersFewerStagesToProgrammaticLaunches) {
  ParsedFusion parsed = linearRelu(512, 3072, 768, "bf16");
  std::vector<std::string> names;
  for (const auto &offer :
       family.enumerate(parsed.get(), profileOf("sm_90a"))) {
    names.push_back(offer.name);
  }
  for (const char *copies : {"", " copies=tma"}) {
    for (int stages : {4, 8}) {
      EXPECT_THAT(names, Contains("gemm_sm90 128x96x64 warpgroups=2x1 stages=" +
                                  std::to_string(stages) + " group=8" + copies +
                                  " pdl=on"));
    }
  }
}

TEST(GemmSm90Family, OffersDistinctSchedulesForAnyShape) {
  const int64_t sizes[][3] = {{33, 1, 1},          {256, 1024, 1024},
                              {37, 513, 129},      {2048, 1280, 3420},
                              {2048, 4096, 16384}, {256, 1024, 0},
                              {64, 0, 8},          {8192, 8192, 8192}};
  DeviceProfile profile = profileOf("sm_90a");
  for (auto [m, n, k] : sizes) {
    for (std::string dtype : {"bf16", "f16"}) {
      SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n) + "x" +
                   std::to_string(k) + dtype);
      ParsedFusion parsed = linearRelu(m, n, k, dtype);
      EXPECT_EQ(family.reject(parsed.get(), profile), std::nullopt);
      auto offers = family.enumerate(parsed.get(), profile);
      ASSERT_FALSE(offers.empty());
      EXPECT_LE(offers.size(), 28u + maxClusterSchedules + maxTmaSchedules +
                                   maxMulticastSchedules +
                                   maxPingPongSchedules + maxKeepingSchedules);
      EXPECT_FALSE(StringRef(offers[0].name).contains("multicast"));
      std::set<std::string> names;
      for (size_t i = 0; i != offers.size(); ++i) {
        EXPECT_TRUE(names.insert(offers[i].name).second) << offers[i].name;
        EXPECT_TRUE(std::isfinite(offers[i].estimateUs));
        EXPECT_TRUE(i == 0 || offers[i - 1].estimateUs <= offers[i].estimateUs);
        ASSERT_EQ(offers[i].operandLayouts.size(), 3u);
      }
    }
  }
}

/// Blocks that stay keep rhs: all of it where tiles have all columns, with
/// eight stages, or that of one column of tiles, also of a K of several stages.
TEST(GemmSm90Family, OffersBlocksThatKeepRhs) {
  auto namesOf = [](int64_t m, int64_t n, int64_t k) {
    ParsedFusion parsed = linearRelu(m, n, k, "bf16");
    std::vector<std::string> names;
    for (auto &offer : family.enumerate(parsed.get(), profileOf("sm_90a"))) {
      names.push_back(offer.name);
    }
    return names;
  };
  EXPECT_THAT(namesOf(100352, 256, 64),
              Contains("gemm_sm90 64x256x64 warpgroups=1x1 stages=8 group=8 "
                       "copies=tma pingpong=132 rhs=kept pdl=on"));
  EXPECT_THAT(namesOf(100352, 256, 64),
              Contains("gemm_sm90 64x128x64 warpgroups=1x1 stages=8 group=1 "
                       "copies=tma pingpong=132 rhs=kept pdl=on"));
  EXPECT_THAT(namesOf(6272, 128, 576),
              Contains("gemm_sm90 64x64x64 warpgroups=1x1 stages=8 group=1 "
                       "copies=tma pingpong=132 rhs=kept pdl=on"));
}

/// Results of 51 MB leave L2, of 60 MiB, before operands, also in the best
/// estimate, where blocks keep rhs; those of 1.6 MB never do.
TEST(GemmSm90Family, OffersResultsThatLeaveL2First) {
  DeviceProfile profile = profileOf("sm_90a");
  profile.l2Bytes = 60 << 20;
  auto offersOf = [&](int64_t m) {
    ParsedFusion parsed = linearRelu(m, 256, 64, "bf16");
    return family.enumerate(parsed.get(), profile);
  };
  auto evicts = [](const Implementation &offer) {
    return StringRef(offer.name).contains(" results=evict_first");
  };
  std::vector<Implementation> large = offersOf(100352);
  EXPECT_TRUE(evicts(large.front())) << large.front().name;
  EXPECT_GT(llvm::count_if(large, evicts), 4);
  EXPECT_EQ(llvm::count_if(offersOf(3136), evicts), 0);
}

/// 128 blocks on 132 SMs, which read rows of 6840 bytes as they are.
TEST(GemmSm90Family, FillsTheDeviceWithWideTiles) {
  ParsedFusion parsed = linearRelu(2048, 1280, 3420, "bf16");
  auto offers = family.enumerate(parsed.get(), profileOf("sm_90a"));
  offers.resize(4);
  std::vector<std::string> names;
  for (const Implementation &offer : offers) {
    EXPECT_TRUE(isa<UnitAttr>(offer.operandLayouts[0])) << offer.name;
    names.push_back(offer.name);
  }
  EXPECT_THAT(names, Contains(HasSubstr("128x160x64 warpgroups=2x1 ")));
}

/// Behind the others, and none where TMA cannot read rows of lhs.
TEST(GemmSm90Family, OffersCopiesByTma) {
  auto count = [](int64_t m, int64_t n, int64_t k, StringRef text) {
    ParsedFusion parsed = linearRelu(m, n, k, "bf16");
    return llvm::count_if(
        family.enumerate(parsed.get(), profileOf("sm_90a")),
        [&](const Implementation &offer) {
          return StringRef(offer.name).contains(text) &&
                 StringRef(offer.kind).starts_with("gemm_sm90_tma ");
        });
  };
  EXPECT_GE(count(512, 2304, 768, "copies=tma"), 8);
  EXPECT_GE(count(512, 768, 3072, "copies=tma"), 8);
  EXPECT_EQ(count(4096, 3072, 768, " pingpong=132"), 4);
  EXPECT_EQ(count(512, 768, 3072, " pingpong="), 0);
  EXPECT_GE(count(4096, 3072, 768, " multicast=2x1"), 1);
  EXPECT_EQ(count(64, 64, 768, " multicast="), 0);
  EXPECT_GE(count(512, 512, 767, "copies=tma lhs=padded"), 1);
  EXPECT_EQ(count(512, 512, 767, "copies=tma"),
            count(512, 512, 767, "copies=tma lhs=padded"));
  EXPECT_EQ(count(256, 1024, 0, "copies=tma"), 0);
}

/// What is offered for typical shapes assembles without spills, and the
/// assembler does not make a wgmma wait for the one before.
TEST(GemmSm90Family, AssemblesWithoutSpills) {
  struct Case {
    int64_t m, n, k;
    std::string dtype, copy;
  };
  const Case cases[] = {
      {256, 1024, 1024, "bf16", "cp.async.cg.shared.global"},
      {2048, 4096, 16384, "f16", "cp.async.cg.shared.global"},
      {2048, 1280, 3420, "bf16", "cp.async.ca.shared.global"},
      {1000, 1544, 1098, "bf16", "cp.async.ca.shared.global"},
      {560, 1280, 3420, "bf16", "cp.async.ca.shared.global"},
  };
  DeviceProfile profile = profileOf("sm_90a");
  for (const Case &each : cases) {
    SCOPED_TRACE(std::to_string(each.m));
    ParsedFusion parsed = linearRelu(each.m, each.n, each.k, each.dtype);
    std::string reason;
    auto shape = kernel::FusionShape::get(parsed.get(), &reason);
    ASSERT_TRUE(succeeded(shape));
    auto schedules = enumerateSm90Schedules(*shape, profile);
    Assembled assembled =
        assemble<GemmSm90Geometry>(parsed.get(), ArrayRef(schedules), profile);
    EXPECT_THAT(assembled.ptx, HasSubstr("wgmma.mma_async.sync.aligned.m64n"));
    EXPECT_THAT(assembled.ptx, HasSubstr(each.copy));
    EXPECT_THAT(assembled.ptx, Not(HasSubstr(".local")));
    EXPECT_EQ(assembled.resources.size(),
              hasAssembler() ? schedules.size() : 0);
    for (const KernelResources &kernel : assembled.resources) {
      size_t number = std::stoul(kernel.entry.substr(strlen("kernel")));
      const GemmSm90Schedule &schedule = schedules[number].schedule;
      SCOPED_TRACE(toString(schedule));
      EXPECT_EQ(kernel.spillBytes, 0);
      EXPECT_EQ(kernel.stackBytes, 0);
      EXPECT_FALSE(kernel.serializesWgmma);
    }
  }
}

} // namespace
} // namespace minic::cuda
