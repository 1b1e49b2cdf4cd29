// SPDX-License-Identifier: Apache-2.0
//
// One overload per table of plan.fbs that has addresses.

#include "runtime/device/cuda/PlanAddresses.h"

#include "runtime/format/CallReader.h"

namespace minic::runtime {

namespace {

class Visitor {
public:
  explicit Visitor(const std::function<void(const format::Address &)> &visit)
      : visit(visit) {}

  void operator()(const format::Launch &launch) {
    for (const format::ParamEntry *entry : *launch.params()) {
      if (const auto *param = entry->param_as_AddressParam()) {
        see(param->address());
      }
    }
  }
  void operator()(const format::Copy &copy) {
    see(copy.destination());
    see(copy.source());
  }
  void operator()(const format::Fill &fill) { see(fill.destination()); }

private:
  void see(const format::Address *address) {
    if (address) {
      visit(*address);
    }
  }

  const std::function<void(const format::Address &)> &visit;
};

} // namespace

void forEachAddress(const format::Command &command,
                    const std::function<void(const format::Address &)> &visit) {
  Visitor visitor(visit);
  if (const auto *launch = command.operation_as_Launch()) {
    visitor(*launch);
  } else if (const auto *copy = command.operation_as_Copy()) {
    visitor(*copy);
  } else if (const auto *fill = command.operation_as_Fill()) {
    visitor(*fill);
  } else if (const auto *call = command.operation_as_Call()) {
    format::forEachAddress(*call, visit);
  }
}

} // namespace minic::runtime
