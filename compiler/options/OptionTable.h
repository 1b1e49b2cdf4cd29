// SPDX-License-Identifier: Apache-2.0
//
// OptionTable: the fields of CompileOptions by name. Command-line flags,
// `--help` and `--print-options` are all generated from this one table.

#ifndef MINIC_COMPILER_OPTIONS_OPTIONTABLE_H
#define MINIC_COMPILER_OPTIONS_OPTIONTABLE_H

#include "compiler/options/CompileOptions.h"

#include <functional>

namespace minic {

struct Option {
  std::string name;  // without dashes
  std::string group; // heading in --help
  std::string value; // "FILE", "on|off"; empty for a switch, "[=MHz]" for a
                     // value that may be missing: then `set` gets "max"
  std::string help;
  /// Stores `text` ("" for a switch that is given); returns an error that says
  /// what was expected, or nothing.
  std::function<std::string(CompileOptions &, const std::string &text)> set;
  /// The field as text that `set` accepts.
  std::function<std::string(const CompileOptions &)> get;
  /// Whether it may be given several times: `set` gets all texts, with lines
  /// between them.
  bool isRepeated = false;
};

/// In the order of --help. `mode` comes first: setting it resets every option
/// that it presets, so it must be applied before the others.
const std::vector<Option> &optionTable();

/// One "name = value" line per option.
std::string printOptions(const CompileOptions &options);

} // namespace minic

#endif // MINIC_COMPILER_OPTIONS_OPTIONTABLE_H
