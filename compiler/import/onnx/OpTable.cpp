// SPDX-License-Identifier: Apache-2.0
//
// One index over the parts of the table.

#include "compiler/import/onnx/OpTable.h"

#include <map>

namespace minic {

using Key = std::pair<llvm::StringRef, llvm::StringRef>;

static std::multimap<Key, const OpEntry *> makeIndex() {
  std::multimap<Key, const OpEntry *> index;
  for (llvm::ArrayRef<OpEntry> part :
       {pointwiseOps(), activationOps(), productOps(), reductionOps(),
        orderOps(), shapeOps(), moveOps(), indexOps(), normOps(),
        attentionOps(), lossOps()}) {
    for (const OpEntry &entry : part) {
      index.emplace(Key(entry.domain, entry.name), &entry);
    }
  }
  return index;
}

const OpEntry *findOp(llvm::StringRef domain, llvm::StringRef name,
                      int64_t opset, bool &isKnown) {
  static const std::multimap<Key, const OpEntry *> index = makeIndex();
  auto [begin, end] = index.equal_range(Key(domain, name));
  isKnown = begin != end;
  for (auto it = begin; it != end; ++it) {
    if (it->second->since <= opset && opset <= it->second->until) {
      return it->second;
    }
  }
  return nullptr;
}

} // namespace minic
