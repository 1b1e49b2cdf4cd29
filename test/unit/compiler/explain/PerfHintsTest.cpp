// SPDX-License-Identifier: Apache-2.0
//
// Hints that depend on what a CPU can do; others are in
// test/tools/minic/log.test.

#include "compiler/explain/PerfHints.h"

#include "dialects/RegisterDialects.h"

#include "mlir/Parser/Parser.h"

#include "gmock/gmock.h"

namespace minic {
namespace {

using ::testing::EndsWith;

/// What is logged of a linear in f16 on a CPU with `features`.
std::string hintsWith(std::vector<std::string> features) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
func.func @main(%x: tensor<64x64xf16>, %w: tensor<64x64xf16>)
    -> tensor<64x64xf16> {
  %0 = kernel.fusion (%a = %x : tensor<64x64xf16>,
                      %b = %w : tensor<64x64xf16>) -> tensor<64x64xf16> {
    %1 = graph.linear %a, %b
      : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
    kernel.yield %1 : tensor<64x64xf16>
  }
  return %0 : tensor<64x64xf16>
})",
                                                        &context);
  if (!module) {
    ADD_FAILURE() << "not parsed";
    return "";
  }
  DeviceProfile profile;
  profile.target = "cpu";
  profile.features = std::move(features);
  CompileOptions options;
  options.log.enable(LogTopic::PerfHints);
  ::testing::internal::CaptureStderr();
  logPerfHints(*module, profile, options);
  return ::testing::internal::GetCapturedStderr();
}

TEST(PerfHintsTest, SaysWhatACpuDoesWithF16) {
  EXPECT_THAT(hintsWith({"+avx512f"}),
              EndsWith("f16 is converted to f32 on this CPU\n"));
  EXPECT_THAT(hintsWith({"+avx512f", "+avx512bf16"}),
              EndsWith("f16 is converted to f32 on this CPU; bf16 has its own "
                       "instruction\n"));
  // Its products are rounded to f16, so no kernel uses them.
  EXPECT_THAT(hintsWith({"+avx512f", "+avx512fp16"}),
              EndsWith("f16 is converted to f32 on this CPU\n"));
}

} // namespace
} // namespace minic
