// SPDX-License-Identifier: Apache-2.0
//
// Log: what the compiler tells people on stderr, by topic. `--log=a,b` or the
// environment variable MINIC_LOG chooses the topics; this is the only place
// that parses them. (The runtime only knows MINIC_LOG=none, which silences its
// warnings.)

#ifndef MINIC_COMPILER_OPTIONS_LOG_H
#define MINIC_COMPILER_OPTIONS_LOG_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <cstdint>
#include <optional>
#include <string>

namespace minic {

enum class LogTopic : uint32_t {
  Autotuning, // AUTOTUNE tables, database hits and misses
  Fusion,     // what was fused, and why not more
  PerfHints,  // what to change in the model or on the machine
  Graphs,     // device graphs: captured, or why not
  Phases,     // time of each phase
  Memory,     // arena, constants, peak
  Candidates, // each candidate once it is settled
  Code,       // what became of each kernel
};

/// A set of topics. Cheap to copy; writes whole lines to stderr.
class Log {
public:
  Log() = default;

  /// Parses "autotuning,fusion", "all", "none" or "" (none). On an unknown
  /// topic returns nothing and sets `error` to one line that lists what exists.
  static std::optional<Log> parse(llvm::StringRef text, std::string &error);

  /// Every topic's name, in the order of the enum.
  static llvm::ArrayRef<llvm::StringRef> topics();

  bool has(LogTopic topic) const {
    return bits & (1u << static_cast<uint32_t>(topic));
  }
  void enable(LogTopic topic) { bits |= 1u << static_cast<uint32_t>(topic); }

  /// Prints "minic: TEXT" where the topic is on.
  void line(LogTopic topic, const llvm::Twine &text) const;
  /// Prints `text` as it is (tables) where the topic is on.
  void block(LogTopic topic, llvm::StringRef text) const;

private:
  uint32_t bits = 0;
};

} // namespace minic

#endif // MINIC_COMPILER_OPTIONS_LOG_H
