// SPDX-License-Identifier: Apache-2.0
//
// The interpreter finds kernels of gemm_sm90 out that miss a barrier, a fence
// or a phase: what it says of the others is worth something.

#include "compiler/target/cuda/gemm_sm90/EmitGemm.h"
#include "test/unit/compiler/target/cuda/InterpretedFusion.h"
#include "test/unit/compiler/target/cuda/gemm_sm90/Schedules.h"
#include "test/unit/dialects/kernel/TensorText.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

using namespace mlir;

namespace minic::cuda {
namespace {

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

/// Without a barrier, a fence or as long a wait.
TEST(GemmSm90Order, MissingOrderIsSeen) {
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
TEST(GemmSm90Order, MissingTurnIsSeen) {
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
TEST(GemmSm90Order, MissingPhaseIsSeen) {
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
