// SPDX-License-Identifier: Apache-2.0
//
// As the op itself clamps.

#include "compiler/target/codegen/GatheredIndex.h"

#include "dialects/graph/ElementAccess.h"

using namespace mlir;

namespace minic {

namespace {

/// Keeps what is reported.
class Reported : public graph::ElementAccess {
public:
  Value read(unsigned, ValueRange) override { return {}; }
  void report(Value isOutside) override { reported = isOutside; }

  Value reported;
};

} // namespace

GatheredIndex GatheredIndex::get(KernelBuilder &k, Value loaded,
                                 int64_t extent) {
  Reported access;
  Value index = graph::emitClampedIndex(k.b, k.loc, access, loaded, extent - 1);
  return {index, access.reported};
}

} // namespace minic
