// SPDX-License-Identifier: Apache-2.0
//
// run: a body of the family pointwise, compiled and run on given tensors.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CPU_POINTWISE_POINTWISERUN_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CPU_POINTWISE_POINTWISERUN_H

#include "compiler/target/cpu/pointwise/PointwiseFamily.h"
#include "test/unit/compiler/target/cpu/LoweredFusion.h"
#include "test/unit/compiler/target/cpu/pointwise/DenseTensor.h"
#include "test/unit/dialects/kernel/ParsedFusion.h"

namespace minic::cpu {

using Tensors = std::vector<DenseTensor>;

/// Runs a body on `inputs` and returns its result.
inline DenseTensor run(Tensors &inputs, const std::string &dtype,
                       const std::vector<int64_t> &dims,
                       const std::string &body, size_t which = 0,
                       const std::string &isa = "") {
  DenseTensor result(dtype, dims);
  std::vector<std::string> types;
  std::vector<void *> addresses;
  for (DenseTensor &input : inputs) {
    types.push_back(input.type());
    addresses.push_back(input.data());
  }
  addresses.push_back(result.data());
  ParsedFusion parsed(types, result.type(), body);
  runFusion(PointwiseFamily(), parsed.get(), addresses, which, isa);
  return result;
}

} // namespace minic::cpu

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CPU_POINTWISE_POINTWISERUN_H
