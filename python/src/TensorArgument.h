// SPDX-License-Identifier: Apache-2.0
//
// TensorArgument: the caller's array or tensor as a DLTensor, without a copy.

#ifndef MINIC_PYTHON_TENSORARGUMENT_H
#define MINIC_PYTHON_TENSORARGUMENT_H

#include <minic/dlpack.h>
#include <nanobind/nanobind.h>

#include <array>
#include <string>

namespace minic::python {

namespace nb = nanobind;

/// The C functions that the type of `object` offers for DLPack; null for none.
const DLPackExchangeAPI *exchangeApiOf(nb::handle object);

/// Whose an array or tensor is: outputs are of the first input's.
enum class Framework {
  numpy,    // Python's buffers
  exchange, // a type with DLPack's C functions, such as torch.Tensor
  torch,    // PyTorch's before 2.10, which have none
  dlpack    // another type with __dlpack__
};

bool isTorch(nb::handle object);

/// Valid as long as it lives and the object is neither resized nor freed.
class TensorArgument {
public:
  TensorArgument() = default;
  ~TensorArgument();
  TensorArgument(const TensorArgument &) = delete;
  TensorArgument &operator=(const TensorArgument &) = delete;

  /// Takes a view of `object`. Throws a Failure that begins with `role` and
  /// `name` for what is no tensor. On a GPU the memory is ready for work on
  /// `stream`: the object's framework orders it, if it can.
  void borrow(nb::handle object, const char *role, const std::string &name,
              void *stream);

  DLTensor tensor;
  bool isReadOnly = false;
  Framework framework = Framework::numpy;

private:
  void borrowOther(nb::handle object, void *stream);
  /// False, with a Python error set, where it has none for us.
  bool borrowBuffer(nb::handle object);
  void borrowBfloats(nb::handle object);
  void borrowCapsule(nb::handle object, void *stream);

  static constexpr int maxRank = 32;

  nb::object owner;
  Py_buffer buffer = {};
  std::array<int64_t, maxRank> shape, strides;
};

} // namespace minic::python

#endif // MINIC_PYTHON_TENSORARGUMENT_H
