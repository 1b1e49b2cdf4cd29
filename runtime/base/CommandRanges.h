// SPDX-License-Identifier: Apache-2.0
//
// CommandRanges: who is told when the host begins and ends each command of a
// plan, so that a profiler can name what it sees.

#ifndef MINIC_RUNTIME_BASE_COMMANDRANGES_H
#define MINIC_RUNTIME_BASE_COMMANDRANGES_H

#include <cstdint>

namespace minic::runtime {

/// Ranges of one thread lie inside each other. Thread-safe.
class CommandRanges {
public:
  virtual ~CommandRanges() = default;
  /// `command`: index in Variant.run.
  virtual void begin(uint32_t command) const = 0;
  virtual void end() const = 0;
};

/// While it lives; `ranges` may be null.
class CommandRange {
public:
  CommandRange(const CommandRanges *ranges, uint32_t command)
      : ranges_(ranges) {
    if (ranges_) {
      ranges_->begin(command);
    }
  }
  ~CommandRange() {
    if (ranges_) {
      ranges_->end();
    }
  }
  CommandRange(const CommandRange &) = delete;
  CommandRange &operator=(const CommandRange &) = delete;

private:
  const CommandRanges *ranges_;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_BASE_COMMANDRANGES_H
