// SPDX-License-Identifier: Apache-2.0
//
// Results: outputs of a call that the caller brought no memory for.

#ifndef MINIC_PYTHON_RESULTS_H
#define MINIC_PYTHON_RESULTS_H

#include "TensorArgument.h"
#include "TensorSpec.h"

#include <memory>
#include <vector>

namespace minic::python {

/// A NumPy array of `spec`'s type and shape in aligned memory, uninitialized.
nb::object emptyArray(const TensorSpec &spec);

/// Outputs as the framework of the first input has them: NumPy arrays, tensors
/// that the framework allocates itself (which on a GPU orders their reuse by
/// its stream), or objects with __dlpack__ in memory of minic's.
class Results {
public:
  /// `api` is that of the first input; null unless its framework is exchange.
  Results(std::shared_ptr<minic_program> program, Framework framework,
          const DLPackExchangeAPI *api, DLDevice device)
      : program(std::move(program)), framework(framework), api(api),
        device(device) {}
  ~Results();
  Results(const Results &) = delete;
  Results &operator=(const Results &) = delete;

  /// Room for one more output. Shape points into `spec`.
  DLTensor add(const TensorSpec &spec);
  /// The object of the `index`th that was added; once.
  nb::object take(size_t index);

private:
  struct Result {
    nb::object object;
    DLManagedTensorVersioned *managed = nullptr;
  };

  std::shared_ptr<minic_program> program;
  Framework framework;
  const DLPackExchangeAPI *api;
  DLDevice device;
  std::vector<Result> results;
};

} // namespace minic::python

#endif // MINIC_PYTHON_RESULTS_H
