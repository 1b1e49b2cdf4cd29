// SPDX-License-Identifier: Apache-2.0
//
// A loop over turns, in each of which a thread has a few elements.

#include "compiler/target/cuda/attention/BlockElements.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cuda {

/// Of each kind, in one turn.
constexpr int64_t kAtATime = 4;

void emitElements(CudaKernelBuilder &k, int64_t threads,
                  ArrayRef<BlockElements> elements,
                  function_ref<void()> beforeStores) {
  int64_t most = 0;
  for (const BlockElements &kind : elements) {
    most = std::max(most, kind.count);
  }
  auto perThread = int64_t(llvm::divideCeil(most, threads));
  int64_t atATime = std::min(perThread, kAtATime);
  auto turns = int64_t(llvm::divideCeil(perThread, atATime));
  k.forLoop(k.i32(0), k.i32(turns), 1, [&](Value turn) {
    Value first = k.add(k.mul(turn, atATime * threads), k.threadIdX());
    struct Pending {
      const BlockElements *kind;
      Value number;
      BlockElements::Made made;
    };
    SmallVector<Pending> pending;
    for (int64_t i = 0; i != atATime; ++i) {
      for (const BlockElements &kind : elements) {
        if (i * threads < kind.count) {
          Value number = k.add(first, i * threads);
          Value exists = k.min(number, k.i32(kind.count - 1));
          pending.push_back({&kind, number, kind.make(exists)});
        }
      }
    }
    if (beforeStores) {
      beforeStores();
    }
    for (const Pending &each : pending) {
      auto store = [&] { each.kind->store(each.number, each.made); };
      if (each.kind->count == turns * atATime * threads) {
        store();
      } else {
        k.ifThen(k.lessThan(each.number, each.kind->count), store);
      }
    }
  });
}

} // namespace minic::cuda
