// SPDX-License-Identifier: Apache-2.0
//
// minic: the compiler. Without a command it compiles.

#include "runtime/measure/ClockKeeper.h"
#include "tools/minic/Commands.h"

#include <cstring>

int main(int argc, char **argv) {
  struct Command {
    const char *name;
    int (*run)(int argc, char **argv);
  };
  static constexpr Command commands[] = {
      {"build-worker", minic::buildWorkerCommand},
      {"compare", minic::compareCommand},
      {"compile", minic::compileCommand},
      {"devices", minic::devicesCommand},
      {"evaluate", minic::evaluateCommand},
      {"explain", minic::explainCommand},
      {"inspect", minic::inspectCommand},
      {"plugin-host", minic::pluginHostCommand},
      {minic::runtime::clockKeeperCommand, minic::runtime::keepClocks},
  };
  for (const Command &command : commands) {
    if (argc > 1 && std::strcmp(argv[1], command.name) == 0) {
      return command.run(argc - 1, argv + 1);
    }
  }
  return minic::compileCommand(argc, argv);
}
