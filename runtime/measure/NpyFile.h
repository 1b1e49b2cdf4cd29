// SPDX-License-Identifier: Apache-2.0
//
// NpyFile: NumPy's .npy format, versions 1 to 3, for the dtypes that minic has.

#ifndef MINIC_RUNTIME_MEASURE_NPYFILE_H
#define MINIC_RUNTIME_MEASURE_NPYFILE_H

#include "runtime/base/AlignedBuffer.h"
#include "runtime/base/Tensor.h"

#include "absl/status/statusor.h"

#include <string>
#include <string_view>
#include <vector>

namespace minic::runtime {

struct NpyArray {
  DType dtype = DType::f32;
  std::vector<int64_t> dims;
  AlignedBuffer data; // dense row-major
};

/// What an array is, as NumPy says it.
struct NpyHeader {
  std::string descr; // "<f4"
  bool fortranOrder = false;
  std::vector<int64_t> dims;
  size_t dataOffset = 0; // of the first element in the file
};

/// Reads the header of a .npy file's bytes. InvalidArgument, without a path,
/// for anything else, and for an array in column-major order.
absl::StatusOr<NpyHeader> parseNpyHeader(std::string_view bytes);

/// NumPy has no bf16: with `bf16` an array of uint16 (or of ml_dtypes' two
/// bytes "|V2") is one of bf16; without it uint16 is refused. NotFound or the
/// like for the file itself, InvalidArgument for what is no .npy file or one of
/// another dtype, byte order or of column-major order, DataLoss for a size that
/// is not what its header says.
absl::StatusOr<NpyArray> readNpy(const std::string &path, bool bf16 = false);

/// Replaces the file whole or not at all. bf16 is written as uint16.
absl::Status writeNpy(const std::string &path, const Tensor &tensor);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_NPYFILE_H
