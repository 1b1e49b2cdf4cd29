// SPDX-License-Identifier: Apache-2.0
//
// PluginFamily: a plug-in as a kernel family. What it asks and how its schedule
// is written down is the same for all targets; what becomes of the code is not.

#ifndef MINIC_COMPILER_TARGET_PLUGINFAMILY_H
#define MINIC_COMPILER_TARGET_PLUGINFAMILY_H

#include "compiler/target/KernelFamily.h"
#include "compiler/target/Plugin.h"

#include <mutex>
#include <set>

namespace minic {

/// Any body but those with a kernel of the user's. Results are dense, and so
/// are operands.
///
/// Family: "plugin:small_m". Schedule: `{hash = "16 hex digits", schedule =
/// "rows=4"}`. Name: "small_m rows=4".
class PluginFamily : public KernelFamily {
public:
  /// `plugin` outlives it.
  explicit PluginFamily(Plugin &plugin);

  llvm::StringRef name() const override { return name_; }
  /// Of minic's side, of the plug-in, and of its file: "1 1.2
  /// 0123456789abcdef".
  llvm::StringRef version() const override { return version_; }
  bool isPlugin() const override { return true; }
  double buildSeconds() const override { return plugin.seconds(); }
  /// What goes wrong in the plug-in is a warning, too.
  std::optional<std::string>
  reject(kernel::FusionOp fusion, const DeviceProfile &profile) const override;
  std::vector<Implementation>
  enumerate(kernel::FusionOp fusion,
            const DeviceProfile &profile) const override;

protected:
  /// The code that the impl of `fusion` names. A diagnostic where there is
  /// none, or where it is of another plug-in file.
  mlir::FailureOr<PluginCode> getCode(kernel::FusionOp fusion,
                                      const DeviceProfile &profile) const;
  /// "small_m rows=4", of the impl of `fusion`.
  std::string label(kernel::FusionOp fusion) const;
  /// A diagnostic on `op`: "unsupported: plug-in small_m, schedule 'rows=4': ".
  mlir::InFlightDiagnostic emitError(mlir::Operation *op,
                                     kernel::FusionOp fusion) const;

private:
  Plugin &plugin;
  std::string name_, version_;
  mutable std::mutex mutex;
  mutable std::set<std::string> warned; // each once
};

} // namespace minic

#endif // MINIC_COMPILER_TARGET_PLUGINFAMILY_H
