// SPDX-License-Identifier: Apache-2.0
//
// Kernels of gemm_sm90 with pointwise ops before the product, run by the
// interpreter and compared with the reference. GemmSm80PrologueTest has what
// does not depend on how tiles are multiplied.

#include "compiler/target/cuda/gemm_sm90/GemmSm90Family.h"
#include "compiler/target/cuda/gemm_sm90/GemmSm90Geometry.h"
#include "test/unit/compiler/target/cuda/gemm/PrologueCases.h"
#include "test/unit/compiler/target/cuda/gemm_sm90/Schedules.h"

#include <gmock/gmock.h>

using namespace mlir;

namespace minic::cuda {
namespace {

void check(const Body &body, const GemmSm90Schedule &one) {
  checkPrologue<GemmSm90Geometry>(body, GemmSm90Family(), one);
}

TEST(GemmSm90Prologue, Activation) {
  check(unary(64, 32, 128, "relu", "bf16"), schedule(64, 32, 1, 4));
  check(unary(67, 40, 320, "abs", "f16"), schedule(64, 32, 1, 3));
  check(unary(130, 33, 264, "relu", "bf16"), schedule(128, 48, 2, 4));
}

/// What is beyond K is zero behind the ops, also where they make something else
/// of zero.
TEST(GemmSm90Prologue, BeyondK) {
  std::string x = tensor({70, 72}, "bf16"), s = tensor({}, "bf16");
  check(linear(70, 24, 72, "bf16", "bf16",
               "%p = graph.div %2, %0 : (" + s + ", " + x + ") -> " + x, {s}),
        schedule(64, 32, 1, 4));
}

/// A second matrix, vectors along K and along rows.
TEST(GemmSm90Prologue, MoreInputs) {
  for (std::vector<int64_t> other :
       {std::vector<int64_t>{70, 136}, {136}, {70, 1}}) {
    check(binary(70, 40, 136, "mul", other, "bf16"), schedule(64, 32, 1, 4));
  }
}

/// Wider elements are staged behind both tiles.
TEST(GemmSm90Prologue, CastFromFloat32) {
  std::string x = tensor({70, 200}, "f32"), p = tensor({70, 200}, "bf16");
  check(linear(70, 48, 200, "bf16", "f32",
               "%p = graph.cast %0 : " + x + " to " + p),
        schedule(64, 48, 1, 4));
}

TEST(GemmSm90Prologue, SharesK) {
  check(unary(70, 32, 320, "relu", "bf16"), schedule(64, 32, 1, 4, 2));
  GemmSm90Schedule alongK = schedule(64, 32, 1, 4);
  alongK.warpGroupsK = 2;
  alongK.programmatic = true;
  check(unary(70, 32, 320, "relu", "bf16"), alongK);
}

/// TMA copies operands as they are.
TEST(GemmSm90Prologue, IsNotOfCopiesByTma) {
  Body body = unary(64, 32, 128, "relu", "bf16");
  InterpretedFusion parsed(body.arguments, body.result, body.text);
  std::string reason;
  auto shape = kernel::FusionShape::get(parsed.fusion, &reason);
  ASSERT_TRUE(succeeded(shape)) << reason;
  GemmSm90Schedule one = schedule(64, 32, 1, 4);
  one.tma = true;
  EXPECT_TRUE(failed(GemmSm90Geometry::get(*shape, one, &reason)));
  EXPECT_THAT(reason, testing::HasSubstr("copies operands as they are"));
  DeviceProfile profile = *getArchProfile("sm_90a");
  for (const Implementation &offer :
       GemmSm90Family().enumerate(parsed.fusion, profile)) {
    EXPECT_THAT(offer.name, testing::Not(testing::HasSubstr("tma")));
  }
}

} // namespace
} // namespace minic::cuda
