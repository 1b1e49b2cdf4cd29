// SPDX-License-Identifier: Apache-2.0
//
// EnvironmentOptions: MINIC_OPTIONS, options that stand before those of the
// command line.

#ifndef MINIC_TOOLS_MINIC_ENVIRONMENTOPTIONS_H
#define MINIC_TOOLS_MINIC_ENVIRONMENTOPTIONS_H

#include "absl/status/statusor.h"

#include <string>
#include <vector>

namespace minic {

/// A command line with the options of the environment in it. Move-only.
class FullCommandLine {
public:
  /// Puts the words of the environment variable MINIC_OPTIONS, quotes resolved,
  /// between the name of the program and its own arguments; none where it is
  /// not set. InvalidArgument, naming the variable, for what is no option of a
  /// compilation, or has a value that it rejects. `argv` outlives the result.
  static absl::StatusOr<FullCommandLine> get(int argc, char **argv);

  FullCommandLine(FullCommandLine &&) = default;
  FullCommandLine &operator=(FullCommandLine &&) = default;

  int argc() const { return int(arguments.size()); }
  char **argv() { return arguments.data(); }
  /// The words of the environment.
  const std::vector<std::string> &environment() const { return words; }

private:
  FullCommandLine() = default;

  std::vector<std::string> words;
  std::vector<char *> arguments; // point into `words`, too
};

} // namespace minic

#endif // MINIC_TOOLS_MINIC_ENVIRONMENTOPTIONS_H
