// SPDX-License-Identifier: Apache-2.0
//
// The lookup that all formats share.

#include "compiler/import/WeightSource.h"

#include "llvm/ADT/STLExtras.h"

namespace minic {

const WeightSource::Entry *WeightSource::find(llvm::StringRef name) const {
  auto it = entries.find(name);
  return it == entries.end() ? nullptr : &it->second;
}

std::vector<llvm::StringRef> WeightSource::names() const {
  std::vector<llvm::StringRef> names(entries.keys().begin(),
                                     entries.keys().end());
  llvm::sort(names);
  return names;
}

} // namespace minic
