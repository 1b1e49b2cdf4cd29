// SPDX-License-Identifier: Apache-2.0
//
// Reads the list of scopes that torch.onnx writes, or takes a name apart.

#include "compiler/import/onnx/ModuleNames.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

using llvm::StringRef;

namespace minic {

/// The strings of a Python list, "['', 'encoder', 'linear']".
static std::vector<std::string> stringsOf(StringRef list) {
  std::vector<std::string> strings;
  for (size_t start = list.find_first_of("'\""); start != StringRef::npos;
       start = list.find_first_of("'\"")) {
    char quote = list[start];
    list = list.drop_front(start + 1);
    size_t end = list.find(quote);
    if (end == StringRef::npos) {
      break;
    }
    strings.push_back(list.take_front(end).str());
    list = list.drop_front(end + 1);
  }
  return strings;
}

std::vector<std::string> modulesOf(const ::onnx::NodeProto &node) {
  std::vector<std::string> modules;
  for (const auto &property : node.metadata_props()) {
    if (property.key() != "pkg.torch.onnx.name_scopes") {
      continue;
    }
    modules = stringsOf(property.value());
    if (!modules.empty()) {
      modules.pop_back(); // the node itself
    }
    std::erase(modules, ""); // the whole program
    return modules;
  }
  StringRef name = node.name();
  if (!name.consume_front("/")) {
    return modules;
  }
  llvm::SmallVector<StringRef> parts;
  name.split(parts, '/');
  std::string path;
  for (StringRef part : llvm::ArrayRef(parts).drop_back()) {
    path += (path.empty() ? "" : ".") + part.str();
    modules.push_back(path);
  }
  return modules;
}

} // namespace minic
