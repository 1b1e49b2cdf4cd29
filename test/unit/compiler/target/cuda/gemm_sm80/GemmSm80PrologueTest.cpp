// SPDX-License-Identifier: Apache-2.0
//
// Kernels of gemm_sm80 with pointwise ops before the product, run by the
// interpreter and compared with the reference: staged and direct inputs, tails,
// layouts, splits, every way to multiply.

#include "compiler/target/cuda/gemm_sm80/GemmSm80Family.h"
#include "compiler/target/cuda/gemm_sm80/GemmSm80Geometry.h"
#include "test/unit/compiler/target/cuda/gemm/PrologueCases.h"

using namespace mlir;

namespace minic::cuda {
namespace {

GemmSm80Schedule schedule(int64_t bm, int64_t bn, int64_t bk, int64_t warpsM,
                          int64_t warpsN, int64_t warpsK, int64_t stages,
                          int64_t splitK = 1, GemmMath math = GemmMath::Mma) {
  GemmSm80Schedule made;
  made.bm = bm, made.bn = bn, made.bk = bk;
  made.warpsM = warpsM, made.warpsN = warpsN, made.warpsK = warpsK;
  made.stages = stages, made.splitK = splitK, made.math = math;
  return made;
}

void check(const Body &body, const GemmSm80Schedule &one) {
  checkPrologue<GemmSm80Geometry>(body, GemmSm80Family(), one,
                                  one.math == GemmMath::Tf32);
}

TEST(GemmSm80Prologue, Activation) {
  check(unary(64, 64, 128, "relu", "bf16"), schedule(64, 64, 64, 2, 2, 1, 3));
  check(unary(37, 40, 64, "relu", "f16"), schedule(32, 32, 32, 2, 2, 1, 4));
  check(unary(1, 17, 64, "relu", "bf16"), schedule(16, 32, 32, 1, 2, 1, 2));
}

/// What is beyond K is zero behind the ops. Beside zeros of the other operand
/// that is needed where it is infinite, and where both have a prologue.
TEST(GemmSm80Prologue, BeyondK) {
  for (int64_t k : {72, 71}) {
    GemmSm80Schedule one = schedule(16, 32, 64, 1, 2, 1, 2);
    one.padLhs = k == 71;
    std::string x = tensor({17, k}, "bf16"), s = tensor({}, "bf16");
    check(linear(17, 24, k, "bf16", "bf16",
                 "%p = graph.div %2, %0 : (" + s + ", " + x + ") -> " + x, {s}),
          one);
    std::string w = tensor({24, k}, "bf16"), y = tensor({17, 24}, "bf16");
    check({{x, w},
           y,
           "%p = graph.exp %0 : " + x + "\n%q = graph.exp %1 : " + w +
               "\n%y = graph.linear %p, %q : (" + x + ", " + w + ") -> " + y +
               "\nkernel.yield %y : " + y},
          one);
  }
}

TEST(GemmSm80Prologue, Tails) {
  check(unary(17, 24, 72, "exp", "bf16"), schedule(16, 32, 64, 1, 2, 1, 2));
  check(unary(17, 24, 70, "exp", "bf16"), schedule(16, 32, 32, 1, 2, 1, 3));
  GemmSm80Schedule padded = schedule(16, 32, 32, 1, 2, 1, 3);
  padded.padLhs = true;
  check(unary(19, 23, 71, "exp", "bf16"), padded);
  check(unary(5, 3, 7, "exp", "f16"), padded);
  // One row: accesses that are partly behind the end of K.
  check(unary(1, 24, 71, "exp", "bf16"), schedule(16, 32, 32, 1, 2, 1, 3));
  check(unary(5, 3, 1, "exp", "f32"),
        schedule(32, 32, 32, 1, 2, 1, 2, 1, GemmMath::Ffma));
  check(unary(20, 24, 0, "exp", "bf16"), schedule(16, 32, 32, 1, 2, 1, 3));
}

TEST(GemmSm80Prologue, EveryWayToMultiply) {
  for (GemmMath math : {GemmMath::Tf32, GemmMath::Tf32x3, GemmMath::Ffma}) {
    check(unary(40, 44, 67, "exp", "f32"),
          schedule(32, 32, 32, 1, 2, 1, 3, 1, math));
    check(unary(33, 64, 132, "relu", "f32"),
          schedule(32, 64, 32, 1, 2, 2, 2, 2, math));
  }
}

TEST(GemmSm80Prologue, SplitK) {
  check(unary(40, 36, 200, "exp", "bf16"), schedule(32, 32, 32, 2, 2, 1, 3, 3));
  check(unary(40, 36, 200, "exp", "bf16"), schedule(32, 32, 64, 2, 1, 2, 2, 2));
}

TEST(GemmSm80Prologue, Casts) {
  for (int64_t k : {96, 100, 33}) {
    std::string x = tensor({21, k}, "f32"), p = tensor({21, k}, "bf16");
    Body body = linear(21, 40, k, "bf16", "f32",
                       "%p = graph.cast %0 : " + x + " to " + p);
    check(body, schedule(32, 32, 32, 2, 2, 1, 3));
  }
  std::string x = tensor({21, 72}, "bf16"), p = tensor({21, 72}, "f32");
  check(linear(21, 40, 72, "f32", "bf16",
               "%p = graph.cast %0 : " + x + " to " + p),
        schedule(32, 32, 16, 1, 2, 1, 3, 1, GemmMath::Ffma));
}

TEST(GemmSm80Prologue, Matrices) {
  check(binary(37, 40, 80, "add", {37, 80}, "bf16"),
        schedule(32, 32, 32, 2, 2, 1, 3));
  check(binary(37, 40, 82, "mul", {37, 82}, "bf16"),
        schedule(32, 32, 32, 1, 2, 1, 2));
  // Of another dtype, and a predicate, which is not staged.
  std::string b = tensor({11, 72}, "bf16"), f = tensor({11, 72}, "f32"),
              i = tensor({11, 72}, "i1");
  check(linear(11, 20, 72, "bf16", "bf16",
               "%c = graph.cast %0 : " + b + " to " + f +
                   "\n%d = graph.add %c, %2 : (" + f + ", " + f + ") -> " + f +
                   "\n%e = graph.select %3, %d, %c : (" + i + ", " + f + ", " +
                   f + ") -> " + f + "\n%p = graph.cast %e : " + f + " to " + b,
               {f, i}),
        schedule(16, 32, 32, 1, 2, 1, 3));
}

TEST(GemmSm80Prologue, VectorsAndScalars) {
  for (int64_t k : {96, 94, 91}) {
    GemmSm80Schedule one = schedule(32, 32, 32, 2, 2, 1, 3);
    one.padLhs = k % 2 == 1;
    check(binary(37, 40, k, "mul", {k}, "bf16"), one);
    check(binary(37, 40, k, "sub", {37, 1}, "bf16"), one);
  }
  check(binary(37, 40, 96, "add", {}, "bf16"),
        schedule(32, 32, 32, 2, 2, 1, 3));
  check(binary(37, 40, 45, "add", {45}, "f32"),
        schedule(32, 32, 16, 1, 2, 1, 2, 2, GemmMath::Ffma));
  // Nothing but vectors: an outer sum.
  std::string row = tensor({13, 1}, "f32"), p = tensor({13, 72}, "f32"),
              w = tensor({20, 72}, "f32"), y = tensor({13, 20}, "f32");
  check({{row, w, tensor({72}, "f32")},
         y,
         "%p = graph.add %0, %2 : (" + row + ", tensor<72xf32>) -> " + p +
             "\n%y = graph.linear %p, %1 : (" + p + ", " + w + ") -> " + y +
             "\nkernel.yield %y : " + y},
        schedule(32, 32, 32, 1, 2, 1, 3, 1, GemmMath::Tf32x3));
}

/// Rows of several dimensions, with vectors along one of them.
TEST(GemmSm80Prologue, ManyDimensions) {
  std::string x = "tensor<3x4x5x64xbf16>", v = "tensor<4x1x1xbf16>",
              w = "tensor<24x64xbf16>", y = "tensor<3x4x5x24xbf16>";
  check({{x, w, v},
         y,
         "%p = graph.mul %0, %2 : (" + x + ", " + v + ") -> " + x +
             "\n%y = graph.linear %p, %1 : (" + x + ", " + w + ") -> " + y +
             "\nkernel.yield %y : " + y},
        schedule(16, 32, 32, 1, 2, 1, 3));
}

/// A value of the prologue that the epilogue reads too, and a large epilogue.
TEST(GemmSm80Prologue, SharedWithTheEpilogue) {
  std::string t = tensor({37, 48}, "bf16");
  check(linear(37, 48, 48, "bf16", "bf16", "%p = graph.relu %0 : " + t, {},
               "%z = graph.exp %y : " + t + "\n%s = graph.add %z, %p : (" + t +
                   ", " + t + ") -> " + t + "\n%r = graph.mul %s, %0 : (" + t +
                   ", " + t + ") -> " + t),
        schedule(32, 32, 32, 2, 2, 1, 3));
}

TEST(GemmSm80Prologue, Programmatic) {
  GemmSm80Schedule one = schedule(32, 32, 32, 2, 2, 1, 4);
  one.programmatic = true;
  check(unary(40, 40, 200, "exp", "bf16"), one);
}

/// Batches of matmul with every layout; both operands have a prologue, with a
/// matrix that is broadcast over the batch.
TEST(GemmSm80Prologue, Matmul) {
  int64_t m = 20, n = 24, k = 40;
  for (bool transposeLhs : {false, true}) {
    for (bool transposeRhs : {false, true}) {
      for (int64_t rhsBatch : {3, 1}) {
        std::vector<int64_t> lhs = {m, k}, rhs = {k, n};
        transposeLhs ? std::swap(lhs[0], lhs[1]) : void();
        transposeRhs ? std::swap(rhs[0], rhs[1]) : void();
        std::string a = tensor({2, 3, lhs[0], lhs[1]}, "bf16"),
                    c = tensor({3, lhs[0], lhs[1]}, "bf16"),
                    b = tensor({rhsBatch, rhs[0], rhs[1]}, "bf16"),
                    d = tensor({1, rhs[1]}, "bf16"),
                    y = tensor({2, 3, m, n}, "bf16");
        std::string flags = std::string(transposeLhs ? "transpose_lhs" : "") +
                            (transposeLhs && transposeRhs ? ", " : "") +
                            (transposeRhs ? "transpose_rhs" : "");
        check({{a, b, c, d},
               y,
               "%p = graph.add %0, %2 : (" + a + ", " + c + ") -> " + a +
                   "\n%q = graph.mul %1, %3 : (" + b + ", " + d + ") -> " + b +
                   "\n%y = graph.matmul %p, %q {" + flags + "} : (" + a + ", " +
                   b + ") -> " + y + "\nkernel.yield %y : " + y},
              schedule(16, 32, 32, 1, 2, 1, 2));
      }
    }
  }
}

/// A relaid matrix is unreadable for the epilogue; as it lies it is not.
TEST(GemmSm80Prologue, WhatMustBeRelaidHasOneUse) {
  std::string t = tensor({40, 40}, "bf16");
  auto body = [&](const std::string &flags) {
    return "%p = graph.relu %0 : " + t + "\n%y = graph.matmul %p, %1 {" +
           flags + "} : (" + t + ", " + t + ") -> " + t +
           "\n%r = graph.add %y, %0 : (" + t + ", " + t + ") -> " + t +
           "\nkernel.yield %r : " + t;
  };
  DeviceProfile profile = *getArchProfile("sm_90a");
  ParsedFusion plain({t, t}, t, body("transpose_rhs"));
  EXPECT_EQ(GemmSm80Family().reject(plain.get(), profile), std::nullopt);
  ParsedFusion relaid({t, t}, t, body("transpose_lhs, transpose_rhs"));
  EXPECT_EQ(GemmSm80Family().reject(relaid.get(), profile),
            "an operand that must be relaid has another use in the body");
}

} // namespace
} // namespace minic::cuda
