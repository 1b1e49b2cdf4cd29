// SPDX-License-Identifier: Apache-2.0
//
// ClockKeeper: the process that locks a GPU's clocks and unlocks them when the
// one that started it is done or dead.

#ifndef MINIC_RUNTIME_MEASURE_CLOCKKEEPER_H
#define MINIC_RUNTIME_MEASURE_CLOCKKEEPER_H

namespace minic::runtime {

/// The first argument by which main() knows that it is one.
constexpr const char *clockKeeperCommand = "keep-clocks";

/// What precedes the clock in its answer; else that is the reason.
constexpr const char *clockKeeperLocked = "locked ";

/// argv: keep-clocks UUID MHZ. Answers in one line on stdout; after "locked" it
/// waits for the end of stdin and unlocks. Signals that end others do not end
/// it. Returns the exit code.
int keepClocks(int argc, char **argv);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_CLOCKKEEPER_H
