// SPDX-License-Identifier: Apache-2.0
//
// Registered strings, pushed and popped on the thread that runs the plan.

#include "runtime/device/NvtxRanges.h"

#include "runtime/format/CallReader.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#ifdef MINIC_HAS_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

namespace minic::runtime {

std::string rangeName(const format::Command &command) {
  std::string label = command.label() ? command.label()->str() : "";
  if (const auto *launch = command.operation_as_Launch()) {
    // A symbol of ours: ops and shapes, then "__" and the schedule.
    std::string entry = launch->entry()->str();
    size_t schedule = entry.find("__");
    return schedule == entry.npos || schedule == 0 ? entry
                                                   : entry.substr(0, schedule);
  }
  if (const auto *call = command.operation_as_Call()) {
    std::string name = format::callName(*call);
    return label.empty() ? name : absl::StrCat(name, ": ", label);
  }
  return command.operation_as_Copy() ? "copy" : "fill";
}

#ifdef MINIC_HAS_NVTX

namespace {

class NvtxRanges : public CommandRanges {
public:
  explicit NvtxRanges(const format::Variant &variant) {
    // One for the process: domains of one name would be several to a profiler.
    static nvtxDomainHandle_t domain = nvtxDomainCreateA("minic");
    domain_ = domain;
    for (const format::Command *command : *variant.run()) {
      nvtxEventAttributes_t event = {};
      event.version = NVTX_VERSION;
      event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
      event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
      event.message.registered =
          nvtxDomainRegisterStringA(domain_, rangeName(*command).c_str());
      events_.push_back(event);
    }
  }
  void begin(uint32_t command) const override {
    nvtxDomainRangePushEx(domain_, &events_[command]);
  }
  void end() const override { nvtxDomainRangePop(domain_); }

private:
  nvtxDomainHandle_t domain_;
  std::vector<nvtxEventAttributes_t> events_;
};

} // namespace

absl::StatusOr<std::unique_ptr<const CommandRanges>>
createNvtxRanges(const format::Variant &variant) {
  return std::unique_ptr<const CommandRanges>(
      std::make_unique<NvtxRanges>(variant));
}

#else

absl::StatusOr<std::unique_ptr<const CommandRanges>>
createNvtxRanges(const format::Variant &) {
  return absl::UnimplementedError("this minic was built without NVTX's header");
}

#endif

} // namespace minic::runtime
