// SPDX-License-Identifier: Apache-2.0
//
// One flag per row of the table.

#include "tools/minic/CompileFlags.h"

#include "compiler/options/BackendNames.h"
#include "compiler/options/OptionTable.h"

#include <cstdlib>

namespace minic {

void CompileFlags::addTo(CLI::App &app) {
  for (const Option &option : optionTable()) {
    std::string name = (option.name == "output" ? "-o,--" : "--") + option.name;
    bool mayLack = option.value.starts_with("[=");
    CLI::Option *flag =
        option.value.empty()
            ? app.add_flag(name, switches[option.name], option.help)
        : mayLack
            ? app.add_flag(name + "{max}", values[option.name], option.help)
                  ->type_name(option.value)
                  ->take_last()
            : app.add_option(name, values[option.name], option.help)
                  ->type_name(option.value)
                  ->take_last();
    if (option.isRepeated) {
      flag->join()->allow_extra_args(false);
    }
    flag->group(option.group);
    flags[option.name] = flag;
  }
}

std::string CompileFlags::apply(CompileOptions &options) const {
  if (const char *topics = std::getenv("MINIC_LOG")) {
    std::string error;
    if (std::optional<Log> log = Log::parse(topics, error)) {
      options.log = *log;
    } else {
      return "MINIC_LOG: " + error;
    }
  }
  // The table has the mode first, so that options beside it win.
  for (const Option &option : optionTable()) {
    if (flags.at(option.name)->count() == 0) {
      continue;
    }
    std::string text =
        option.value.empty() ? std::string() : values.at(option.name);
    if (std::string error = option.set(options, text); !error.empty()) {
      return "--" + option.name + ": " + error;
    }
  }
  // With plug-ins it is known once they are open.
  return options.plugins.empty() ? findUnknownBackend(options, {})
                                 : std::string();
}

} // namespace minic
