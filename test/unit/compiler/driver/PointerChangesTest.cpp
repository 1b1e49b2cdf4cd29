// SPDX-License-Identifier: Apache-2.0
//
// From verdicts on changed pointers to the plan and to what people are told;
// where nothing was measured test/pipeline/pointer-changes.mlir says it.

#include "compiler/driver/PointerChanges.h"

#include "dialects/RegisterDialects.h"

#include "mlir/Parser/Parser.h"

#include "gmock/gmock.h"

namespace minic {
namespace {

const char *const text = R"(
  plan.function @main
      inputs [#plan.tensor_spec<name = "x", type = tensor<4x4xf32>, alignment = 64>,
              #plan.tensor_spec<name = "v", type = tensor<4x4xf32>, alignment = 64>]
      outputs [#plan.tensor_spec<name = "y", type = tensor<4x4xf32>, alignment = 64>]
      flops = 0 {
    plan.variant "cuda" isa ["sm_90a"] threads = 1
        attributes {arena_bytes = 256 : i64,
                    graph = #plan.graph_verdict<replay = REPLAY, graph_us = 9.0, stream_us = 10.0, graph_call_us = 20.0, stream_call_us = 22.0, when_idle_us = 0.0, when_idle_call_us = 0.0, run_us = 0.0>} prepare {
    } run {
      %x = plan.input 0
      %v = plan.input 1
      %y = plan.output 0
      plan.call <"cublas" "gemm"(
          lhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
          rhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
          result = <operand = 1, dtype = f32, dims = [4, 4], strides = [4, 1]>)
          attributes {compute = "f32"}>
        (%x, %y) access [#plan<access read>, #plan<access write>] {depends = array<i32>}
      plan.copy %y, %v bytes = 16 {depends = array<i32: 0>}
    }
  }
)";

tune::Verdict verdictOf(const char *key, double first, double second,
                        double firstCall, double secondCall) {
  auto compare = [](double first, double second) {
    double ratio = first / second;
    return tune::Comparison{first, second, ratio, 0.999 * ratio, 1.001 * ratio};
  };
  tune::Verdict verdict;
  verdict.plan = key;
  verdict.backToBack = compare(first, second);
  verdict.call = compare(firstCall, secondCall);
  return verdict;
}

class PointerChangesTest : public ::testing::Test {
protected:
  PointerChangesTest() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
  }
  /// Of a plan that replays as `replay` says, after setPointerChanges.
  std::string describe(const ModelVerdict &verdict,
                       const std::string &replay = "always") {
    std::string plan = text;
    plan.replace(plan.find("REPLAY"), 6, replay);
    module = mlir::parseSourceString<mlir::ModuleOp>(plan, &context);
    if (!module) {
      ADD_FAILURE() << "not parsed";
      return "";
    }
    setPointerChanges(*module, {{"main", verdict}});
    std::string said;
    module->walk([&](plan::VariantOp variant) {
      changes = variant.getGraphAttr().getPointerChanges();
      said = describePointerChanges(variant);
    });
    return said;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  plan::PointerChangesAttr changes;
};

TEST_F(PointerChangesTest, SaysWhatWasMeasured) {
  ModelVerdict verdict;
  verdict.pointers = verdictOf("p#pointers", 14, 12.5, 35, 31);
  verdict.update = verdictOf("p#update", 70, 9, 80, 20);
  EXPECT_EQ(
      describe(verdict),
      "v: patched\nx, y: launched kernel by kernel, 31.0 us a call, staged "
      "35.0 (back to back 12.5 and 14.0); updated after 6 runs on the "
      "same ones");
  ASSERT_TRUE(changes);
  EXPECT_FALSE(changes.getStage());
  EXPECT_EQ(changes.getRunsBeforeUpdate(), 6u);
  EXPECT_EQ(changes.getStageUs().getValueAsDouble(), 14);
  EXPECT_EQ(changes.getLaunchUs().getValueAsDouble(), 12.5);
  EXPECT_EQ(changes.getStageCallUs().getValueAsDouble(), 35);
  EXPECT_EQ(changes.getLaunchCallUs().getValueAsDouble(), 31);
  EXPECT_EQ(changes.getUpdateUs().getValueAsDouble(), 60);

  verdict.pointers = verdictOf("p#pointers", 10, 12, 80, 90);
  EXPECT_EQ(describe(verdict),
            "v: patched\nx, y: staged, 80.0 us a call, launched kernel by "
            "kernel 90.0 (back to back 10.0 and 12.0); updated after 1 run on "
            "the same ones");
}

TEST_F(PointerChangesTest, AnUpdateThatIsRefusedIsNeverDone) {
  ModelVerdict verdict;
  verdict.pointers = verdictOf("p#pointers", 10, 12, 25, 30);
  verdict.update.emplace().plan = "p#update";
  EXPECT_THAT(describe(verdict), ::testing::EndsWith("; never updated"));
  EXPECT_EQ(changes.getRunsBeforeUpdate(), 0u);
}

TEST_F(PointerChangesTest, SaysWhereNothingWasMeasured) {
  const char *expected = "v: patched\nx, y: staged, and updated to when they "
                         "come again (not measured)";
  EXPECT_EQ(describe({}), expected);
  ModelVerdict refused;
  refused.pointers.emplace().plan = "p#pointers";
  EXPECT_EQ(describe(refused), expected);
  EXPECT_FALSE(changes);
}

TEST_F(PointerChangesTest, OnlyAReplayedGraphHasThem) {
  ModelVerdict verdict;
  verdict.pointers = verdictOf("p#pointers", 14, 12, 35, 31);
  verdict.update = verdictOf("p#update", 70, 9, 80, 20);
  EXPECT_EQ(describe(verdict, "never"), "");
  EXPECT_FALSE(changes);
  EXPECT_NE(describe(verdict, "when_idle"), "");
  EXPECT_TRUE(changes);
}

} // namespace
} // namespace minic
