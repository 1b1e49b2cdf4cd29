// SPDX-License-Identifier: Apache-2.0
//
// analyzeFusion: what lowering and emission of a family begin with.

#ifndef MINIC_COMPILER_TARGET_CODEGEN_ANALYZEFUSION_H
#define MINIC_COMPILER_TARGET_CODEGEN_ANALYZEFUSION_H

#include "dialects/kernel/FusionShape.h"

namespace minic {

/// Shape and geometry of a fusion whose impl names a family: `match(fusion,
/// &reason)` gives what the family takes, as a FusionShape or what it made of
/// one, `parse(schedule, loc)` the
/// schedule, and Geometry::get(shape, schedule, &reason) puts them together.
/// Emits a diagnostic for what does not fit.
template <typename Geometry, typename Match, typename Parse>
auto analyzeFusion(kernel::FusionOp fusion, Match match, Parse parse)
    -> mlir::FailureOr<std::pair<
        typename decltype(match(fusion, nullptr))::value_type, Geometry>> {
  kernel::ImplAttr impl = fusion.getImplAttr();
  std::string reason;
  auto shape = match(fusion, &reason);
  if (failed(shape)) {
    return fusion.emitError(impl.getFamily())
           << " cannot implement this fusion: " << reason;
  }
  auto schedule = parse(impl.getSchedule(), fusion.getLoc());
  if (failed(schedule)) {
    return mlir::failure();
  }
  mlir::FailureOr<Geometry> geometry =
      Geometry::get(*shape, *schedule, &reason);
  if (failed(geometry)) {
    return fusion.emitError(impl.getFamily())
           << " cannot implement this fusion with " << toString(*schedule)
           << ": " << reason;
  }
  return std::pair(std::move(*shape), std::move(*geometry));
}

} // namespace minic

#endif // MINIC_COMPILER_TARGET_CODEGEN_ANALYZEFUSION_H
