// SPDX-License-Identifier: Apache-2.0
//
// Labels go before plug-ins of the same name.

#include "compiler/options/BackendNames.h"

#include "compiler/options/OptionKinds.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace minic {

static const BackendLabel *findLabel(llvm::StringRef name) {
  return llvm::find_if(allBackendLabels, [&](BackendLabel label) {
    return toString(label) == name;
  });
}

static bool isLabel(llvm::StringRef name) {
  return findLabel(name) != std::end(allBackendLabels);
}

BackendLabel labelNamed(llvm::StringRef name) {
  return isLabel(name) ? *findLabel(name) : BackendLabel::Plugin;
}

std::vector<std::string> pluginsNamed(const std::vector<std::string> &names) {
  std::vector<std::string> plugins;
  if (!llvm::is_contained(names, toString(BackendLabel::Plugin))) {
    llvm::copy_if(names, std::back_inserter(plugins),
                  [](const std::string &name) { return !isLabel(name); });
  }
  return plugins;
}

/// Kernels of the model's own are no matter of convolutions.
static bool mayName(llvm::StringRef option, BackendLabel label) {
  return option != "conv-backends" || label != BackendLabel::User;
}

static std::string describeExpected(llvm::StringRef option,
                                    llvm::ArrayRef<std::string> plugins,
                                    llvm::StringRef text) {
  std::vector<std::string> known;
  for (BackendLabel label : allBackendLabels) {
    if (mayName(option, label)) {
      known.push_back(toString(label).str());
    }
  }
  llvm::append_range(known, plugins);
  return "expected a comma-separated list of " + llvm::join(known, ", ") +
         ", got '" + text.str() + "'";
}

std::string findUnknownBackend(const CompileOptions &options,
                               llvm::ArrayRef<std::string> plugins) {
  const std::pair<llvm::StringRef, const std::vector<std::string> &> lists[] = {
      {"gemm-backends", options.gemmBackends},
      {"conv-backends", options.convBackends}};
  for (const auto &[option, names] : lists) {
    for (const std::string &name : names) {
      if (!isLabel(name) && !llvm::is_contained(plugins, name)) {
        return "--" + option.str() + ": " +
               describeExpected(option, plugins, llvm::join(names, ","));
      }
    }
  }
  return "";
}

/// Whether a plug-in may be called so (minic/plugin.h).
static bool isPluginName(llvm::StringRef name) {
  return !name.empty() && name.size() <= 32 && llvm::all_of(name, [](char c) {
    return llvm::isLower(c) || llvm::isDigit(c) || c == '_' || c == '-';
  });
}

Option option::backends(std::string name, std::string group, std::string help,
                        std::vector<std::string> CompileOptions::*field) {
  Option option = list(name, group, "LIST", {}, help, field);
  option.set = [name, field](CompileOptions &options, const std::string &text) {
    std::vector<std::string> words;
    for (llvm::StringRef word : llvm::split(text, ',')) {
      words.push_back(word.trim().str());
      bool isMisplaced =
          isLabel(words.back()) && !mayName(name, labelNamed(words.back()));
      if (!isPluginName(words.back()) || isMisplaced) {
        return describeExpected(name, {}, text);
      }
    }
    options.*field = words;
    return std::string();
  };
  return option;
}

} // namespace minic
