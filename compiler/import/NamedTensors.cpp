// SPDX-License-Identifier: Apache-2.0
//
// Walks locations; the outer name of several that hold each other wins.

#include "compiler/import/NamedTensors.h"

#include "mlir/IR/Location.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace minic {

static void collect(Location location, std::vector<std::string> &names) {
  auto add = [&](std::string name) {
    if (!llvm::is_contained(names, name)) {
      names.push_back(std::move(name));
    }
  };
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location each : fused.getLocations()) {
      collect(each, names);
    }
  } else if (auto name = dyn_cast<NameLoc>(location)) {
    add(name.getName().str());
  } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
    collect(call.getCallee(), names);
  } else if (auto place = dyn_cast<FileLineColLoc>(location)) {
    add((llvm::sys::path::filename(place.getFilename()) + ":" +
         Twine(place.getLine()))
            .str());
  }
}

std::vector<std::string> namesIn(Location location) {
  std::vector<std::string> names;
  collect(location, names);
  return names;
}

} // namespace minic
