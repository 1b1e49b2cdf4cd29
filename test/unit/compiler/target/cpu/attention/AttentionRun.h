// SPDX-License-Identifier: Apache-2.0
//
// AttentionRun: a case compiled and run, by one schedule or all.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CPU_ATTENTION_ATTENTIONRUN_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CPU_ATTENTION_ATTENTIONRUN_H

#include "compiler/target/cpu/KernelAbi.h"
#include "compiler/target/cpu/attention/AttentionFamily.h"
#include "runtime/device/cpu/TileState.h"
#include "test/unit/compiler/target/cpu/LoweredFusion.h"
#include "test/unit/compiler/target/cpu/attention/AttentionCase.h"
#include "test/unit/dialects/kernel/ParsedFusion.h"

namespace minic::cpu {

inline std::vector<std::string>
typesOf(const std::vector<DenseTensor> &tensors) {
  std::vector<std::string> types;
  for (const DenseTensor &tensor : tensors) {
    types.push_back(tensor.type());
  }
  return types;
}

inline bool hasTiles(const Implementation &implementation) {
  return implementation.name.find("dot=tiles") != std::string::npos;
}

/// Suffixes of the entries that this process can run.
inline std::vector<std::string> formsOf(const Implementation &implementation) {
  if (!hasTiles(implementation)) {
    return {""};
  }
  std::vector<std::string> forms = {withoutAmxName("")};
  if (runtime::requestTileState().ok()) {
    forms.push_back("");
  }
  return forms;
}

/// Runs the first schedule of `tensors`, or every one.
inline void run(AttentionTensors &tensors, const std::string &isa = "",
                bool allSchedules = false) {
  std::vector<void *> addresses;
  for (auto *each : {&tensors.inputs, &tensors.results}) {
    for (DenseTensor &tensor : *each) {
      addresses.push_back(tensor.data());
    }
  }
  std::string types = tensors.resultTypes();
  types = tensors.c.hasLogSumExp ? "(" + types + ")" : types;
  size_t count = 1;
  for (size_t which = 0; which != count; ++which) {
    ParsedFusion parsed(typesOf(tensors.inputs), types, tensors.body());
    DeviceProfile profile = getCpuProfile(2, isa);
    auto all = AttentionFamily().enumerate(parsed.get(), profile);
    count = allSchedules ? all.size() : 1;
    parsed.get().setImplAttr(all[which].impl);
    for (const std::string &form : formsOf(all[which])) {
      SCOPED_TRACE(all[which].name + form + "\n" + tensors.body() + " " + isa);
      for (DenseTensor &result : tensors.results) {
        for (int64_t i = 0; i != result.count(); ++i) {
          result.set(i, NAN);
        }
      }
      runImplemented(AttentionFamily(), parsed.get(), addresses, profile,
                     /*runSize=*/0, form);
      tensors.check();
      if (testing::Test::HasFailure()) {
        return;
      }
    }
  }
}

inline void check(const AttentionCase &c, const std::string &isa = "",
                  bool allSchedules = false) {
  AttentionTensors tensors(c);
  run(tensors, isa, allSchedules);
}

} // namespace minic::cpu

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CPU_ATTENTION_ATTENTIONRUN_H
