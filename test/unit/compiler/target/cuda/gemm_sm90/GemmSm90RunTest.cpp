// SPDX-License-Identifier: Apache-2.0
//
// Kernels of gemm_sm90 run by the interpreter and compared with sums in double:
// descriptors, fragments, rings of stages, tails, splits.

#include "compiler/target/cuda/gemm/GemmLowering.h"
#include "compiler/target/cuda/gemm_sm90/EmitGemm.h"
#include "compiler/target/cuda/gemm_sm90/GemmSm90Family.h"
#include "test/unit/compiler/target/cuda/GatedProblem.h"
#include "test/unit/compiler/target/cuda/InterpretedFusion.h"
#include "test/unit/compiler/target/cuda/gemm_sm90/Schedules.h"
#include "test/unit/dialects/kernel/TensorText.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

using namespace mlir;

namespace minic::cuda {
namespace {

/// Runs `one`, and checks what the assembler says of it.
void run(InterpretedFusion &fusion, const GemmSm90Schedule &one) {
  std::string reason;
  auto shape = kernel::FusionShape::get(fusion.fusion, &reason,
                                        kernel::ColumnTurns::Taken);
  ASSERT_TRUE(succeeded(shape)) << reason;
  auto geometry = GemmSm90Geometry::get(*shape, one, &reason);
  ASSERT_TRUE(succeeded(geometry)) << toString(one) << ": " << reason;
  MLIRContext *context = fusion.fusion.getContext();
  Implementation made;
  made.impl =
      kernel::ImplAttr::get(context, "gemm_sm90", toAttribute(one, context));
  made.operandLayouts = operandLayouts(fusion.fusion, geometry->copied());
  made.name = toString(one);
  DeviceProfile profile = *getArchProfile("sm_90a");
  profile.assemblerMovesRegisters = true;
  ASSERT_NO_FATAL_FAILURE(fusion.run(GemmSm90Family(), made, profile));
  ASSERT_EQ(fusion.resources.size(), 1u);
  EXPECT_EQ(fusion.resources[0].spillBytes, 0) << toString(one);
  EXPECT_FALSE(fusion.resources[0].serializesWgmma) << toString(one);
}

/// y = relu(x W^T + b) + r, or without r, checked.
void checkLinear(int64_t m, int64_t n, int64_t k, const std::string &dtype,
                 const GemmSm90Schedule &one, bool rhsIsConstant,
                 bool addsMore) {
  SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n) + "x" +
               std::to_string(k) + " " + dtype);
  std::string x = tensor({m, k}, dtype), w = tensor({n, k}, dtype),
              b = tensor({n}, dtype), y = tensor({m, n}, dtype);
  InterpretedFusion fusion(
      {x, w, b, y}, y,
      "%l = graph.linear %0, %1, %2 : (" + x + ", " + w + ", " + b + ") -> " +
          y + "\n%r = graph.relu %l : " + y + "\n%s = graph.add %r, %3 : (" +
          y + ", " + y + ") -> " + y + "\nkernel.yield " +
          (addsMore ? "%s" : "%r") + " : " + y);
  if (rhsIsConstant) {
    noteConstantOperands(fusion.fusion, {1, 2});
  }
  ASSERT_NO_FATAL_FAILURE(run(fusion, one));
  int bad = 0;
  for (int64_t at = 0; at != m * n; ++at) {
    double sum = 0, size = 0;
    for (int64_t i = 0; i != k; ++i) {
      double product = fusion.inputs[0].get(at / n * k + i) *
                       fusion.inputs[1].get(at % n * k + i);
      sum += product;
      size += std::abs(product);
    }
    double bias = fusion.inputs[2].get(at % n);
    double more = addsMore ? fusion.inputs[3].get(at) : 0;
    double expected = std::max(sum + bias, 0.0) + more;
    double tolerance = 3e-6 * (size + 1) + fusion.results[0].roundoff() *
                                               (std::abs(expected) + 1e-3);
    double found = fusion.results[0].get(at);
    if (!(std::abs(found - expected) <= tolerance) && ++bad < 4) {
      ADD_FAILURE() << "at " << at / n << ", " << at % n << ": " << found
                    << " instead of " << expected << " with " << toString(one);
    }
  }
  EXPECT_EQ(bad, 0);
}
/// Without r, results of whole accesses are made in registers.
void checkLinear(int64_t m, int64_t n, int64_t k, const std::string &dtype,
                 const GemmSm90Schedule &one, bool rhsIsConstant = false) {
  for (bool addsMore : {true, false}) {
    if (addsMore || n % 8 == 0) {
      checkLinear(m, n, k, dtype, one, rhsIsConstant, addsMore);
    }
  }
}

TEST(GemmSm90Run, WholeTiles) {
  checkLinear(128, 64, 256, "bf16", schedule(64, 32, 1, 4));
  checkLinear(128, 32, 192, "f16", schedule(128, 16, 2, 5));
  // A stage's copies are waited for as soon as they are issued.
  checkLinear(64, 32, 320, "bf16", schedule(64, 32, 1, 3));
}

void checkGated(GatedProblem problem, const GemmSm90Schedule &one) {
  for (bool addsMore : {true, false}) {
    problem.addsMore = addsMore;
    SCOPED_TRACE(toString(one) + (addsMore ? "" : ", in registers if it fits"));
    InterpretedFusion fusion(problem.arguments(), problem.result(),
                             problem.body());
    ASSERT_NO_FATAL_FAILURE(run(fusion, one));
    problem.check(fusion.inputs, fusion.results[0]);
  }
}

/// Two columns of sums make one of results. Without what differs by row,
/// results of whole accesses are made in registers.
TEST(GemmSm90Run, GatedUnits) {
  checkGated({70, 32, 128}, schedule(64, 64, 1, 4));
  checkGated({64, 48, 128, "f16"}, schedule(64, 96, 1, 4));
  checkGated({130, 40, 64}, schedule(128, 64, 2, 4)); // columns beyond N
  checkGated({70, 24, 64}, schedule(64, 48, 1, 4));   // no passes of 32
  checkGated({70, 20, 64}, schedule(64, 32, 1, 4));   // by 4 results
  checkGated({5, 3, 64}, schedule(64, 16, 1, 4));
  checkGated({70, 16, 320}, schedule(64, 32, 1, 4, 2));
  GemmSm90Schedule alongN = schedule(64, 64, 1, 4);
  alongN.warpGroupsN = 2;
  checkGated({70, 32, 128}, alongN);
  GemmSm90Schedule alongK = schedule(64, 32, 1, 4);
  alongK.warpGroupsK = 2;
  checkGated({70, 32, 128}, alongK);
}

/// M, N and K that no tile divides; rows of x that are aligned to 16, 8 and 4
/// bytes, and to 2, which are padded.
TEST(GemmSm90Run, Tails) {
  checkLinear(1, 20, 40, "bf16", schedule(64, 16, 1, 4));
  checkLinear(67, 37, 76, "bf16", schedule(64, 32, 1, 4));
  checkLinear(131, 46, 134, "f16", schedule(128, 32, 2, 4));
  GemmSm90Schedule padded = schedule(64, 32, 1, 4);
  padded.padLhs = true;
  checkLinear(67, 46, 71, "bf16", padded);
  checkLinear(5, 3, 7, "f16", padded);
  checkLinear(67, 37, 76, "bf16", padded);
}

TEST(GemmSm90Run, WideTiles) {
  checkLinear(70, 250, 72, "bf16", schedule(64, 256, 1, 4));
  checkLinear(130, 176, 100, "bf16", schedule(128, 176, 2, 4));
  checkLinear(190, 40, 64, "bf16", schedule(192, 48, 3, 4));
  checkLinear(256, 32, 64, "bf16", schedule(256, 32, 4, 4));
}

/// Stages whose rows are swizzled otherwise.
TEST(GemmSm90Run, NarrowStages) {
  GemmSm90Schedule one = schedule(64, 32, 1, 5);
  one.bk = 32;
  checkLinear(70, 40, 108, "bf16", one);
  one.bk = 16;
  checkLinear(70, 40, 60, "f16", one);
}

/// Warp groups with several blocks of 64 rows, along N and along K.
TEST(GemmSm90Run, WarpGroups) {
  checkLinear(130, 32, 100, "bf16", schedule(128, 32, 1, 4));
  GemmSm90Schedule alongN = schedule(128, 48, 2, 4);
  alongN.warpGroupsN = 2;
  checkLinear(130, 60, 100, "bf16", alongN);
  GemmSm90Schedule alongK = schedule(64, 32, 1, 4);
  alongK.warpGroupsK = 2;
  checkLinear(70, 40, 200, "bf16", alongK);
  alongK.warpGroupsK = 4;
  checkLinear(70, 40, 200, "bf16", alongK);
}

/// Of rows that are only aligned to 4 bytes: not a multiple of the 8 after
/// which the swizzle of shared memory repeats.
TEST(GemmSm90Run, PassesOfTwelveRows) {
  checkLinear(200, 32, 70, "bf16", schedule(192, 32, 3, 4));
}

TEST(GemmSm90Run, SplitK) {
  checkLinear(70, 32, 320, "bf16", schedule(64, 32, 1, 4, 2));
  checkLinear(70, 36, 420, "bf16", schedule(64, 32, 1, 5, 3));
  GemmSm90Schedule alongK = schedule(64, 32, 1, 4, 2);
  alongK.warpGroupsK = 2;
  checkLinear(70, 33, 200, "bf16", alongK);
}

/// Blocks that share a tile add up its rows from each other's memory, or, where
/// results are made in registers, send each other sums of columns. They run in
/// lockstep here, so each has as many stages of K.
TEST(GemmSm90Run, Cluster) {
  auto cluster = [](GemmSm90Schedule one) {
    one.clustered = true;
    return one;
  };
  checkLinear(70, 32, 384, "bf16", cluster(schedule(64, 32, 1, 4, 2)));
  checkLinear(70, 37, 500, "bf16", cluster(schedule(64, 32, 1, 5, 4)));
  checkLinear(130, 88, 384, "bf16", cluster(schedule(128, 64, 1, 4, 2)));
  checkLinear(70, 128, 768, "f16", cluster(schedule(64, 64, 1, 3, 4)));
  GemmSm90Schedule alongN = cluster(schedule(64, 64, 1, 4, 2));
  alongN.warpGroupsN = 2;
  checkLinear(70, 96, 512, "bf16", alongN);
  GemmSm90Schedule alongK = cluster(schedule(64, 32, 1, 4, 4));
  alongK.warpGroupsK = 2;
  alongK.programmatic = true;
  checkLinear(70, 33, 500, "bf16", alongK, /*rhsIsConstant=*/true);
}

TEST(GemmSm90Run, Raster) {
  GemmSm90Schedule one = schedule(64, 16, 1, 4);
  for (int64_t group : {1, 2, 8}) {
    one.group = group;
    checkLinear(150, 40, 64, "bf16", one);
  }
}

/// K of no elements: what is left is the epilogue.
TEST(GemmSm90Run, EmptyK) {
  checkLinear(20, 24, 0, "bf16", schedule(64, 32, 1, 4));
}

/// Weights are fetched before activations may be.
TEST(GemmSm90Run, Programmatic) {
  GemmSm90Schedule one = schedule(64, 32, 1, 5);
  one.programmatic = true;
  checkLinear(70, 40, 400, "bf16", one, /*rhsIsConstant=*/true);
  checkLinear(70, 40, 48, "bf16", one, /*rhsIsConstant=*/true);
  checkLinear(70, 40, 200, "bf16", one);
  one.splitK = 2;
  checkLinear(70, 40, 400, "bf16", one, /*rhsIsConstant=*/true);
}

/// Batches of matmul with every layout of operands; rhs of a batch of 1.
void checkMatmuls(int64_t m, int64_t n, int64_t k,
                  const GemmSm90Schedule &one) {
  for (bool transposeLhs : {false, true}) {
    for (bool transposeRhs : {false, true}) {
      for (int64_t rhsBatch : {3, 1}) {
        std::string a = transposeLhs ? tensor({2, 3, k, m}, "bf16")
                                     : tensor({2, 3, m, k}, "bf16");
        std::string b = transposeRhs ? tensor({rhsBatch, n, k}, "bf16")
                                     : tensor({rhsBatch, k, n}, "bf16");
        std::string y = tensor({2, 3, m, n}, "bf16");
        std::string flags = std::string(transposeLhs ? "transpose_lhs" : "") +
                            (transposeLhs && transposeRhs ? ", " : "") +
                            (transposeRhs ? "transpose_rhs" : "");
        SCOPED_TRACE(flags + std::to_string(rhsBatch));
        InterpretedFusion fusion({a, b}, y,
                                 "%l = graph.matmul %0, %1 {" + flags +
                                     "} : (" + a + ", " + b + ") -> " + y +
                                     "\nkernel.yield %l : " + y);
        ASSERT_NO_FATAL_FAILURE(run(fusion, one));
        int bad = 0;
        for (int64_t at = 0; at != 6 * m * n; ++at) {
          int64_t batch = at / (m * n), row = at / n % m, column = at % n;
          int64_t other = rhsBatch == 1 ? 0 : batch % 3;
          double sum = 0;
          for (int64_t i = 0; i != k; ++i) {
            int64_t x = transposeLhs ? i * m + row : row * k + i;
            int64_t w = transposeRhs ? column * k + i : i * n + column;
            sum += fusion.inputs[0].get(batch * m * k + x) *
                   fusion.inputs[1].get(other * n * k + w);
          }
          double found = fusion.results[0].get(at);
          bad += !(std::abs(found - sum) <= 4e-3 * std::abs(sum) + 1e-4);
        }
        EXPECT_EQ(bad, 0);
      }
    }
  }
}

TEST(GemmSm90Run, Matmul) { checkMatmuls(20, 24, 40, schedule(64, 16, 1, 4)); }

GemmSm90Schedule tma(GemmSm90Schedule one) {
  one.tma = true;
  return one;
}

/// Fewer stages of K than the ring has, as many, and several passes.
TEST(GemmSm90Run, Tma) {
  checkLinear(64, 32, 64, "bf16", tma(schedule(64, 32, 1, 4)));
  checkLinear(128, 64, 256, "f16", tma(schedule(64, 32, 1, 4)));
  checkLinear(64, 32, 704, "bf16", tma(schedule(64, 32, 1, 3)));
  checkLinear(128, 32, 320, "bf16", tma(schedule(128, 32, 2, 3)));
  checkGated({128, 24, 320}, tma(schedule(128, 32, 2, 3)));
}

/// What is beyond M, N and K is zero. Rows are of multiples of 16 bytes.
TEST(GemmSm90Run, TmaTails) {
  checkLinear(1, 20, 40, "bf16", tma(schedule(64, 16, 1, 4)));
  checkLinear(67, 37, 200, "bf16", tma(schedule(64, 32, 1, 3)));
  checkLinear(131, 46, 328, "f16", tma(schedule(128, 32, 2, 3)));
  GemmSm90Schedule padded = tma(schedule(64, 32, 1, 4));
  padded.padLhs = true;
  checkLinear(67, 1, 71, "bf16", padded);
  checkLinear(5, 3, 7, "f16", padded);
}

TEST(GemmSm90Run, TmaWarpGroups) {
  checkLinear(130, 32, 200, "bf16", tma(schedule(128, 32, 1, 3)));
  GemmSm90Schedule alongN = tma(schedule(64, 64, 1, 3));
  alongN.warpGroupsN = 2;
  checkLinear(70, 72, 264, "bf16", alongN);
  GemmSm90Schedule alongK = tma(schedule(64, 32, 1, 3));
  alongK.warpGroupsK = 2;
  checkLinear(70, 40, 264, "bf16", alongK);
  checkLinear(130, 176, 104, "bf16", tma(schedule(128, 176, 2, 4)));
  checkLinear(200, 200, 136, "bf16", tma(schedule(192, 192, 3, 4)));
  checkLinear(70, 250, 72, "bf16", tma(schedule(64, 256, 1, 3)));
}

/// K shared by blocks that meet in memory, or as a cluster.
TEST(GemmSm90Run, TmaSplitK) {
  checkLinear(70, 32, 648, "bf16", tma(schedule(64, 32, 1, 3, 2)));
  checkLinear(70, 33, 328, "bf16", tma(schedule(64, 32, 1, 4, 3)));
  GemmSm90Schedule cluster = tma(schedule(64, 32, 1, 3, 4));
  cluster.clustered = true;
  checkLinear(70, 37, 840, "bf16", cluster);
  GemmSm90Schedule sends = tma(schedule(128, 64, 2, 3, 2));
  sends.clustered = true;
  checkLinear(140, 88, 768, "bf16", sends);
  checkLinear(140, 64, 128, "bf16", sends);
  sends = tma(schedule(64, 64, 1, 3, 4));
  sends.clustered = sends.programmatic = true;
  checkLinear(140, 72, 1024, "bf16", sends, /*rhsIsConstant=*/true);
}

/// Weights are asked for before activations may be.
TEST(GemmSm90Run, TmaProgrammatic) {
  GemmSm90Schedule one = tma(schedule(64, 32, 1, 4));
  one.programmatic = true;
  checkLinear(70, 40, 400, "bf16", one, /*rhsIsConstant=*/true);
  checkLinear(70, 40, 48, "bf16", one, /*rhsIsConstant=*/true);
  checkLinear(70, 40, 200, "bf16", one);
}

TEST(GemmSm90Run, TmaMatmul) {
  checkMatmuls(24, 24, 40, tma(schedule(64, 16, 1, 3)));
  checkMatmuls(72, 40, 200, tma(schedule(64, 32, 1, 3)));
}

/// Neighbours along M share rhs, along N lhs; each copies half of it for both.
TEST(GemmSm90Run, TmaMulticast) {
  GemmSm90Schedule alongM = tma(schedule(64, 32, 1, 3));
  alongM.multicastM = 2;
  checkLinear(128, 32, 64, "bf16", alongM);
  checkLinear(240, 72, 712, "bf16", alongM);
  alongM.warpGroupsK = 2;
  alongM.programmatic = true;
  checkLinear(100, 40, 456, "f16", alongM, /*rhsIsConstant=*/true);
  GemmSm90Schedule alongN = tma(schedule(128, 32, 2, 3));
  alongN.multicastN = 2;
  alongN.group = 1;
  checkLinear(130, 120, 520, "bf16", alongN);
  GemmSm90Schedule batched = tma(schedule(64, 32, 1, 3));
  batched.multicastM = 2;
  checkMatmuls(128, 24, 72, batched);
}

/// Teams of a block take its tiles in turn: fewer stages of K than the ring
/// has, as many, and more; one tile for a team, or none.
TEST(GemmSm90Run, PingPong) {
  auto pingPong = [](int64_t bm, int64_t bn, int64_t stages, int64_t blocks) {
    GemmSm90Schedule one = tma(schedule(bm, bn, 1, stages));
    one.pingPongBlocks = blocks;
    return one;
  };
  checkLinear(64, 32, 64, "bf16", pingPong(64, 32, 4, 3));
  checkLinear(200, 72, 200, "bf16", pingPong(64, 32, 3, 2));
  checkLinear(200, 136, 456, "f16", pingPong(64, 32, 5, 3));
  checkLinear(131, 46, 328, "bf16", pingPong(128, 48, 8, 1));
  GemmSm90Schedule early = pingPong(64, 64, 4, 2);
  early.programmatic = true;
  checkLinear(250, 190, 256, "bf16", early, /*rhsIsConstant=*/true);
  checkLinear(130, 100, 136, "bf16", early, /*rhsIsConstant=*/true);
  // N is odd: results are stored one by one.
  checkLinear(70, 129, 72, "bf16", early);
  early.teamRegisters = 240;
  checkLinear(250, 190, 256, "bf16", early, /*rhsIsConstant=*/true);
  checkMatmuls(72, 40, 200, pingPong(64, 16, 3, 4));
  GemmSm90Schedule keeps = pingPong(64, 64, 3, 2);
  keeps.keepsRhs = true;
  checkLinear(250, 64, 64, "bf16", keeps);
  checkLinear(330, 40, 264, "bf16", keeps, /*rhsIsConstant=*/true);
  keeps.programmatic = true;
  checkLinear(330, 56, 136, "f16", keeps, /*rhsIsConstant=*/true);
  checkLinear(64, 56, 136, "bf16", keeps);
  // Blocks that keep to two and three columns of tiles, the last one narrow.
  keeps.group = 1, keeps.pingPongBlocks = 4;
  checkLinear(450, 120, 136, "bf16", keeps, /*rhsIsConstant=*/true);
  keeps.pingPongBlocks = 3;
  checkLinear(330, 184, 72, "f16", keeps);
  checkGated({200, 48, 200}, pingPong(64, 64, 3, 2));
  checkGated({131, 23, 328}, pingPong(128, 48, 8, 1));
}

/// What the interpreter says of a kernel after `change`.
std::string errorOf(const GemmSm90Schedule &one,
                    std::function<void(ModuleOp)> change) {
  std::string x = tensor({128, 512}, "bf16"), w = tensor({32, 512}, "bf16"),
              y = tensor({128, 32}, "bf16");
  InterpretedFusion parsed({x, w}, y,
                           "%l = graph.linear %0, %1 : (" + x + ", " + w +
                               ") -> " + y + "\nkernel.yield %l : " + y);
  std::string reason;
  auto shape = kernel::FusionShape::get(parsed.fusion, &reason);
  auto g = GemmSm90Geometry::get(*shape, one, &reason);
  OwningOpRef<ModuleOp> device = ModuleOp::create(parsed.fusion.getLoc());
  emitGemm(parsed.fusion.getLoc(), *device, "kernel", *shape, *g,
           llvm::SmallBitVector(2));
  change(*device);
  DeviceBytes first(128 * 512 * 2), second(32 * 512 * 2), result(128 * 32 * 2);
  std::vector<GlobalRange> parameters;
  for (DeviceBytes *each : {&first, &second, &result}) {
    parameters.push_back({each->data(), each->bytes});
  }
  parsed.fusion.getContext()->loadDialect<plan::PlanDialect>();
  std::vector<SimtTensorMap> maps;
  for (plan::TensorMapAttr map : g->tensorMaps()) {
    DeviceBytes &of = map.getOperand() == 0 ? first : second;
    maps.push_back({uint64_t(reinterpret_cast<uintptr_t>(of.data())),
                    map.getDims().asArrayRef().vec(),
                    map.getStrides().asArrayRef().vec(),
                    map.getBox().asArrayRef().vec()});
  }
  // One of the orders has to show it.
  std::string found;
  for (SimtOrder order :
       {SimtOrder::FirstFirst, SimtOrder::LastFirst, SimtOrder::Random}) {
    std::string why = interpret(
        *device, "kernel", one.isPingPong() ? g->residentBlocks() : g->blocks(),
        one.threads(), g->sharedBytes(), parameters, /*blocksY=*/1,
        one.clustered ? one.splitK : one.multicast(), maps, order);
    if (found.empty()) {
      found = why;
    }
  }
  return found;
}

/// The tests above are worth something: kernels without a barrier, a fence or
/// as long a wait are found out.
TEST(GemmSm90Run, MissingOrderIsSeen) {
  GemmSm90Schedule one = schedule(64, 32, 1, 4);
  EXPECT_EQ(errorOf(one, [](ModuleOp) {}), "");
  auto without = [&](auto isIt) {
    return errorOf(one, [&](ModuleOp device) {
      SmallVector<Operation *> found;
      device.walk([&](Operation *op) {
        if (isIt(op)) {
          found.push_back(op);
        }
      });
      ASSERT_FALSE(found.empty());
      found.front()->erase();
    });
  };
  EXPECT_NE(without([](Operation *op) { return isa<NVVM::BarrierOp>(op); }),
            "");
  one.splitK = 2;
  one.clustered = true;
  EXPECT_EQ(errorOf(one, [](ModuleOp) {}), "");
  for (bool isFirst : {true, false}) {
    // Of the two meetings of a cluster.
    EXPECT_NE(errorOf(one,
                      [&](ModuleOp device) {
                        SmallVector<Operation *> arrive, wait;
                        device.walk([&](NVVM::ClusterArriveOp op) {
                          arrive.push_back(op);
                        });
                        device.walk([&](NVVM::ClusterWaitOp op) {
                          wait.push_back(op);
                        });
                        ASSERT_EQ(arrive.size(), 2u);
                        ASSERT_EQ(wait.size(), 2u);
                        arrive[isFirst ? 0 : 1]->erase();
                        wait[isFirst ? 0 : 1]->erase();
                      }),
              "");
  }
  one = schedule(64, 32, 1, 4);
  EXPECT_NE(without([](Operation *op) { return isa<NVVM::FenceProxyOp>(op); }),
            "");
  EXPECT_NE(without([](Operation *op) {
              return isa<NVVM::WgmmaWaitGroupSyncOp>(op);
            }),
            "");
  EXPECT_NE(errorOf(one,
                    [](ModuleOp device) {
                      device.walk([](NVVM::CpAsyncWaitGroupOp wait) {
                        wait.setN(wait.getN() + 1);
                      });
                    }),
            "");
}

/// Likewise of a ping-pong, whose only block has a tile for each team here:
/// what says that the second may multiply.
TEST(GemmSm90Run, MissingTurnIsSeen) {
  GemmSm90Schedule one = tma(schedule(64, 32, 1, 3));
  one.pingPongBlocks = 1;
  EXPECT_EQ(errorOf(one, [](ModuleOp) {}), "");
  EXPECT_NE(errorOf(one,
                    [](ModuleOp device) {
                      SmallVector<Operation *> found;
                      device.walk([&](NVVM::MBarrierArriveOp op) {
                        found.push_back(op);
                      });
                      // The last gives a tile's last stage back.
                      ASSERT_EQ(found.size(), 3u);
                      found[1]->erase();
                    }),
            "");
}

/// Likewise of mbarriers, their phases and counts.
TEST(GemmSm90Run, MissingPhaseIsSeen) {
  for (int64_t multicast : {1, 2}) {
    GemmSm90Schedule one = tma(schedule(64, 32, 1, 3));
    one.multicastM = multicast;
    EXPECT_EQ(errorOf(one, [](ModuleOp) {}), "");
    auto changed = [&](auto isIt, size_t which, auto change) {
      return errorOf(one, [&](ModuleOp device) {
        SmallVector<Operation *> found;
        device.walk([&](Operation *op) {
          if (isIt(op)) {
            found.push_back(op);
          }
        });
        ASSERT_GT(found.size(), which);
        change(found[which]);
      });
    };
    auto erase = [](Operation *op) { op->erase(); };
    auto isWait = [](Operation *op) { return isa<scf::WhileOp>(op); };
    auto isArrival = [](Operation *op) {
      return isa<NVVM::MBarrierArriveOp>(op);
    };
    auto isExpect = [](Operation *op) {
      return isa<NVVM::MBarrierArriveExpectTxOp>(op);
    };
    auto isCopy = [](Operation *op) {
      return isa<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp>(op);
    };
    // That a stage is empty, and that it is full.
    EXPECT_NE(changed(isWait, 0, erase), "");
    EXPECT_NE(changed(isWait, 1, erase), "");
    // A stage is not given back: all wait.
    EXPECT_THAT(changed(isArrival, 0, erase),
                testing::HasSubstr("wait for each other for ever"));
    // Another parity, more bytes, fewer bytes, a copy less.
    EXPECT_NE(
        changed(
            isWait, 1,
            [](Operation *op) {
              auto wait =
                  *op->getRegion(0).getOps<NVVM::MBarrierTryWaitOp>().begin();
              OpBuilder b(wait);
              Value other = arith::XOrIOp::create(
                  b, wait.getLoc(), wait.getStateOrPhase(),
                  arith::ConstantIntOp::create(b, wait.getLoc(), 1, 32));
              wait.getStateOrPhaseMutable().assign(other);
            }),
        "");
    for (int64_t more : {-128, 128}) {
      EXPECT_NE(changed(isExpect, 0,
                        [&](Operation *op) {
                          auto expect =
                              cast<NVVM::MBarrierArriveExpectTxOp>(op);
                          OpBuilder b(op);
                          expect.getTxcountMutable().assign(
                              arith::ConstantIntOp::create(
                                  b, op->getLoc(), 96 * 128 + more, 32));
                        }),
                "");
    }
    EXPECT_THAT(changed(isCopy, 0, erase),
                testing::HasSubstr("wait for each other for ever"));
    // Barriers that not all have seen made.
    EXPECT_NE(changed(
                  [&](Operation *op) {
                    return multicast == 1 ? isa<NVVM::BarrierOp>(op)
                                          : isa<NVVM::ClusterWaitOp>(op);
                  },
                  0, erase),
              "");
    // Results that are written while others still multiply are the barrier's.
    EXPECT_NE(changed([&](Operation *op) { return isa<NVVM::BarrierOp>(op); },
                      multicast == 1 ? 2 : 1, erase),
              "");
  }
}

} // namespace
} // namespace minic::cuda
