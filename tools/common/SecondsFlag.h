// SPDX-License-Identifier: Apache-2.0
//
// SecondsFlag: options that take a number of seconds, of which 0 is no limit.

#ifndef MINIC_TOOLS_COMMON_SECONDSFLAG_H
#define MINIC_TOOLS_COMMON_SECONDSFLAG_H

#include <CLI/CLI.hpp>

#include <cmath>
#include <string>

namespace minic::tools {

/// Adds an option that sets `seconds`; less than zero is an error.
inline CLI::Option *addSecondsFlag(CLI::App &app, const std::string &name,
                                   double &seconds, const std::string &help) {
  return app.add_option(name, seconds, help)
      ->type_name("SECONDS")
      ->check([](const std::string &text) {
        double value = 0;
        bool isTime = CLI::detail::lexical_cast(text, value) &&
                      std::isfinite(value) && value >= 0;
        return isTime ? std::string()
                      : "expected seconds, 0 for no limit, got '" + text + "'";
      });
}

} // namespace minic::tools

#endif // MINIC_TOOLS_COMMON_SECONDSFLAG_H
