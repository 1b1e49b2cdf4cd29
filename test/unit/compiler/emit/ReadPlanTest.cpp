// SPDX-License-Identifier: Apache-2.0
//
// A plan that goes through the artifact comes back the same.

#include "compiler/emit/ReadPlan.h"
#include "compiler/emit/EmitArtifact.h"
#include "dialects/RegisterDialects.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace minic {
namespace {

// Every kind of address, command, parameter and constant.
const char *const plan = R"(
  plan.constant @dense : tensor<3x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  plan.constant @packed
    : tensor<3x5xbf16, #kernel.layout<order = [0, 1], blocks = [[0, 2], [1, 4]], padded = [4, 8]>>
    = dense<[[1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0], [11.0, 12.0, 13.0, 14.0, 15.0]]> : tensor<3x5xbf16>
  plan.constant @bits : tensor<5xi1> = dense<[true, false, false, true, true]> : tensor<5xi1>
  plan.constant @splat : tensor<7xi64> = dense<-3> : tensor<7xi64>
  plan.constant @outside : tensor<2x2xf32>
  plan.binary @device "cubin" "sm_90a" = dense<[127, 69, 76, 70, 1]> : tensor<5xi8>
  plan.binary @kernels "elf_shared_object" "x86-64-v4" = dense<[127, 69, 76, 70, 2]> : tensor<5xi8>
  plan.function @main
      inputs [#plan.tensor_spec<name = "x", type = tensor<3x2xf32>, alignment = 64>,
              #plan.tensor_spec<name = "mask", type = tensor<3x2xi1>, alignment = 16>]
      outputs [#plan.tensor_spec<name = "y", type = tensor<3x2xf32>, alignment = 64>,
               #plan.tensor_spec<name = "z", type = tensor<3x2xi1>, alignment = 64, in_place = 1 : i64>]
      flops = 42 {
    plan.variant "cpu" isa ["avx2", "fma"] threads = 2
        attributes {arena_bytes = 256 : i64, evidence = "{}"} prepare {
    } run {
      %x = plan.input 0
      %y = plan.output 0
      %w = plan.constant_address @dense
      %a = plan.buffer 64 {offset = 0 : i64}
      %b = plan.buffer 128 {offset = 64 : i64}
      %v = plan.view %a + 24
      plan.fill %a value = 255 bytes = 64 {label = "poison", depends = array<i32>}
      plan.copy %v, %x bytes = 24 {depends = array<i32: 0>}
      plan.launch "kernel_a" grid [3] (%x, %w, %v) access [#plan<access read>, #plan<access read>, #plan<access write>]
        scratch %b {binary = @kernels, scalars = array<i64: 7, -1>, scratch_bytes = 64 : i64, label = "a", depends = array<i32: 1>}
      plan.call <"onednn" "matmul"(
          lhs = <operand = 0, dtype = f32, dims = [3, 2], strides = [2, 1]>,
          rhs = <operand = 1, dtype = f32, dims = [2, 2], strides = [1, 2]>,
          result = <operand = 2, dtype = f32, dims = [3, 2], strides = [2, 1]>)
          attributes {pack_rhs = 1 : i64}
          epilogue [#plan.eltwise<kind = "relu", alpha = 0.0 : f32, beta = 0.0 : f32>,
                    #plan.binary<kind = "add", operand = <operand = 3, dtype = f32, dims = [3, 2], strides = [2, 1]>>]>
        (%v, %w, %y, %x) access [#plan<access read>, #plan<access read>, #plan<access write>, #plan<access read>]
        {library_version = "2.6.3", depends = array<i32: 2>}
      plan.call <"onednn" "convolution"(
          input = <operand = 0, dtype = f32, dims = [1, 1, 3, 2], strides = [6, 6, 2, 1]>,
          filter = <operand = 1, dtype = f32, dims = [1, 1, 3, 2], strides = [6, 6, 2, 1]>,
          bias = <operand = 2, dtype = f32, dims = [1], strides = [1]>,
          result = <operand = 3, dtype = f32, dims = [1, 1, 2, 1], strides = [2, 2, 1, 1]>)
          attributes {strides = array<i64: 2, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 2, 0>,
                      dilations = array<i64: 1, 1>, groups = 1 : i64, pack_filter = 1 : i64}
          epilogue [#plan.eltwise<kind = "relu", alpha = 0.0 : f32, beta = 0.0 : f32>]>
        (%x, %w, %w, %y) access [#plan<access read>, #plan<access read>, #plan<access read>, #plan<access write>]
        scratch %b {scratch_bytes = 128 : i64, depends = array<i32: 3>}
    }
    plan.variant "cuda" isa ["sm_90a"] threads = 1
        attributes {arena_bytes = 512 : i64, zeroed_bytes = 256 : i64, status = 64 : i64,
                    graph = #plan.graph_verdict<replay = when_idle, graph_us = 3.5, stream_us = 4.25, graph_call_us = 8.5, stream_call_us = 10.5, when_idle_us = 4.5, when_idle_call_us = 8.75, run_us = 6.0,
                      pointer_changes = <stage = true, runs_before_update = 12, stage_us = 5.5, launch_us = 6.25, stage_call_us = 12.5, launch_call_us = 13.5, update_us = 80.25>>} prepare {
    } run {
      %x = plan.input 0
      %y = plan.output 0
      %w = plan.constant_address @dense
      %a = plan.buffer 256 {offset = 0 : i64}
      %b = plan.buffer 256 {offset = 256 : i64}
      plan.launch "kernel_b" grid [4, 6] (%x, %b) access [#plan<access read>, #plan<access write>]
        {binary = @device, block = array<i64: 32, 4>, cluster = array<i64: 2, 2>, shared_bytes = 1024 : i64,
         programmatic, depends = array<i32>}
      plan.call <"cublas" "gemm"(
          lhs = <operand = 0, dtype = f32, dims = [3, 2], strides = [2, 1]>,
          rhs = <operand = 1, dtype = f32, dims = [2, 2], strides = [1, 2]>,
          result = <operand = 2, dtype = f32, dims = [3, 2], strides = [2, 1]>)
          attributes {compute = "tf32"}>
        (%x, %w, %y) access [#plan<access read>, #plan<access read>, #plan<access write>]
        {library_version = "13.1", depends = array<i32: 0>}
      plan.call <"cublaslt" "matmul"(
          lhs = <operand = 0, dtype = f32, dims = [3, 2], strides = [2, 1]>,
          rhs = <operand = 1, dtype = f32, dims = [2, 2], strides = [1, 2]>,
          bias = <operand = 2, dtype = f32, dims = [2], strides = [1]>,
          addend = <operand = 3, dtype = f32, dims = [3, 2], strides = [2, 1]>,
          result = <operand = 4, dtype = f32, dims = [3, 2], strides = [2, 1]>,
          aux = <operand = 5, dtype = f32, dims = [3, 2], strides = [4, 1]>)
          attributes {compute = "f32"}
          epilogue [#plan.eltwise<kind = "gelu_tanh", alpha = 0.0 : f32, beta = 0.0 : f32>]
          algorithm "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1ff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff00000000000000000000000000000000">
        (%x, %w, %w, %x, %y, %a) access [#plan<access read>, #plan<access read>, #plan<access read>,
                                         #plan<access read>, #plan<access write>, #plan<access write>]
        scratch %b {scratch_bytes = 256 : i64, library_version = "13.1.0", depends = array<i32: 1>}
      plan.call <"cudnn" "convolution"(
          input = <operand = 0, dtype = f32, dims = [1, 1, 3, 2], strides = [6, 6, 2, 1]>,
          filter = <operand = 1, dtype = f32, dims = [1, 1, 1, 1], strides = [1, 1, 1, 1]>,
          bias = <operand = 1, dtype = f32, dims = [1, 1, 1, 1], strides = [1, 1, 1, 1]>,
          addend = <operand = 0, dtype = f32, dims = [1, 1, 3, 2], strides = [6, 6, 2, 1]>,
          result = <operand = 2, dtype = f32, dims = [1, 1, 3, 2], strides = [6, 6, 2, 1]>)
          attributes {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>,
                      dilations = array<i64: 1, 1>, groups = 1 : i64, compute = "tf32"}
          epilogue [#plan.eltwise<kind = "relu", alpha = 0.0 : f32, beta = 0.0 : f32>]
          algorithm "eng38_k2=5_k13=1">
        (%x, %w, %y) access [#plan<access read>, #plan<access read>, #plan<access write>]
        {library_version = "9.14", depends = array<i32: 2>}
      plan.call <"cudnn" "matmul"(
          lhs = <operand = 0, dtype = f32, dims = [1, 3, 2], strides = [6, 2, 1]>,
          rhs = <operand = 1, dtype = f32, dims = [1, 2, 2], strides = [4, 1, 2]>,
          bias = <operand = 1, dtype = f32, dims = [2], strides = [1]>,
          result = <operand = 2, dtype = f32, dims = [1, 3, 2], strides = [6, 2, 1]>)
          attributes {compute = "f32"}>
        (%x, %w, %y) access [#plan<access read>, #plan<access read>, #plan<access write>]
        scratch %b {scratch_bytes = 64 : i64, depends = array<i32: 3>}
    }
  }
)";

class ReadPlanTest : public ::testing::Test {
protected:
  ReadPlanTest() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }
  mlir::MLIRContext context;
};

TEST_F(ReadPlanTest, EmitsTheSameBytesAgain) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(plan, &context);
  ASSERT_TRUE(module);
  EmitOptions options;
  options.weightsPath = "w.safetensors";
  options.weightsHash = "0123456789abcdef";
  options.model = "bytecode";
  auto first = serializePlan(*module, options);
  ASSERT_TRUE(mlir::succeeded(first));
  auto artifact = format::ArtifactReader::copy(*first, "first");
  ASSERT_TRUE(artifact.ok()) << artifact.status();

  auto again = readPlan(*artifact, context, /*withValues=*/true);
  ASSERT_TRUE(mlir::succeeded(mlir::verify(*again)));
  auto second = serializePlan(*again, options);
  ASSERT_TRUE(mlir::succeeded(second));
  EXPECT_TRUE(*first == *second);
}

TEST_F(ReadPlanTest, EmitsConstantsInTheirLayout) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(plan, &context);
  auto bytes = serializePlan(*module, {});
  auto artifact = format::ArtifactReader::copy(*bytes, "first");
  ASSERT_TRUE(artifact.ok()) << artifact.status();
  // [3, 5] in blocks of 2 x 4, padded to [4, 8]: 32 elements of two bytes.
  auto packed = artifact->constant(1);
  ASSERT_EQ(packed.size(), 64u);
  const auto *values = reinterpret_cast<const uint16_t *>(packed.data());
  auto bf16 = [](float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return static_cast<uint16_t>(bits >> 16);
  };
  EXPECT_EQ(values[0], bf16(1));   // row 0, column 0
  EXPECT_EQ(values[3], bf16(4));   // row 0, column 3
  EXPECT_EQ(values[4], bf16(6));   // row 1, column 0
  EXPECT_EQ(values[8], bf16(5));   // row 0, column 4: next block
  EXPECT_EQ(values[9], 0);         // padding
  EXPECT_EQ(values[16], bf16(11)); // row 2: next block of rows
  EXPECT_EQ(static_cast<int>(artifact->constant(2)[0]), 1);
  EXPECT_EQ(static_cast<int>(artifact->constant(2)[1]), 0);
}

TEST_F(ReadPlanTest, RefusesAnUnfinishedPlan) {
  mlir::ScopedDiagnosticHandler quiet(
      &context, [](mlir::Diagnostic &) { return mlir::success(); });
  const char *const unfinished = R"(
    plan.function @main inputs [] outputs [] flops = 0 {
      plan.variant "cpu" isa [] threads = 1 prepare {} run {
        %a = plan.buffer 64
        plan.fill %a value = 0 bytes = 64
      }
    }
  )";
  auto module = mlir::parseSourceString<mlir::ModuleOp>(unfinished, &context);
  ASSERT_TRUE(module);
  EXPECT_TRUE(mlir::failed(serializePlan(*module, {})));
}

} // namespace
} // namespace minic
