// SPDX-License-Identifier: Apache-2.0
//
// Signatures, read once when a program is loaded.

#include "TensorSpec.h"

#include "Failure.h"

#include <algorithm>

namespace minic::python {

static TensorSpec toSpec(const minic_tensor_info &info) {
  return {info.name,
          info.dtype,
          {info.shape, info.shape + info.ndim},
          info.bytes,
          info.alignment};
}

/// By queries of its inputs and outputs.
template <typename Input, typename Output>
static Signature read(const minic_program *program, const Input &input,
                      const Output &output) {
  Signature signature;
  for (size_t i = 0; i < minic_program_input_count(program); ++i) {
    minic_tensor_info info;
    check(input(i, &info));
    signature.inputs.push_back(toSpec(info));
  }
  for (size_t i = 0; i < minic_program_output_count(program); ++i) {
    minic_tensor_info info;
    check(output(i, &info));
    signature.outputs.push_back(toSpec(info));
    signature.outputs.back().inPlaceInput =
        minic_program_in_place_input(program, i);
  }
  return signature;
}

Signature signatureOf(const minic_program *program) {
  return read(
      program,
      [&](size_t i, minic_tensor_info *info) {
        return minic_program_input(program, i, info);
      },
      [&](size_t i, minic_tensor_info *info) {
        return minic_program_output(program, i, info);
      });
}

std::vector<Signature> bucketsOf(const minic_program *program) {
  std::vector<Signature> buckets;
  if (minic_program_dim_count(program) == 0) {
    return buckets;
  }
  for (size_t k = 0; k < minic_program_bucket_count(program); ++k) {
    buckets.push_back(read(
        program,
        [&](size_t i, minic_tensor_info *info) {
          return minic_program_bucket_input(program, k, i, info);
        },
        [&](size_t i, minic_tensor_info *info) {
          return minic_program_bucket_output(program, k, i, info);
        }));
  }
  return buckets;
}

std::map<std::string, std::vector<int64_t>>
dimsOf(const minic_program *program) {
  std::map<std::string, std::vector<int64_t>> dims;
  for (size_t i = 0; i < minic_program_dim_count(program); ++i) {
    minic_dim_info info;
    check(minic_program_dim(program, i, &info));
    dims[info.name].assign(info.sizes, info.sizes + info.size_count);
  }
  return dims;
}

bool TensorSpec::describes(const DLTensor &tensor) const {
  if (tensor.dtype.code != dtype.code || tensor.dtype.bits != dtype.bits ||
      tensor.dtype.lanes != dtype.lanes ||
      tensor.ndim != int32_t(shape.size()) ||
      !std::equal(shape.begin(), shape.end(), tensor.shape)) {
    return false;
  }
  int64_t expected = 1;
  for (size_t i = shape.size(); tensor.strides && i-- > 0;) {
    if (shape[i] > 1 && tensor.strides[i] != expected) {
      return false;
    }
    expected *= shape[i];
  }
  return true;
}

DLTensor TensorSpec::at(void *data, DLDevice device) const {
  return {data,
          device,
          int32_t(shape.size()),
          dtype,
          const_cast<int64_t *>(shape.data()),
          /*strides=*/nullptr,
          /*byte_offset=*/0};
}

std::string TensorSpec::dtypeName() const {
  std::string bits = std::to_string(dtype.bits);
  switch (dtype.code) {
  case kDLBool:
    return "bool";
  case kDLBfloat:
    return "bfloat" + bits;
  case kDLFloat:
    return "float" + bits;
  default:
    return "int" + bits;
  }
}

std::string TensorSpec::text() const {
  std::string bits = std::to_string(dtype.bits);
  std::string text = name + ": ";
  text += dtype.code == kDLBool     ? "i1"
          : dtype.code == kDLBfloat ? "bf" + bits
          : dtype.code == kDLFloat  ? "f" + bits
                                    : "i" + bits;
  for (size_t i = 0; i < shape.size(); ++i) {
    text += (i ? ", " : "[") + (shape[i] < 0 ? "?" : std::to_string(shape[i]));
  }
  return shape.empty() ? text : text + "]";
}

} // namespace minic::python
