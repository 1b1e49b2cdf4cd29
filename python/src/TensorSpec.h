// SPDX-License-Identifier: Apache-2.0
//
// TensorSpec: an input or output of a program, as Python sees it.

#ifndef MINIC_PYTHON_TENSORSPEC_H
#define MINIC_PYTHON_TENSORSPEC_H

#include <minic/minic.h>

#include <map>
#include <string>
#include <vector>

namespace minic::python {

struct TensorSpec {
  std::string name;
  DLDataType dtype;
  /// -1 for a size that differs among a program's buckets.
  std::vector<int64_t> shape;
  uint64_t bytes, alignment;
  /// Of an output: the input that it updates in place, else -1.
  int64_t inPlaceInput = -1;

  /// Whether `tensor` has this type and shape and is dense, wherever it is.
  bool describes(const DLTensor &tensor) const;
  /// A tensor of this type and shape at `data`; shape points into this.
  DLTensor at(void *data, DLDevice device) const;

  /// NumPy's and PyTorch's name: "float32", "bfloat16", "bool".
  std::string dtypeName() const;
  /// "x: f32[256, 1024]", as the tools print it.
  std::string text() const;
};

/// What a program, or one bucket of it, takes and returns.
struct Signature {
  std::vector<TensorSpec> inputs, outputs;
};

/// Of all buckets together; bytes are those of the largest.
Signature signatureOf(const minic_program *program);
/// Of each; empty where sizes are fixed.
std::vector<Signature> bucketsOf(const minic_program *program);
/// The sizes of each dimension that varies, ascending.
std::map<std::string, std::vector<int64_t>>
dimsOf(const minic_program *program);

} // namespace minic::python

#endif // MINIC_PYTHON_TENSORSPEC_H
