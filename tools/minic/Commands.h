// SPDX-License-Identifier: Apache-2.0
//
// The subcommands of minic. Each parses its own arguments (argv[0] is its
// name), prints results on stdout and errors on stderr, and returns an exit
// code of docs/exit-codes.md.

#ifndef MINIC_TOOLS_MINIC_COMMANDS_H
#define MINIC_TOOLS_MINIC_COMMANDS_H

#include "tools/common/CommandLine.h"

namespace minic {

using tools::ExitCode;

/// What errors start with, whichever the subcommand.
inline constexpr const char *toolName = "minic";

int compareCommand(int argc, char **argv);
int compileCommand(int argc, char **argv);
int explainCommand(int argc, char **argv);
int inspectCommand(int argc, char **argv);
int evaluateCommand(int argc, char **argv);
int devicesCommand(int argc, char **argv);
int buildWorkerCommand(int argc, char **argv);
int pluginHostCommand(int argc, char **argv);

} // namespace minic

#endif // MINIC_TOOLS_MINIC_COMMANDS_H
