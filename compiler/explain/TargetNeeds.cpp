// SPDX-License-Identifier: Apache-2.0
//
// Features of variants and libraries of calls, as text.

#include "compiler/explain/TargetNeeds.h"

#include "dialects/plan/Plan.h"
#include "runtime/format/CallTable.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace mlir;

namespace minic {

/// The call is a verified one.
static StringRef libraryOf(plan::CallOp call) {
  plan::LibraryCallAttr attr = call.getDescriptor();
  return format::findCall(attr.getLibrary().str(), attr.getOp().str())
      ->libraryName;
}

static std::string describe(plan::VariantOp variant) {
  std::string text = variant.getTarget().str();
  if (text == "cpu") {
    text += llvm::formatv(", {0} thread{1}", variant.getThreads(),
                          variant.getThreads() == 1 ? "" : "s")
                .str();
  }
  text += ":";
  for (auto feature : variant.getIsa().getAsRange<StringAttr>()) {
    text += " " + feature.getValue().str();
  }
  std::map<std::string, int> calls;
  variant.walk([&](plan::CallOp call) {
    std::string library = libraryOf(call).str();
    if (auto version = call.getLibraryVersion(); version && !version->empty()) {
      library += " " + version->str();
    }
    ++calls[library];
  });
  StringRef separator = variant.getIsa().empty() ? " " : ", ";
  for (const auto &[library, count] : calls) {
    text += llvm::formatv("{0}{1} for {2} call{3}", separator, library, count,
                          count == 1 ? "" : "s")
                .str();
    separator = ", ";
  }
  return variant.getIsa().empty() && calls.empty() ? text + " nothing" : text;
}

std::vector<std::string> describeNeeds(ModuleOp plan) {
  std::vector<std::string> lines;
  plan.walk([&](plan::VariantOp variant) {
    std::string line = describe(variant);
    if (!llvm::is_contained(lines, line)) {
      lines.push_back(std::move(line));
    }
  });
  return lines;
}

} // namespace minic
