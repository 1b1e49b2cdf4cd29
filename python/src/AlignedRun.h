// SPDX-License-Identifier: Apache-2.0
//
// AlignedRun: a run on host tensors of any alignment. NumPy aligns to 16 bytes;
// a program may want 64.

#ifndef MINIC_PYTHON_ALIGNEDRUN_H
#define MINIC_PYTHON_ALIGNEDRUN_H

#include "TensorSpec.h"
#include "ThreadContexts.h"

#include <vector>

namespace minic::python {

class AlignedRun {
public:
  /// `signature`: of the tensors; `largest`: of all that the context will see.
  AlignedRun(ThreadContext &context, DLDevice device,
             const Signature &signature, const Signature &largest)
      : context(context), device(device), inputSpecs(signature.inputs),
        outputSpecs(signature.outputs), largest(largest) {}

  /// Runs. A tensor on a CPU that is right but for its alignment is copied to
  /// or from memory of the context; what is wrong with others the runtime says.
  /// Knows no Python.
  void run(std::vector<DLTensor> &inputs, std::vector<DLTensor> &outputs);

private:
  bool isMisaligned(const DLTensor &tensor, const TensorSpec &spec) const;
  /// Memory of the context for tensor `slot`, an input or, behind these, an
  /// output, aligned.
  void *memory(size_t slot);

  ThreadContext &context;
  DLDevice device;
  const std::vector<TensorSpec> &inputSpecs, &outputSpecs;
  const Signature &largest;
};

} // namespace minic::python

#endif // MINIC_PYTHON_ALIGNEDRUN_H
