// SPDX-License-Identifier: Apache-2.0
//
// Plugin: kernels from outside of minic, as the families that offer them see
// it. compiler/plugin implements it by a process.

#ifndef MINIC_COMPILER_TARGET_PLUGIN_H
#define MINIC_COMPILER_TARGET_PLUGIN_H

#include <cstdint>
#include <string>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace minic {

/// What `minic/plugin.h` calls minic_plugin_code.
struct PluginCode {
  enum class Kind { LlvmIr = 1, Ptx = 2, Cubin = 3, Object = 4 };
  Kind kind = Kind::LlvmIr;
  std::string data, entry;
  int64_t tiles = 1;                            // CPUs
  std::vector<int64_t> grid = {1}, block = {1}; // GPUs
  int64_t sharedBytes = 0;                      // GPUs
};

/// The schedules for one problem.
struct PluginSchedules {
  std::vector<std::string> names; // the best first; empty if refused
  std::string refusal;            // why it was, one line
};

/// One plug-in. Errors are one line, without its name. Thread-safe.
class Plugin {
public:
  virtual ~Plugin() = default;
  /// "small_m".
  virtual const std::string &name() const = 0;
  /// What it says of itself: "1.2".
  virtual const std::string &version() const = 0;
  /// Of its file: 16 hex digits.
  virtual const std::string &hash() const = 0;
  /// How long a question may take.
  virtual double seconds() const = 0;
  /// Asks once for each problem.
  virtual llvm::Expected<PluginSchedules>
  schedules(llvm::StringRef problem) = 0;
  virtual llvm::Expected<PluginCode> code(llvm::StringRef problem,
                                          llvm::StringRef schedule) = 0;
};

} // namespace minic

#endif // MINIC_COMPILER_TARGET_PLUGIN_H
