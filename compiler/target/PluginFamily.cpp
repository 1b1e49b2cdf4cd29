// SPDX-License-Identifier: Apache-2.0
//
// Problems become questions, answers become schedules.

#include "compiler/target/PluginFamily.h"

#include "compiler/target/OfferFusion.h"
#include "compiler/target/PluginProblem.h"

using namespace mlir;

namespace minic {

using kernel::FusionOp;

/// Of how minic asks plug-ins and calls their kernels.
static constexpr const char *interfaceVersion = "1";

PluginFamily::PluginFamily(Plugin &plugin)
    : plugin(plugin), name_("plugin:" + plugin.name()),
      version_(std::string(interfaceVersion) + " " + plugin.version() + " " +
               plugin.hash()) {}

std::optional<std::string>
PluginFamily::reject(FusionOp fusion, const DeviceProfile &profile) const {
  llvm::Expected<PluginSchedules> found =
      plugin.schedules(describePluginProblem(fusion, profile));
  if (!found) {
    std::string why = llvm::toString(found.takeError());
    std::lock_guard<std::mutex> lock(mutex);
    if (warned.insert(why).second) {
      fusion.emitWarning("plug-in ") << plugin.name() << ": " << why;
    }
    return why;
  }
  if (found->names.empty()) {
    return found->refusal;
  }
  return std::nullopt;
}

std::vector<Implementation>
PluginFamily::enumerate(FusionOp fusion, const DeviceProfile &profile) const {
  llvm::Expected<PluginSchedules> found =
      plugin.schedules(describePluginProblem(fusion, profile));
  std::vector<Implementation> offers;
  if (!found) {
    llvm::consumeError(found.takeError());
    return offers;
  }
  // Each tensor once, at the speed of memory: nobody knows better before it is
  // measured. The plug-in's order is kept.
  double us = getTrafficBytes(fusion) / std::max(profile.memoryGBs, 1.0) * 1e-3;
  Builder b(fusion.getContext());
  for (const std::string &schedule : found->names) {
    auto attribute = b.getDictionaryAttr(
        {b.getNamedAttr("hash", b.getStringAttr(plugin.hash())),
         b.getNamedAttr("schedule", b.getStringAttr(schedule))});
    offers.push_back(offerDense(fusion, name_, attribute,
                                plugin.name() + " " + schedule,
                                us * (1 + 1e-9 * double(offers.size()))));
  }
  return offers;
}

/// The name in the impl of `fusion`; null where it has another form.
static StringAttr getSchedule(FusionOp fusion) {
  DictionaryAttr schedule = fusion.getImplAttr().getSchedule();
  return schedule && schedule.size() == 2 && schedule.getAs<StringAttr>("hash")
             ? schedule.getAs<StringAttr>("schedule")
             : StringAttr();
}

FailureOr<PluginCode>
PluginFamily::getCode(FusionOp fusion, const DeviceProfile &profile) const {
  StringAttr schedule = getSchedule(fusion);
  if (!schedule) {
    return fusion.emitError(name_)
           << " expects a schedule {hash = \"...\", schedule = \"...\"}, got "
           << fusion.getImplAttr().getSchedule();
  }
  auto hash = fusion.getImplAttr().getSchedule().getAs<StringAttr>("hash");
  if (hash != plugin.hash()) {
    return emitError(fusion, fusion)
           << "the choice is of another file: " << hash << ", this is "
           << plugin.hash();
  }
  llvm::Expected<PluginCode> code =
      plugin.code(describePluginProblem(fusion, profile), schedule.getValue());
  if (!code) {
    return emitError(fusion, fusion) << llvm::toString(code.takeError());
  }
  return std::move(*code);
}

std::string PluginFamily::label(FusionOp fusion) const {
  StringAttr schedule = getSchedule(fusion);
  return plugin.name() + " " + (schedule ? schedule.getValue().str() : "");
}

InFlightDiagnostic PluginFamily::emitError(Operation *op,
                                           FusionOp fusion) const {
  StringAttr schedule = getSchedule(fusion);
  return op->emitError("unsupported: plug-in ")
         << plugin.name() << ", schedule '"
         << (schedule ? schedule.getValue() : "") << "': ";
}

} // namespace minic
