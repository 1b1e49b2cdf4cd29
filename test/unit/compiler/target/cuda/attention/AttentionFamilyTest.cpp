// SPDX-License-Identifier: Apache-2.0
//
// The family attention as the compiler sees it: what it takes and offers, and
// how schedules are written.

#include "compiler/target/cuda/attention/AttentionFamily.h"

#include "compiler/target/OfferFusion.h"
#include "compiler/target/cuda/attention/AttentionSchedule.h"
#include "compiler/target/cuda/attention/EnumerateAttention.h"
#include "test/unit/compiler/target/cuda/attention/AttentionCase.h"

#include <gmock/gmock.h>

using namespace mlir;
using testing::AllOf;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;
using testing::SizeIs;

namespace minic::cuda {
namespace {

AttentionCase prefill(int64_t batch, int64_t heads, int64_t length,
                      int64_t depth) {
  AttentionCase c;
  c.batch = batch;
  c.heads = c.keyHeads = heads;
  c.rows = c.keys = length;
  c.depth = c.valueDepth = depth;
  return c;
}

/// 32 heads that share 8 of a cache of 1024.
AttentionCase decode() {
  AttentionCase c = prefill(1, 32, 1024, 128);
  c.keyHeads = 8;
  c.rows = 1;
  c.lengthType = "i32";
  return c;
}

std::vector<Implementation> offersFor(const AttentionCase &c,
                                      const std::string &device) {
  ParsedFusion parsed(c.arguments(), c.results(), c.body());
  DeviceProfile profile = *getCudaProfile(device);
  EXPECT_EQ(AttentionFamily().reject(parsed.get(), profile), std::nullopt);
  return AttentionFamily().enumerate(parsed.get(), profile);
}

TEST(CudaAttentionFamily, OffersADozenSchedules) {
  for (const char *device : {"a100", "l4", "h200"}) {
    for (const AttentionCase &c :
         {prefill(8, 16, 512, 64), prefill(1, 32, 2048, 128),
          prefill(1, 3, 17, 40), prefill(1, 4, 100, 256), decode()}) {
      EXPECT_THAT(
          offersFor(c, device),
          SizeIs(AllOf(Ge(2), Le(device == std::string("h200") ? 16 : 12))))
          << device << " " << c.op();
    }
  }
}

TEST(CudaAttentionFamily, OffersBothFormsOnHopper) {
  auto isWgmma = [](const Implementation &offer) {
    return StringRef(offer.name).contains("wgmma");
  };
  for (const AttentionCase &c :
       {prefill(8, 16, 512, 64), prefill(1, 32, 2048, 128),
        prefill(1, 4, 100, 256)}) {
    std::vector<Implementation> offers = offersFor(c, "h200");
    EXPECT_THAT(llvm::count_if(offers, isWgmma),
                AllOf(Ge(4), Le(int64_t(offers.size()) - 4)))
        << c.op();
    EXPECT_TRUE(llvm::none_of(offersFor(c, "b200"), isWgmma));
  }
  EXPECT_TRUE(isWgmma(offersFor(prefill(1, 32, 2048, 128), "h200").front()));
  EXPECT_TRUE(llvm::none_of(offersFor(decode(), "h200"), isWgmma));
}

TEST(CudaAttentionFamily, OffersDoNotSpill) {
  AttentionCase causal = prefill(1, 32, 2048, 128);
  causal.causal = Causality::LowerRight;
  AttentionCase masked = prefill(1, 32, 2048, 128), added = masked;
  masked.maskType = "i1";
  masked.maskDims = {2048, 2048};
  added.maskType = "bf16";
  added.maskDims = {1, 32, 2048, 2048};
  added.causal = Causality::UpperLeft;
  for (const auto &[device, c] : {std::pair("h200", prefill(8, 16, 512, 64)),
                                  {"a100", causal},
                                  {"h200", causal},
                                  {"h200", masked},
                                  {"h200", added},
                                  {"h200", prefill(2, 8, 500, 96)},
                                  {"h200", prefill(1, 8, 1024, 256)},
                                  {"h200", decode()}}) {
    DeviceProfile profile = *getCudaProfile(device);
    ParsedFusion parsed(c.arguments(), c.results(), c.body());
    kernel::FusionOp fusion = parsed.get();
    prepareContext(*fusion.getContext());
    OwningOpRef<ModuleOp> module = ModuleOp::create(fusion.getLoc());
    std::string names;
    for (const Implementation &offer :
         AttentionFamily().enumerate(fusion, profile)) {
      implement(fusion, offer);
      LaunchRecorder plan(fusion.getContext());
      ASSERT_TRUE(succeeded(AttentionFamily().lower(fusion, plan)));
      auto kernel = cpu::onlyOp<plan::KernelOp>(*plan.module);
      auto entry = StringAttr::get(fusion.getContext(),
                                   "k" + std::to_string(names.size()));
      kernel.setEntriesAttr(ArrayAttr::get(fusion.getContext(), {entry}));
      ASSERT_TRUE(succeeded(AttentionFamily().emit(kernel, profile, *module)));
      names += entry.str() + ": " + offer.name + "\n";
    }
    auto ptx = emitPtx(*module, profile);
    ASSERT_TRUE(succeeded(ptx));
    std::vector<KernelResources> resources;
    ASSERT_TRUE(
        succeeded(assembleCubin(*ptx, profile.cpu, *module, &resources)));
    for (const KernelResources &kernel : resources) {
      EXPECT_FALSE(kernel.serializesWgmma) << kernel.entry << " of " << names;
      EXPECT_EQ(kernel.spillBytes, 0)
          << device << " " << kernel.entry << " of\n"
          << names << c.op();
    }
  }
}

TEST(CudaAttentionFamily, Estimates) {
  // Wanted of an H200 are 28 and, causal, 100 us.
  auto first = [](const AttentionCase &c) {
    return offersFor(c, "h200").front().estimateUs;
  };
  EXPECT_THAT(first(prefill(8, 16, 512, 64)), AllOf(Ge(15), Le(45)));
  AttentionCase causal = prefill(1, 32, 2048, 128);
  causal.causal = Causality::UpperLeft;
  EXPECT_THAT(first(causal), AllOf(Ge(60), Le(150)));
  EXPECT_LT(first(causal), 0.75 * first(prefill(1, 32, 2048, 128)));
  EXPECT_LT(first(prefill(1, 12, 128, 64)), 8);
  AttentionCase windowed = causal;
  windowed.window = 128;
  EXPECT_LT(first(windowed), 0.5 * first(causal));
}

TEST(CudaAttentionFamily, SplitsKeysOfFewRows) {
  Implementation offer = offersFor(decode(), "h200").front();
  EXPECT_THAT(offer.name, AllOf(HasSubstr("cluster="), HasSubstr(" packed")));
  EXPECT_LT(offer.estimateUs, 8);
}

TEST(CudaAttentionFamily, SaysWhatItDoesNotTake) {
  DeviceProfile profile = *getCudaProfile("a100");
  auto why = [&](const AttentionCase &c) {
    ParsedFusion parsed(c.arguments(), c.results(), c.body());
    return AttentionFamily().reject(parsed.get(), profile).value_or("");
  };
  AttentionCase c = prefill(1, 2, 16, 64);
  EXPECT_EQ(why(c), "");
  c.dtype = "f32";
  EXPECT_EQ(why(c), "query, key and value that are not all bf16 or all f16");
  EXPECT_EQ(why(prefill(1, 2, 16, 272)), "heads of more than 256 elements");
  EXPECT_EQ(why(prefill(1, 2, 16, 9)),
            "rows of query, key or value not aligned to 4 bytes");
  profile.smVersion = 75;
  EXPECT_EQ(why(prefill(1, 2, 16, 64)), "the GPU is older than sm_80");
}

TEST(CudaAttentionFamily, SaysWhatIsNoSchedule) {
  AttentionCase c = prefill(1, 2, 16, 64);
  ParsedFusion parsed(c.arguments(), c.results(), c.body());
  std::string said;
  ScopedDiagnosticHandler handler(
      parsed.get().getContext(),
      [&](Diagnostic &diagnostic) { said = diagnostic.str(); });
  auto lower = [&](const AttentionSchedule &schedule) {
    kernel::FusionOp fusion = parsed.get();
    implement(fusion, offerDense(fusion, "attention",
                                 toAttr(schedule, fusion.getContext()), ""));
    LaunchRecorder plan(fusion.getContext());
    EXPECT_TRUE(failed(AttentionFamily().lower(fusion, plan)));
    return said;
  };
  AttentionSchedule schedule;
  schedule.keyBlock = 40;
  EXPECT_THAT(lower(schedule), HasSubstr("attention expects a schedule"));
  schedule = {};
  schedule.warps = 8;
  schedule.keyWarps = 4;
  EXPECT_THAT(lower(schedule), HasSubstr("at most 256 threads"));
  // Clusters of one block, and of more than devices take.
  for (int64_t split : {1, 16}) {
    schedule = {};
    schedule.split = split;
    schedule.clustered = true;
    said.clear();
    EXPECT_THAT(lower(schedule), HasSubstr("clusters of at most 8 blocks"));
  }
  // Two warp groups that share keys; a stage that is copied to while it is
  // read; rows that no warp group has; clusters; weights of the keys before
  // without it.
  for (auto change : {+[](AttentionSchedule &s) { s.keyWarps = 2; },
                      +[](AttentionSchedule &s) { s.stages = 1; },
                      +[](AttentionSchedule &s) { s.warps = 6; },
                      +[](AttentionSchedule &s) {
                        s.split = 4;
                        s.clustered = true;
                      },
                      +[](AttentionSchedule &s) { s.wgmma = false; }}) {
    schedule = {};
    schedule.stages = 2;
    schedule.wgmma = schedule.ahead = true;
    change(schedule);
    said.clear();
    EXPECT_THAT(lower(schedule), HasSubstr("expects a schedule"));
  }
  AttentionCase narrow = prefill(1, 2, 16, 66);
  ParsedFusion other(narrow.arguments(), narrow.results(), narrow.body());
  ScopedDiagnosticHandler second(
      other.get().getContext(),
      [&](Diagnostic &diagnostic) { said = diagnostic.str(); });
  schedule = {};
  schedule.warps = 1;
  kernel::FusionOp fusion = other.get();
  implement(fusion, offerDense(fusion, "attention",
                               toAttr(schedule, fusion.getContext()), ""));
  LaunchRecorder plan(fusion.getContext());
  EXPECT_TRUE(failed(AttentionFamily().lower(fusion, plan)));
  EXPECT_THAT(said, HasSubstr("fewer threads than accesses of a row"));
  schedule.warps = 4;
  schedule.stages = 2;
  schedule.wgmma = true;
  implement(fusion, offerDense(fusion, "attention",
                               toAttr(schedule, fusion.getContext()), ""));
  EXPECT_TRUE(failed(AttentionFamily().lower(fusion, plan)));
  EXPECT_THAT(said, HasSubstr("too few threads to copy 8 rows at once"));
}

TEST(CudaAttentionFamily, ScheduleAsText) {
  MLIRContext context;
  AttentionSchedule schedule;
  schedule.warps = 2;
  schedule.rowTiles = 2;
  schedule.keyWarps = 4;
  schedule.split = 3;
  schedule.packs = schedule.programmatic = true;
  EXPECT_EQ(toString(schedule),
            "attention 64x64 warps=2x4 stages=1 split=3 packed pdl");
  AttentionSchedule groups;
  groups.warps = 8;
  groups.stages = 2;
  groups.wgmma = groups.ahead = true;
  EXPECT_EQ(toString(groups),
            "attention 128x64 warps=8x1 stages=2 wgmma ahead");
  auto parsed = parseAttentionSchedule(toAttr(schedule, &context),
                                       UnknownLoc::get(&context));
  ASSERT_TRUE(succeeded(parsed));
  EXPECT_EQ(toAttr(*parsed, &context), toAttr(schedule, &context));
}

} // namespace
} // namespace minic::cuda
