// SPDX-License-Identifier: Apache-2.0
//
// Loads, stores, copies and the addresses they take.

#include "test/unit/compiler/target/cuda/SimtBlock.h"

#include "llvm/ADT/TypeSwitch.h"

namespace minic::cuda {

/// What stands for a policy of L2.
constexpr uint64_t policy = 0x12f0;

void SimtBlock::runGep(LLVM::GEPOp op) {
  if (op.getIndices().size() != 1) {
    return fail(op, "more than one index");
  }
  int64_t size = std::max<int64_t>(bitsOf(op.getElemType()) / 8, 1);
  auto index = *op.getIndices().begin();
  if (auto constant = dyn_cast<IntegerAttr>(index)) {
    int64_t offset = constant.getInt() * size;
    return each(
        op, [&](ArrayRef<uint64_t> in) { return in[0] + uint64_t(offset); });
  }
  int64_t width = bitsOf(cast<Value>(index).getType());
  each(op, [&](ArrayRef<uint64_t> in) {
    return in[0] + uint64_t(signedOf(in[1], width) * size);
  });
}

void SimtBlock::runLoad(LLVM::LoadOp op) {
  Type element = elementOf(op.getType());
  int64_t bytes = bitsOf(element) / 8;
  Register pointers = get(op.getAddr());
  Register &result = define(op.getResult());
  for (int64_t t = 0; t != threads_; ++t) {
    if (!active_[size_t(t)]) {
      continue;
    }
    uint64_t address = pointers.bits[size_t(t)];
    std::string why =
        memory_.check(isShared(op.getAddr()), address, result.width * bytes,
                      int64_t(op.getAlignment().value_or(1)));
    if (why.empty() && isShared(op.getAddr())) {
      why = memory_.checkBlock(address, warpOf(t));
    }
    if (why.empty() && isShared(op.getAddr())) {
      why = memory_.readShared(address, result.width * bytes, warpOf(t));
    }
    if (!why.empty()) {
      return fail(op, why);
    }
    for (int64_t e = 0; e != result.width; ++e) {
      result.bits[size_t(t * result.width + e)] = memory_.load(
          isShared(op.getAddr()), address + uint64_t(e * bytes), bytes);
    }
  }
}

void SimtBlock::runInlineAccess(LLVM::InlineAsmOp op) {
  StringRef text = op.getAsmString();
  if (text == "mov.b64 $0, $1;") {
    return each(op, [](ArrayRef<uint64_t> in) { return in[0]; });
  }
  if (text.starts_with("createpolicy.")) {
    return define(op.getResult(0), policy);
  }
  if (text.starts_with("st.global.L2::cache_hint.")) {
    return runStoreByPolicy(op);
  }
  if (!op.getAsmString().starts_with("ld.global.") ||
      op.getOperands().size() != 1) {
    return fail(op, "unknown inline assembly");
  }
  // "[$4+128]"
  int64_t offset = 0;
  op.getAsmString().split('+').second.split(']').first.getAsInteger(10, offset);
  Register pointers = get(op.getOperands()[0]);
  Register &result = define(op.getResult(0));
  const int64_t bytes = 4 * result.width;
  for (int64_t t = 0; t != threads_; ++t) {
    if (!active_[size_t(t)]) {
      continue;
    }
    uint64_t address = pointers.bits[size_t(t)] + uint64_t(offset);
    std::string why = memory_.check(false, address, bytes, bytes);
    if (!why.empty()) {
      return fail(op, why);
    }
    for (int64_t e = 0; e != result.width; ++e) {
      result.bits[size_t(t * result.width + e)] =
          memory_.load(false, address + uint64_t(4 * e), 4);
    }
  }
}

void SimtBlock::runStoreByPolicy(LLVM::InlineAsmOp op) {
  // Where to, words, and the policy.
  auto words = llvm::to_vector(op.getOperands().drop_front().drop_back());
  const auto bytes = int64_t(4 * words.size());
  for (int64_t t = 0; t != threads_; ++t) {
    if (!active_[size_t(t)]) {
      continue;
    }
    auto bitsOfThread = [&](Value value) { return get(value).bits[size_t(t)]; };
    uint64_t address = bitsOfThread(op.getOperands().front());
    std::string why = memory_.check(false, address, bytes, bytes);
    if (bitsOfThread(op.getOperands().back()) != policy) {
      why = "a store by a policy that nothing made";
    }
    if (!why.empty()) {
      return fail(op, why);
    }
    for (auto [i, word] : llvm::enumerate(words)) {
      memory_.store(false, address + uint64_t(4 * i), 4, bitsOfThread(word));
    }
  }
}

void SimtBlock::runStore(LLVM::StoreOp op) {
  int64_t bytes = bitsOf(elementOf(op.getValue().getType())) / 8;
  const Register &pointers = get(op.getAddr());
  const Register &values = get(op.getValue());
  for (int64_t t = 0; t != threads_; ++t) {
    if (!active_[size_t(t)]) {
      continue;
    }
    uint64_t address = pointers.bits[size_t(t)];
    std::string why =
        memory_.check(isShared(op.getAddr()), address, values.width * bytes,
                      int64_t(op.getAlignment().value_or(1)));
    if (why.empty() && isShared(op.getAddr())) {
      why = memory_.checkBlock(address, warpOf(t));
    }
    if (why.empty() && isShared(op.getAddr())) {
      why = memory_.writeShared(address, values.width * bytes, warpOf(t));
    }
    if (!why.empty()) {
      return fail(op, why);
    }
    for (int64_t e = 0; e != values.width; ++e) {
      memory_.store(isShared(op.getAddr()), address + uint64_t(e * bytes),
                    bytes, values.bits[size_t(t * values.width + e)]);
    }
  }
}

void SimtBlock::runAtomic(LLVM::AtomicRMWOp op) {
  if (op.getBinOp() != LLVM::AtomicBinOp::uinc_wrap) {
    return fail(op, "unknown atomic");
  }
  const Register &pointers = get(op.getPtr());
  const Register values = get(op.getVal());
  Register made{1, std::vector<uint64_t>(size_t(threads_))};
  for (int64_t t = 0; t != threads_; ++t) {
    if (!active_[size_t(t)]) {
      continue;
    }
    uint64_t address = pointers.bits[size_t(t)];
    std::string why = memory_.check(false, address, 4, 4);
    if (!why.empty()) {
      return fail(op, why);
    }
    uint64_t old = memory_.load(false, address, 4);
    made.bits[size_t(t)] = old;
    memory_.store(false, address, 4,
                  old >= values.bits[size_t(t)] ? 0 : old + 1);
  }
  registers_[op.getResult()] = std::move(made);
}

void SimtBlock::runCopy(NVVM::CpAsyncOp op) {
  const Register &to = get(op.getDst()), &from = get(op.getSrc());
  const Register *sizes = op.getCpSize() ? &get(op.getCpSize()) : nullptr;
  int64_t bytes = op.getSize();
  for (int64_t t = 0; t != threads_; ++t) {
    auto at = size_t(t);
    if (!active_[at]) {
      continue;
    }
    int64_t read = sizes ? int64_t(sizes->bits[at]) : bytes;
    std::string why =
        memory_.copy(to.bits[at], from.bits[at], bytes, read, warpOf(t));
    if (!why.empty()) {
      return fail(op, why);
    }
  }
}

void SimtBlock::runProxyFence(NVVM::FenceProxyOp op) {
  bool ofShared = op.getKind() == NVVM::ProxyKind::async ||
                  op.getKind() == NVVM::ProxyKind::async_shared;
  for (int64_t first = 0; ofShared && first < threads_; first += 32) {
    // The others' writes stay unordered.
    bool isWhole = std::all_of(active_.begin() + first,
                               active_.begin() + std::min(first + 32, threads_),
                               [](char each) { return each != 0; });
    if (isWhole) {
      memory_.fenceProxy(warpOf(first));
    }
  }
}

void SimtBlock::runMapa(NVVM::MapaOp op) {
  const Register pointers = get(op.getA()), blocks = get(op.getB());
  Register &result = define(op.getRes());
  auto pitch = uint64_t(memory_.pitch());
  for (int64_t t = 0; t != threads_; ++t) {
    auto at = size_t(t);
    if (active_[at] && int64_t(blocks.bits[at]) >= blocks_) {
      return fail(op, "no such block in the cluster");
    }
    result.bits[at] = pointers.bits[at] % pitch + blocks.bits[at] * pitch;
  }
}

void SimtBlock::runBarrier(Operation *op) {
  if (!allActive()) {
    return fail(op, "a barrier in divergent code");
  }
  if (!strands_) {
    return memory_.barrier();
  }
  int64_t meeting = barriers_->arriveAtBlock(blockOf(0), threads_);
  if (!strands_->waitUntil(strand_, [&] {
        return barriers_->hasMetBlock(blockOf(0), meeting);
      })) {
    fail(op, SimtStrands::deadlock);
  }
}

void SimtBlock::runClusterBarrier(Operation *op) {
  if (!allActive()) {
    return fail(op, "a barrier in divergent code");
  }
  bool isWait = isa<NVVM::ClusterWaitOp>(op);
  if (isWait != (arrival_ != nullptr)) {
    return fail(op,
                "arrivals at a cluster's barrier and waits do not alternate");
  }
  if (!strands_ && isWait) {
    memory_.meet(/*release=*/isa<NVVM::ClusterArriveOp>(arrival_));
  } else if (strands_ && !isWait) {
    meeting_ = barriers_->arriveAtCluster(
        threads_, /*release=*/isa<NVVM::ClusterArriveOp>(op));
  } else if (strands_ && !strands_->waitUntil(strand_, [&] {
               return barriers_->hasMetCluster(meeting_);
             })) {
    return fail(op, SimtStrands::deadlock);
  }
  arrival_ = isWait ? nullptr : op;
}

bool SimtBlock::runMemory(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](LLVM::AddressOfOp address) {
        Register &reg = define(address.getResult());
        for (int64_t t = 0; t != threads_; ++t) {
          reg.bits[size_t(t)] = uint64_t(blockOf(t) * memory_.pitch());
        }
        return true;
      })
      .Case([&](LLVM::PtrToIntOp pointer) {
        int64_t width = bitsOf(pointer.getType());
        return each(op,
                    [&](ArrayRef<uint64_t> in) {
                      return lowBits(in[0], width);
                    }),
               true;
      })
      .Case([&](LLVM::GEPOp each) { return runGep(each), true; })
      .Case([&](LLVM::LoadOp each) { return runLoad(each), true; })
      .Case([&](LLVM::StoreOp each) { return runStore(each), true; })
      .Case([&](LLVM::InlineAsmOp each) { return runInlineAccess(each), true; })
      .Case([&](LLVM::AtomicRMWOp each) { return runAtomic(each), true; })
      .Case([&](NVVM::CpAsyncOp each) { return runCopy(each), true; })
      .Case([&](NVVM::CpAsyncCommitGroupOp) { return memory_.commit(), true; })
      .Case([&](NVVM::CpAsyncWaitGroupOp each) {
        return memory_.wait(each.getN()), true;
      })
      .Case([&](NVVM::BarrierOp) { return runBarrier(op), true; })
      .Case([&](NVVM::MapaOp each) { return runMapa(each), true; })
      .Case<NVVM::ClusterArriveOp, NVVM::ClusterArriveRelaxedOp,
            NVVM::ClusterWaitOp>(
          [&](Operation *each) { return runClusterBarrier(each), true; })
      .Case([&](NVVM::FenceProxyOp each) { return runProxyFence(each), true; })
      .Case<LLVM::FenceOp, NVVM::GriddepcontrolOp, NVVM::PrefetchOp,
            LLVM::ReturnOp, scf::YieldOp>([](Operation *) { return true; })
      .Default([](Operation *) { return false; });
}

} // namespace minic::cuda
