// SPDX-License-Identifier: Apache-2.0
//
// mbarriers and copies by TMA.

#include "test/unit/compiler/target/cuda/SimtBlock.h"

#include "llvm/ADT/TypeSwitch.h"

namespace minic::cuda {

void SimtBlock::forBarriers(Operation *op, Value pointer,
                            llvm::function_ref<std::string(uint64_t)> f) {
  const Register pointers = get(pointer);
  for (int64_t t = 0; t != threads_ && error.empty(); ++t) {
    if (active_[size_t(t)]) {
      std::string why = f(pointers.bits[size_t(t)]);
      if (!why.empty()) {
        fail(op, why);
      }
    }
  }
}

void SimtBlock::runTryWait(NVVM::MBarrierTryWaitOp op) {
  const auto address = uint64_t(uniform(op, op.getAddr()));
  const int64_t parity = uniform(op, op.getStateOrPhase());
  if (!error.empty() || !op.getStateOrPhase().getType().isInteger(32)) {
    return fail(op, "not one barrier and the parity of one phase");
  }
  for (int64_t t = 0; t != threads_; ++t) {
    std::string why =
        active_[size_t(t)] ? barriers_->check(address, warpOf(t)) : "";
    if (!why.empty()) {
      return fail(op, why);
    }
  }
  if (strands_->chance()) {
    return define(op.getRes(), 0); // it gave up
  }
  bool isSo = strands_->waitUntil(
      strand_, [&] { return barriers_->isComplete(address, parity); });
  if (!isSo) {
    return fail(op, SimtStrands::deadlock);
  }
  define(op.getRes(), 1);
  for (int64_t t = 0; t < threads_; t += 32) {
    bool isHere = std::any_of(active_.begin() + t, active_.begin() + t + 32,
                              [](char each) { return each != 0; });
    std::string why = isHere ? barriers_->see(address, warpOf(t)) : "";
    if (!why.empty()) {
      return fail(op, why);
    }
  }
}

namespace {

/// A box on its way to shared memory: rows of 128 bytes, swizzled. What is
/// beyond the tensor is zero.
class Box {
public:
  Box(const SimtTensorMap &map, const SimtMemory &memory)
      : map_(map), memory_(memory) {}

  std::vector<char> data;

  /// Both return why it cannot be, empty if it can. Dimensions begin at `at`.
  std::string readTile(ArrayRef<int64_t> at) {
    if (!map_.steps.empty() || map_.box.size() != at.size()) {
      return "a tile of another rank, or of images";
    }
    std::string why = begin();
    for (int64_t row = 0; why.empty() && row != rows(); ++row) {
      SmallVector<int64_t> place(at);
      int64_t rest = row;
      for (size_t d = 1; d != map_.box.size(); ++d) {
        place[d] += rest % map_.box[d];
        rest /= map_.box[d];
      }
      why = readRow(row, place);
    }
    return why;
  }

  /// Pixels from `at` on, in the order of the images, each `tap` further on.
  std::string readPixels(ArrayRef<int64_t> at, ArrayRef<int64_t> tap) {
    if (map_.steps.size() != 2 || at.size() != 4 || tap.size() != 2) {
      return "pixels of no images, or of another rank";
    }
    std::string why = begin();
    SmallVector<int64_t> pixel(at);
    for (int64_t row = 0; why.empty() && row != rows(); ++row) {
      why = readRow(row,
                    {pixel[0], pixel[1] + tap[0], pixel[2] + tap[1], pixel[3]});
      // Columns, then lines begin again behind their last pixel.
      for (size_t d = 0; d != 2; ++d) {
        pixel[d + 1] += map_.steps[d];
        if (pixel[d + 1] < map_.dims[d + 1] + map_.upper[d]) {
          break;
        }
        pixel[d + 1] = map_.lower[d];
        pixel[3] += d == 1;
      }
    }
    return why;
  }

private:
  int64_t rows() const {
    return llvm::product_of(ArrayRef(map_.box).drop_front());
  }

  std::string begin() {
    if (map_.box[0] != 64) {
      return "a box whose rows are not of 128 bytes";
    }
    data.assign(size_t(rows() * 128), 0);
    return "";
  }

  std::string readRow(int64_t row, ArrayRef<int64_t> at) {
    uint64_t start = map_.address;
    for (size_t d = 1; d != at.size(); ++d) {
      if (at[d] < 0 || at[d] >= map_.dims[d]) {
        return "";
      }
      start += uint64_t(at[d] * map_.strides[d - 1]);
    }
    for (int64_t i = 0; i != 64; ++i) {
      int64_t place = at[0] + i;
      if (place < 0 || place >= map_.dims[0]) {
        continue;
      }
      uint64_t from = start + uint64_t(2 * place);
      std::string why = memory_.check(/*shared=*/false, from, 2, 2);
      if (!why.empty()) {
        return why;
      }
      int64_t chunk = i / 8 ^ row % 8;
      uint64_t bits = memory_.load(/*shared=*/false, from, 2);
      std::memcpy(&data[size_t(row * 128 + chunk * 16 + i % 8 * 2)], &bits, 2);
    }
    return "";
  }

  const SimtTensorMap &map_;
  const SimtMemory &memory_;
};

} // namespace

void SimtBlock::runBulkCopy(NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp op) {
  bool isCluster =
      cast<LLVM::LLVMPointerType>(op.getDstMem().getType()).getAddressSpace() ==
      7;
  bool isImages = op.getMode() == NVVM::TMALoadMode::IM2COL;
  if (isCluster == op.getIsCTAOnly() || op.getPredicate() ||
      (!isImages && op.getMode() != NVVM::TMALoadMode::TILE)) {
    return fail(op, "unknown form of a copy by TMA");
  }
  for (int64_t t = 0; t != threads_; ++t) {
    if (!active_[size_t(t)]) {
      continue;
    }
    auto bitsOfThread = [&](Value value) { return get(value).bits[size_t(t)]; };
    const auto &map = *reinterpret_cast<const SimtTensorMap *>(
        uintptr_t(bitsOfThread(op.getTmaDescriptor())));
    auto integers = [&](OperandRange values) {
      SmallVector<int64_t> made;
      for (Value each : values) {
        made.push_back(integerOf(each, t));
      }
      return made;
    };
    SmallVector<int64_t> at = integers(op.getCoordinates());
    Box box(map, memory_);
    std::string why = isImages
                          ? box.readPixels(at, integers(op.getIm2colOffsets()))
                          : box.readTile(at);
    const std::vector<char> &data = box.data;
    const uint64_t to = bitsOfThread(op.getDstMem()),
                   barrier = bitsOfThread(op.getMbar());
    const auto pitch = uint64_t(memory_.pitch());
    uint64_t mask = op.getMulticastMask()
                        ? bitsOfThread(op.getMulticastMask()) & 0xffff
                        : uint64_t(1) << blockOf(t);
    if (why.empty() && (to % 1024 != 0 || mask >> blocks_ != 0 || mask == 0)) {
      why = "a copy by TMA to no multiple of 1024, or to no block";
    }
    for (int64_t block = 0; why.empty() && block != blocks_; ++block) {
      if ((mask >> block & 1) == 0) {
        continue;
      }
      auto in = [&](uint64_t address) {
        return blocks_ == 1 ? address
                            : address % pitch + uint64_t(block) * pitch;
      };
      why = memory_.check(/*shared=*/true, in(to), int64_t(data.size()), 128);
      if (why.empty()) {
        why = barriers_->copy(in(to), data, in(barrier), warpOf(t));
      }
    }
    if (!why.empty()) {
      return fail(op, why);
    }
  }
}

bool SimtBlock::runBulk(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](NVVM::MBarrierInitOp init) {
        int64_t count = uniform(op, init.getCount());
        forBarriers(op, init.getAddr(), [&](uint64_t address) {
          return barriers_->init(address, count, warpOf(0));
        });
        return true;
      })
      .Case([&](NVVM::MBarrierArriveOp arrive) {
        forBarriers(op, arrive.getAddr(), [&](uint64_t address) {
          return barriers_->arrive(address, 0, warpOf(0));
        });
        return true;
      })
      .Case([&](NVVM::MBarrierArriveExpectTxOp arrive) {
        int64_t bytes = uniform(op, arrive.getTxcount());
        forBarriers(op, arrive.getAddr(), [&](uint64_t address) {
          return barriers_->arrive(address, bytes, warpOf(0));
        });
        return true;
      })
      .Case(
          [&](NVVM::MBarrierTryWaitOp each) { return runTryWait(each), true; })
      .Case([&](NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp each) {
        return runBulkCopy(each), true;
      })
      // Registers are not counted here.
      .Case([&](NVVM::SetMaxRegisterOp) { return true; })
      .Case([&](NVVM::ElectSyncOp elect) {
        Register &result = define(elect.getPred());
        for (int64_t first = 0; first < threads_; first += 32) {
          bool isDone = false;
          for (int64_t t = first; t != std::min(first + 32, threads_); ++t) {
            result.bits[size_t(t)] = active_[size_t(t)] && !isDone;
            isDone |= active_[size_t(t)] != 0;
          }
        }
        return true;
      })
      .Case([&](LLVM::AddrSpaceCastOp) {
        return each(op, [](ArrayRef<uint64_t> in) { return in[0]; }), true;
      })
      .Case<NVVM::FenceMbarrierInitOp, NVVM::PrefetchOp, scf::ConditionOp>(
          [](Operation *) { return true; })
      .Default([](Operation *) { return false; });
}

} // namespace minic::cuda
