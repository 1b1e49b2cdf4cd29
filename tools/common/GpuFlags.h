// SPDX-License-Identifier: Apache-2.0
//
// GpuFlags: --device= and --graph= of the tools that run programs.

#ifndef MINIC_TOOLS_COMMON_GPUFLAGS_H
#define MINIC_TOOLS_COMMON_GPUFLAGS_H

#include "runtime/device/Device.h"

#include <CLI/CLI.hpp>

#include <map>
#include <string>

namespace minic::tools {

/// Adds --graph=artifact|on|off, which sets `mode`.
inline CLI::Option *addGraphFlag(CLI::App &app, runtime::GraphMode &mode) {
  using runtime::GraphMode;
  static const std::map<std::string, GraphMode> modes = {
      {"artifact", GraphMode::Artifact},
      {"on", GraphMode::On},
      {"off", GraphMode::Off}};
  return app
      .add_option_function<std::string>(
          "--graph",
          [&mode](const std::string &name) { mode = modes.at(name); },
          "On a GPU: replay a captured graph as the artifact says (default), "
          "always, or never")
      ->type_name("artifact|on|off")
      ->check(CLI::IsMember(modes));
}

/// Adds --device=N, which sets `index`.
inline CLI::Option *addDeviceFlag(CLI::App &app, int &index) {
  return app.add_option("--device", index, "Index of the GPU (default: 0)")
      ->type_name("N")
      ->check(CLI::Range(0, 1023));
}

} // namespace minic::tools

#endif // MINIC_TOOLS_COMMON_GPUFLAGS_H
