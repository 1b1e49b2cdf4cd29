// SPDX-License-Identifier: Apache-2.0
//
// One index over the parts of the table.

#include "compiler/import/onnx/OpTable.h"

#include <map>

namespace minic {

llvm::ArrayRef<OpEntry> gridSampleOps();

using Key = std::pair<llvm::StringRef, llvm::StringRef>;

/// Imported with the nodes inside of it (ImportNodes.cpp).
static llvm::ArrayRef<OpEntry> controlOps() {
  static const OpEntry table[] = {{"If", nullptr, 1, "known condition"}};
  return table;
}

llvm::ArrayRef<OpKind> opKinds() {
  static const OpKind kinds[] = {
      {"products", productOps()},
      {"sums of products", einsumOps()},
      {"quantization", quantizeOps()},
      {"convolutions of bytes", quantizedConvolutionOps()},
      {"products of bytes", quantizedProductOps()},
      {"pointwise", pointwiseOps()},
      {"activations", activationOps()},
      {"reductions", reductionOps()},
      {"windows", windowOps()},
      {"norms", normOps()},
      {"attention", attentionOps()},
      {"recurrent", recurrentOps()},
      {"order", orderOps()},
      {"shapes", shapeOps()},
      {"moves", moveOps()},
      {"resizing", resizeOps()},
      {"by index", indexOps()},
      {"sampling", gridSampleOps()},
      {"signals", signalOps()},
      {"losses", lossOps()},
      {"control", controlOps()},
      {"ONNX Runtime", contribOps()},
      {"attention of ONNX Runtime", contribAttentionOps()},
      {"cached attention of ONNX Runtime", groupQueryOps()},
  };
  return kinds;
}

static std::multimap<Key, const OpEntry *> makeIndex() {
  std::multimap<Key, const OpEntry *> index;
  for (const OpKind &kind : opKinds()) {
    for (const OpEntry &entry : kind.ops) {
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
