// SPDX-License-Identifier: Apache-2.0
//
// Attention of bf16 by every schedule, those with AMX among them.

#include "test/unit/compiler/target/cpu/attention/AttentionRun.h"
#include "test/unit/compiler/target/cpu/gemm_amx/AmxProfile.h"

namespace minic::cpu {
namespace {

// Tiles where the machine has them: depths that fill lines and do not, blocks
// and tiles that are cut, keys left out in each way.
TEST(AttentionTiles, EveryScheduleOfBf16) {
  for (int64_t depth : {40, 128}) {
    check({.batch = 2,
           .heads = 2,
           .keyHeads = 1,
           .rows = 50,
           .keys = 197,
           .depth = depth,
           .valueDepth = depth + 8,
           .dtype = "bf16",
           .hasLogSumExp = true},
          "", /*allSchedules=*/true);
  }
  check({.heads = 3,
         .keyHeads = 3,
         .rows = 77,
         .keys = 300,
         .depth = 40,
         .valueDepth = 24,
         .dtype = "bf16",
         .window = 90,
         .causal = "lower_right",
         .lengths = {203}},
        "", /*allSchedules=*/true);
  check({.heads = 2,
         .keyHeads = 2,
         .rows = 33,
         .keys = 77,
         .dtype = "bf16",
         .softCap = 2,
         .maskType = "bf16",
         .mask = {2, 33, 77}},
        "", /*allSchedules=*/true);
  check({.rows = 16,
         .keys = 600,
         .dtype = "bf16",
         .maskType = "i1",
         .mask = {600}},
        "", /*allSchedules=*/true);
}

// What the target has decides, not the machine that compiles.
TEST(AttentionTiles, TilesAreOfferedForCpusThatHaveThem) {
  AttentionTensors tensors({.rows = 64, .keys = 64, .dtype = "bf16"});
  auto offersTiles = [&](const AttentionTensors &of,
                         const DeviceProfile &profile) {
    ParsedFusion parsed(typesOf(of.inputs), of.resultTypes(), of.body());
    auto all = AttentionFamily().enumerate(parsed.get(), profile);
    for (const Implementation &each : all) {
      if (hasTiles(each)) {
        parsed.get().setImplAttr(each.impl);
        RecordingPlanBuilder plan(parsed.get().getContext());
        prepareContext(*parsed.get().getContext());
        EXPECT_TRUE(succeeded(AttentionFamily().lower(parsed.get(), plan)));
        mlir::OwningOpRef<mlir::ModuleOp> device =
            mlir::ModuleOp::create(parsed.get().getLoc());
        EXPECT_TRUE(succeeded(AttentionFamily().emit(
            onlyOp<plan::KernelOp>(*plan.module), profile, *device)));
        EXPECT_TRUE(succeeded(assemble(*device, profile)));
        // Not for another CPU.
        mlir::OwningOpRef<mlir::ModuleOp> other =
            mlir::ModuleOp::create(parsed.get().getLoc());
        mlir::ScopedDiagnosticHandler quiet(
            parsed.get().getContext(),
            [](mlir::Diagnostic &) { return mlir::success(); });
        EXPECT_TRUE(
            failed(AttentionFamily().emit(onlyOp<plan::KernelOp>(*plan.module),
                                          getCpuProfile(1, "v4"), *other)));
        return true;
      }
    }
    return false;
  };
  EXPECT_TRUE(offersTiles(tensors, amxProfile()));
  EXPECT_FALSE(offersTiles(tensors, getCpuProfile(1, "v4")));
  EXPECT_FALSE(
      offersTiles(AttentionTensors({.rows = 64, .keys = 64}), amxProfile()));
}

} // namespace
} // namespace minic::cpu
