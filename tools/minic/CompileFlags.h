// SPDX-License-Identifier: Apache-2.0
//
// CompileFlags: the table of compile options as command-line flags.

#ifndef MINIC_TOOLS_MINIC_COMPILEFLAGS_H
#define MINIC_TOOLS_MINIC_COMPILEFLAGS_H

#include "compiler/options/CompileOptions.h"

#include <CLI/CLI.hpp>

#include <map>
#include <memory>

namespace minic {

/// Flags of one command line; lives as long as the CLI::App they are added to.
class CompileFlags {
public:
  /// Adds --NAME for every option, grouped; -o stands for --output.
  void addTo(CLI::App &app);
  /// What was given, over the preset of the mode, over MINIC_LOG. Returns one
  /// line on a value that an option rejects, or nothing.
  std::string apply(CompileOptions &options) const;

private:
  // CLI11 keeps pointers to the values.
  std::map<std::string, std::string> values;
  std::map<std::string, bool> switches;
  std::map<std::string, CLI::Option *> flags;
};

} // namespace minic

#endif // MINIC_TOOLS_MINIC_COMPILEFLAGS_H
