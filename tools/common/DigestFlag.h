// SPDX-License-Identifier: Apache-2.0
//
// DigestFlag: --expected-digest= of the tools that run artifacts.

#ifndef MINIC_TOOLS_COMMON_DIGESTFLAG_H
#define MINIC_TOOLS_COMMON_DIGESTFLAG_H

#include "runtime/format/Digest.h"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

namespace minic::tools {

/// Adds --expected-digest=sha256:HEX, which sets `digest`.
inline CLI::Option *addDigestFlag(CLI::App &app,
                                  std::optional<format::Digest> &digest) {
  return app
      .add_option_function<std::string>(
          "--expected-digest",
          [&digest](const std::string &text) {
            digest = *format::parseDigest(text);
          },
          "Load the model only if its file has this digest, which 'minic "
          "inspect --digest' prints")
      ->type_name("sha256:HEX")
      ->check([](const std::string &text) {
        return std::string(format::parseDigest(text).status().message());
      });
}

} // namespace minic::tools

#endif // MINIC_TOOLS_COMMON_DIGESTFLAG_H
