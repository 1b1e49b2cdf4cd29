// SPDX-License-Identifier: Apache-2.0
//
// A block takes tile number blockIdx.x and every gridDim.x-th from there on.
// Its two teams, a warp group each, take these in turn: while one multiplies,
// the other makes results of its sums, so that tensor cores do not wait for
// epilogues. One thread of a warp behind them has TMA fill the ring of stages
// for tile after tile, also across the end of a tile, so that they do not wait
// for the first stages of a tile either.
//
// Wider tiles need more registers than 384 threads have each, so teams take
// over those of the warps that copy (setmaxnreg): 4096x2304x768 took 24.5 us on
// an H100 by tiles of 128x192 and 27.8 by 128x128. nvJitLink ignores
// setmaxnreg, because it assembles kernels as relocatable code; ptxas does not.
//
// Where all tiles of a block have the same columns and rhs of these fits beside
// the stages, it stays, and only lhs passes the ring: of a 1x1 convolution of
// 64 to 256 channels rhs is four times as much as lhs for each tile.
//
// Teams multiply one after the other (`turn`), because a wait for a stage may
// not come two passes of the ring late: a team begins when the other has seen
// the last stage of the tile before.

#include "compiler/target/cuda/gemm_sm90/EmitPingPongGemm.h"

#include "compiler/target/cuda/MBarrier.h"
#include "compiler/target/cuda/gemm_sm90/RegisterEpilogue.h"
#include "compiler/target/cuda/gemm_sm90/TmaCopies.h"
#include "compiler/target/cuda/gemm_sm90/WarpEpilogue.h"
#include "compiler/target/cuda/gemm_sm90/WarpGroupMultiply.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace minic::cuda {

namespace {

class PingPongEmitter {
public:
  PingPongEmitter(CudaKernelBuilder &k, KernelEntry entry,
                  const GemmEntry &gemm, const GemmSm90Geometry &g,
                  Value shared)
      : k_(k), entry_(entry), gemm_(gemm), g_(g), s_(g.schedule),
        shared_(shared), block_(k.blockIdX()), tilesM_(tilesOfRun()),
        tiles_(tilesM_ ? k.mul(tilesM_, g.raster.tilesN) : k.i32(g.blocks())),
        copies_(k, entry, g, shared, enterBlock()) {}

  void emit() {
    copies_.initBarriers();
    Value multiplies = k_.lessThan(k_.warpId(), 4 * s_.teams());
    k_.ifElse(multiplies, [&] { consume(); }, [&] { produce(); });
  }

private:
  /// Rows of tiles that the run has; null where it always has all of them.
  Value tilesOfRun() {
    if (!gemm_.bound) {
      return {};
    }
    Value rows = gemm_.rowsOfRun(k_, entry_, g_.raster);
    return k_.div(k_.add(rows, s_.bm - 1), s_.bm);
  }

  /// The first tile of the block. What is built from here on is for blocks that
  /// have one: of a run of fewer rows not all do.
  TileIndex enterBlock() {
    if (tilesM_) {
      auto branch = scf::IfOp::create(k_.b, k_.loc, k_.lessThan(block_, tiles_),
                                      /*withElseRegion=*/false);
      k_.b.setInsertionPointToStart(branch.thenBlock());
    }
    return locate(block_);
  }

  TileIndex locate(Value tile) {
    return tilesM_ ? g_.raster.locateOfRows(k_, tile, tilesM_)
                   : g_.raster.locate(k_, tile);
  }

  Value select(Value condition, int64_t whenTrue, int64_t whenFalse) {
    return arith::SelectOp::create(k_.b, k_.loc, condition, k_.i32(whenTrue),
                                   k_.i32(whenFalse));
  }
  Value flip(Value parity) {
    return arith::XOrIOp::create(k_.b, k_.loc, parity, k_.i32(1));
  }

  /// Of all threads of a warp group: how many registers each has from here on.
  void setRegisters(int64_t count, NVVM::SetMaxRegisterAction action) {
    if (s_.movesRegisters()) {
      NVVM::SetMaxRegisterOp::create(k_.b, k_.loc, uint32_t(count), action);
    }
  }

  void produce() {
    setRegisters(GemmSm90Geometry::copyingRegisters,
                 NVVM::SetMaxRegisterAction::decrease);
    auto copy = [&] {
      Value elected =
          NVVM::ElectSyncOp::create(k_.b, k_.loc, k_.b.getI1Type(), Value());
      k_.ifThen(elected, [&] {
        copies_.prefetchMaps();
        copyFirst();
        copyRest();
      });
    };
    if (s_.movesRegisters()) {
      k_.ifThen(k_.equal(k_.warpId(), 4 * s_.teams()), copy);
    } else {
      copy();
    }
  }

  /// Stages that the first tile fills before any must be waited for.
  int64_t atOnce() const { return std::min(s_.stages, g_.kBlocks); }

  void copyFirst() {
    // Weights that no launch writes before the activations.
    bool isConstant = gemm_.isConstant(g_.rhs.value);
    bool early = s_.programmatic && !s_.keepsRhs && isConstant;
    auto eachOfFirst = [&](llvm::function_ref<void(Value)> body) {
      k_.forLoop(k_.i32(0), k_.i32(atOnce()), 1, body);
    };
    if (s_.keepsRhs && isConstant) {
      copies_.copyKeptRhs();
    } else if (early) {
      eachOfFirst([&](Value stage) {
        copies_.expect(stage);
        copies_.copyRhs(stage, stage);
      });
    }
    k_.waitForEarlierLaunches(s_.programmatic);
    if (s_.keepsRhs && !isConstant) {
      copies_.copyKeptRhs();
    }
    eachOfFirst([&](Value stage) {
      if (!early) {
        copies_.expect(stage);
      }
      copies_.copyLhs(stage, stage);
      if (!early && !s_.keepsRhs) {
        copies_.copyRhs(stage, stage);
      }
    });
    k_.allowLaterLaunches(s_.programmatic);
  }

  void copyRest() {
    // The place, and how many stages were filled before. A stage that is filled
    // again was left for the first time in phase 0.
    int64_t first = atOnce();
    bool isFull = first == s_.stages;
    SmallVector<Value> start = {k_.i32(isFull ? 0 : first),
                                k_.i32(isFull ? 0 : 1), k_.i32(first)};
    auto ofTile = [&](Value tile, ValueRange carried) {
      copies_.moveTo(locate(tile));
      Value isFirst = arith::CmpIOp::create(
          k_.b, k_.loc, arith::CmpIPredicate::eq, tile, block_);
      auto ofStage = [&](Value block, ValueRange values) {
        RingPlace place{values[0], values[1]};
        Value isAgain =
            arith::CmpIOp::create(k_.b, k_.loc, arith::CmpIPredicate::sge,
                                  values[2], k_.i32(s_.stages));
        k_.ifThen(isAgain, [&] { copies_.awaitEmpty(place); });
        copies_.expect(place.stage);
        copies_.copyLhs(place.stage, block);
        if (!s_.keepsRhs) {
          copies_.copyRhs(place.stage, block);
        }
        RingPlace after = copies_.next(place);
        return SmallVector<Value>{after.stage, after.parity,
                                  k_.add(values[2], 1)};
      };
      return k_.forLoop(select(isFirst, first, 0), k_.i32(g_.kBlocks), 1,
                        llvm::to_vector(carried), ofStage);
    };
    k_.forLoop(block_, tiles_, g_.residentBlocks(), start, ofTile);
  }

  /// The place `stages` stages after `place`.
  RingPlace skip(const RingPlace &place, int64_t stages) {
    Value after = k_.add(place.stage, stages % s_.stages);
    Value wraps = arith::CmpIOp::create(k_.b, k_.loc, arith::CmpIPredicate::sge,
                                        after, k_.i32(s_.stages));
    Value passed = arith::AddIOp::create(k_.b, k_.loc, select(wraps, 1, 0),
                                         k_.i32(stages / s_.stages));
    Value parity = k_.rem(k_.add(place.parity, passed), 2);
    return {k_.sub(after, select(wraps, s_.stages, 0)), parity};
  }

  void consume() {
    setRegisters(s_.teamRegisters, NVVM::SetMaxRegisterAction::increase);
    k_.waitForEarlierLaunches(s_.programmatic);
    Value thread = k_.threadIdX(), warp = k_.warpId();
    Value team = k_.div(warp, 4), inTeam = k_.rem(thread, 128);
    Value isSecond = k_.equal(team, 1);
    WarpGroupMultiply multiply(k_, g_, shared_, thread);
    Value memory =
        k_.advance(shared_,
                   k_.add(k_.mul(warp, g_.passBytes()),
                          s_.stages * g_.stageBytes() + g_.keptBytes()),
                   k_.b.getI8Type());
    if (s_.keepsRhs) {
      copies_.awaitKeptRhs();
    }
    // The second team's first stage comes after those of the first tile. The
    // first team may begin: the phase before the first one is complete.
    RingPlace zero = copies_.first(), one = skip(zero, g_.kBlocks);
    auto ofTeam = [&](Value second, Value first) -> Value {
      return arith::SelectOp::create(k_.b, k_.loc, isSecond, second, first);
    };
    SmallVector<Value> start = {ofTeam(one.stage, zero.stage),
                                ofTeam(one.parity, zero.parity),
                                select(isSecond, 0, 1)};
    auto ofTile = [&](Value tile, ValueRange carried) {
      TileIndex index = locate(tile);
      EpilogueEmitter toResults = gemm_.epilogue(k_, entry_);
      RegisterEpilogue inRegisters(k_, g_, gemm_.shape, toResults, index,
                                   memory, multiply.place());
      // While the other team multiplies, if registers are left beside sums.
      bool isEarly = inRegisters.inputRegisters() <= registersForColumns();
      WarpEpilogue throughMemory(k_, g_, toResults, memory, k_.rem(warp, 4),
                                 k_.laneId());
      if (!g_.finishesInRegisters) {
        throughMemory.prefetch(index);
      } else if (isEarly) {
        inRegisters.prefetch();
      }
      awaitPhase(k_, copies_.turn(team), carried[2]);
      RingPlace place{carried[0], carried[1]};
      SmallVector<Value> sums = loop(multiply, place, inTeam);
      k_.ifThen(k_.equal(inTeam, 0),
                [&] { arriveAt(k_, copies_.turn(k_.sub(k_.i32(1), team))); });
      multiply.finish(sums);
      RingPlace last = skip(place, g_.kBlocks - 1);
      copies_.release(last.stage, inTeam);
      if (g_.finishesInRegisters) {
        inRegisters.finish(sums);
      } else {
        throughMemory.finish(sums, index);
      }
      RingPlace next = skip(place, 2 * g_.kBlocks);
      return SmallVector<Value>{next.stage, next.parity, flip(carried[2])};
    };
    k_.forLoop(k_.add(block_, k_.mul(team, g_.residentBlocks())), tiles_,
               2 * g_.residentBlocks(), start, ofTile);
  }

  /// Registers of a team's thread for what is loaded ahead of results that are
  /// made in registers. `most` is more than the 168 that the assembler gives,
  /// and registers() more than products need: 64x256 tiles with a bias, which
  /// takes 32, assemble with 168 and no spills so.
  int64_t registersForColumns() const {
    constexpr int64_t most = 224;
    return (s_.movesRegisters() ? s_.teamRegisters : most) - g_.registers();
  }

  /// The products of a tile whose first stage is at `place`.
  SmallVector<Value> loop(WarpGroupMultiply &multiply, const RingPlace &place,
                          Value inTeam) {
    SmallVector<Value> carried = multiply.zeros();
    size_t sums = carried.size();
    // The stage before the one at hand, and that one.
    carried.append({place.stage, place.stage, place.parity});
    auto body = [&](Value block, ValueRange values) {
      SmallVector<Value> now(values);
      RingPlace at{now[sums + 1], now[sums + 2]};
      copies_.awaitFull(at);
      multiply.multiply(copies_.position(at.stage), block,
                        MutableArrayRef(now).take_front(sums));
      // Tensor cores go on with this stage while the one before is given back.
      multiply.wait(1);
      k_.ifThen(k_.lessThan(k_.i32(0), block),
                [&] { copies_.release(now[sums], inTeam); });
      RingPlace after = copies_.next(at);
      now[sums] = at.stage;
      now[sums + 1] = after.stage;
      now[sums + 2] = after.parity;
      return now;
    };
    SmallVector<Value> results =
        k_.forLoop(k_.i32(0), k_.i32(g_.kBlocks), 1, carried, body);
    results.resize(sums);
    return results;
  }

  CudaKernelBuilder &k_;
  KernelEntry entry_;
  const GemmEntry &gemm_;
  const GemmSm90Geometry &g_;
  const GemmSm90Schedule &s_;
  Value shared_, block_, tilesM_, tiles_;
  TmaCopies copies_;
};

} // namespace

void emitPingPongGemm(CudaKernelBuilder &k, KernelEntry entry,
                      const GemmEntry &gemm, const GemmSm90Geometry &g,
                      Value shared) {
  PingPongEmitter(k, entry, gemm, g, shared).emit();
}

} // namespace minic::cuda
