// SPDX-License-Identifier: Apache-2.0

#include "AlignedRun.h"

#include "Failure.h"

#include <cstring>

namespace minic::python {

static char *begin(const DLTensor &tensor) {
  return static_cast<char *>(tensor.data) + tensor.byte_offset;
}

bool AlignedRun::isMisaligned(const DLTensor &tensor,
                              const TensorSpec &spec) const {
  return device.device_type == kDLCPU && tensor.device.device_type == kDLCPU &&
         tensor.data &&
         reinterpret_cast<uintptr_t>(begin(tensor)) % spec.alignment != 0 &&
         spec.describes(tensor);
}

void *AlignedRun::memory(size_t slot) {
  AlignedMemory &memory = context.aligned[slot];
  if (!memory) {
    const TensorSpec &spec =
        slot < largest.inputs.size()
            ? largest.inputs[slot]
            : largest.outputs[slot - largest.inputs.size()];
    memory = allocateAligned(spec.bytes, spec.alignment);
  }
  return memory.get();
}

void AlignedRun::run(std::vector<DLTensor> &inputs,
                     std::vector<DLTensor> &outputs) {
  struct CopyBack {
    char *to;
    const void *from;
    uint64_t bytes;
  };
  std::vector<CopyBack> back;
  // Outputs first: one that is updated in place is recognized by its pointer.
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorSpec &spec = outputSpecs[i];
    if (!isMisaligned(outputs[i], spec)) {
      continue;
    }
    bool isInPlace = spec.inPlaceInput >= 0;
    if (isInPlace &&
        begin(inputs[size_t(spec.inPlaceInput)]) != begin(outputs[i])) {
      continue; // the runtime refuses it
    }
    void *aligned =
        memory(isInPlace ? size_t(spec.inPlaceInput) : inputs.size() + i);
    back.push_back({begin(outputs[i]), aligned, spec.bytes});
    outputs[i] = spec.at(aligned, {kDLCPU, 0});
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (isMisaligned(inputs[i], inputSpecs[i])) {
      void *aligned = memory(i);
      std::memcpy(aligned, begin(inputs[i]), inputSpecs[i].bytes);
      inputs[i] = inputSpecs[i].at(aligned, {kDLCPU, 0});
    }
  }
  minic_status status =
      minic_context_run(context.context, inputs.data(), inputs.size(),
                        outputs.data(), outputs.size());
  for (const CopyBack &copy : back) {
    if (status == MINIC_OK) {
      std::memcpy(copy.to, copy.from, copy.bytes);
    }
  }
  check(status);
}

} // namespace minic::python
