// SPDX-License-Identifier: Apache-2.0
//
// Parsed on their own first, so that an error is known to be theirs.

#include "tools/minic/EnvironmentOptions.h"

#include "tools/minic/CompileFlags.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstdlib>

namespace minic {

static constexpr const char *variable = "MINIC_OPTIONS";

/// What is wrong with `words`; empty for nothing.
static std::string findError(std::vector<std::string> words) {
  CLI::App app;
  app.set_help_flag();
  CompileFlags flags;
  flags.addTo(app);
  try {
    std::reverse(words.begin(), words.end()); // as CLI11 wants them
    app.parse(std::move(words));
  } catch (const CLI::ParseError &error) {
    return error.what();
  }
  CompileOptions options;
  return flags.apply(options);
}

static absl::StatusOr<std::vector<std::string>> environmentOptions() {
  const char *text = std::getenv(variable);
  if (!text) {
    return std::vector<std::string>();
  }
  std::vector<std::string> words = CLI::detail::split_up(text);
  words.erase(std::remove(words.begin(), words.end(), ""), words.end());
  for (std::string &word : words) {
    CLI::detail::remove_quotes(word);
  }
  if (std::string error = findError(words); !error.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(variable, ": ", error));
  }
  return words;
}

absl::StatusOr<FullCommandLine> FullCommandLine::get(int argc, char **argv) {
  absl::StatusOr<std::vector<std::string>> words = environmentOptions();
  if (!words.ok()) {
    return words.status();
  }
  FullCommandLine line;
  line.words = std::move(*words);
  line.arguments = {argv[0]};
  for (std::string &word : line.words) {
    line.arguments.push_back(word.data());
  }
  line.arguments.insert(line.arguments.end(), argv + 1, argv + argc);
  return line;
}

} // namespace minic
