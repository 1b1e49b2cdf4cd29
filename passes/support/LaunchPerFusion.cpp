// SPDX-License-Identifier: Apache-2.0
//
// The simplest lowering that there is.

#include "passes/support/LaunchPerFusion.h"

using namespace mlir;
using namespace minic::plan;

LogicalResult minic::LaunchPerFusion::lower(Operation *op, PlanBuilder &plan) {
  OpBuilder &builder = plan.builder();
  SmallVector<Value> addresses;
  SmallVector<Attribute> access;
  auto add = [&](ValueRange values, Access mode) {
    for (Value value : values) {
      addresses.push_back(plan.addressOf(value));
      access.push_back(AccessAttr::get(op->getContext(), mode));
    }
  };
  add(op->getOperands(), Access::Read);
  add(op->getResults(), Access::Write);

  int64_t scratchBytes = 0;
  if (auto fusion = dyn_cast<kernel::FusionOp>(op)) {
    auto bytes =
        fusion.getImplAttr().getSchedule().getAs<IntegerAttr>("scratch_bytes");
    scratchBytes = bytes ? bytes.getInt() : 0;
  }
  Value scratch;
  if (scratchBytes > 0) {
    scratch = plan.buffer(scratchBytes * plan.threads());
  }
  KernelOp kernel = plan.kernel(op, /*stem=*/"");
  LaunchOp::create(builder, op->getLoc(),
                   cast<StringAttr>(kernel.getEntries()[0]), {1}, addresses,
                   access, /*label=*/StringAttr(), scratch, scratchBytes);
  return success();
}
