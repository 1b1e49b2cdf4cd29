// SPDX-License-Identifier: Apache-2.0
//
// PluginHost: the process that has a plug-in open, and answers questions with
// what the plug-in says. It may crash or hang; PluginProcess is who asks.
//
// Lines of JSON on both sides. First, unasked: {"name", "version", "seconds"}.
// Then {"problem"} is answered by {"names"} and {"problem", "schedule"} by
// {"kind", "data" in base64, "entry", "tiles", "grid", "block",
// "shared_bytes"}. Instead of any of these comes {"refused"} or {"failed"} with
// one line of text.

#ifndef MINIC_COMPILER_PLUGIN_PLUGINHOST_H
#define MINIC_COMPILER_PLUGIN_PLUGINHOST_H

#include <cstdio>
#include <string>

namespace minic {

/// Opens `path`, then answers lines of `input` on `output` until the input
/// ends. Returns the exit code of the process.
int servePlugin(const std::string &path, std::FILE *input, std::FILE *output);

} // namespace minic

#endif // MINIC_COMPILER_PLUGIN_PLUGINHOST_H
