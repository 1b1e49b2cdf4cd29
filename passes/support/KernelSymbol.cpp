// SPDX-License-Identifier: Apache-2.0
//
// Text to a symbol.

#include "passes/support/KernelSymbol.h"

#include "dialects/kernel/MainAnchor.h"
#include "passes/support/FusionLabel.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace minic {

/// What tells most of its shape: the matrices of a contraction, the image and
/// filter of a convolution, what another anchor reduces, the inputs of anything
/// else.
static ValueRange shownOperands(Operation *op) {
  if (auto fusion = dyn_cast<kernel::FusionOp>(op)) {
    if (Operation *anchor = kernel::getMainAnchor(fusion)) {
      return anchor->getOperands().take_front(
          std::min<size_t>(anchor->getNumOperands(), 2));
    }
  }
  return op->getOperands();
}

std::string kernelSymbol(Operation *op, StringRef schedule) {
  constexpr size_t longest = 120, hashDigits = 16;
  std::string text = labelOf(op);
  llvm::raw_string_ostream os(text);
  for (Value operand : shownOperands(op)) {
    auto type = cast<RankedTensorType>(operand.getType());
    os << '_';
    llvm::interleave(type.getShape(), os, "x");
  }
  os << '_'
     << cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  if (!schedule.empty()) {
    os << "__" << schedule;
  }
  std::string symbol;
  for (char c : text) {
    if (llvm::isAlnum(c) || c == '_') {
      symbol += c;
    } else if (c != '=' && (symbol.empty() || symbol.back() != '_')) {
      symbol += '_';
    }
  }
  if (symbol.size() > longest) {
    std::string hash = llvm::formatv("_{0:x-16}", llvm::xxh3_64bits(symbol));
    symbol.resize(longest - hashDigits - 1);
    symbol += hash;
  }
  return symbol;
}

} // namespace minic
