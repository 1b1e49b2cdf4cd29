// SPDX-License-Identifier: Apache-2.0
//
// The subcommands of minic. Each parses its own arguments (argv[0] is its
// name), prints results on stdout and errors on stderr, and returns an exit
// code of docs/exit-codes.md.

#ifndef MINIC_TOOLS_MINIC_COMMANDS_H
#define MINIC_TOOLS_MINIC_COMMANDS_H

#include "compiler/Diagnostics.h"

#include <string>

namespace CLI {
class App;
}

namespace minic {

int compileCommand(int argc, char **argv);
int explainCommand(int argc, char **argv);
int inspectCommand(int argc, char **argv);
int evaluateCommand(int argc, char **argv);
int devicesCommand(int argc, char **argv);
int buildWorkerCommand(int argc, char **argv);

/// Prints "minic: error: MESSAGE" and returns the code.
int fail(ExitCode code, const std::string &message);

/// Parses; true to go on. Otherwise `exitCode` is what to return: 0 after
/// --help, 2 after one line on what is wrong.
bool parseArguments(CLI::App &app, int argc, char **argv, int &exitCode);

} // namespace minic

#endif // MINIC_TOOLS_MINIC_COMMANDS_H
