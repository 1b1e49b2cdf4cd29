// SPDX-License-Identifier: Apache-2.0
//
// HostTensor: a tensor that is known while a model is read, such as a shape,
// axes or a scale. What is computed from such tensors alone is computed here.

#ifndef MINIC_COMPILER_IMPORT_ONNX_HOSTTENSOR_H
#define MINIC_COMPILER_IMPORT_ONNX_HOSTTENSOR_H

#include "compiler/import/onnx/TensorData.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"

#include <functional>
#include <vector>

namespace minic {

using Dims = llvm::SmallVector<int64_t, 4>;

int64_t elementsOf(llvm::ArrayRef<int64_t> dims);
/// Whether there can be a tensor of such dimensions: untrusted input may ask
/// for more elements than 64 bits count.
bool isPossible(llvm::ArrayRef<int64_t> dims);
/// Whether it is small enough to be computed while a model is read.
bool fitsHost(llvm::ArrayRef<int64_t> dims);
/// Elements that follow each dimension.
Dims stridesOf(llvm::ArrayRef<int64_t> dims);

/// Whether ONNX's dtype is a float, 16-bit ones and float64 included.
bool isFloatType(int dataType);

/// graph's element type; null where it has none (float64, unsigned ones, ...).
mlir::Type elementType(int dataType, mlir::MLIRContext *context);
/// ONNX's dtype of a graph element type.
int dataTypeOf(mlir::Type type);

struct HostTensor {
  /// ::onnx::TensorProto::DataType
  int dataType = 0;
  Dims dims;
  /// The elements of floats, each a value of the dtype.
  std::vector<double> floats;
  /// The elements of anything else.
  std::vector<int64_t> ints;

  static HostTensor ofInts(llvm::ArrayRef<int64_t> values);
  /// All elements `value`, rounded to the dtype.
  static HostTensor splat(int dataType, llvm::ArrayRef<int64_t> dims,
                          double value);
  /// Nothing where minic has no such dtype.
  static std::optional<HostTensor> of(const TensorData &data);

  bool isFloat() const { return isFloatType(dataType); }
  int64_t elements() const { return elementsOf(dims); }
  double number(int64_t i) const {
    return isFloat() ? floats[i] : double(ints[i]);
  }
  /// As graph.constant holds it. Its dtype is one that graph has, and it is not
  /// empty.
  mlir::DenseElementsAttr attribute(mlir::MLIRContext *context) const;
  /// Elements of `source` at the indices that `index` gives for each element
  /// of a tensor of `dims`.
  HostTensor rearranged(llvm::ArrayRef<int64_t> dims,
                        llvm::function_ref<int64_t(int64_t)> index) const;
};

/// `value` rounded to the dtype: to nearest even, or to its width.
double roundTo(int dataType, double value);
int64_t wrapTo(int dataType, int64_t value);

HostTensor castHost(const HostTensor &x, int dataType);

/// One element per element of the broadcast of `x` and `y`, of `dataType`;
/// `dims` is that broadcast.
HostTensor zipHost(const HostTensor &x, const HostTensor &y,
                   llvm::ArrayRef<int64_t> dims, int dataType,
                   llvm::function_ref<double(double, double)> onFloats,
                   llvm::function_ref<int64_t(int64_t, int64_t)> onInts);

/// `x` repeated to `dims`, to which it broadcasts.
HostTensor expandHost(const HostTensor &x, llvm::ArrayRef<int64_t> dims);

/// Folds along `axes`, which stay as 1, starting with the first element.
HostTensor reduceHost(const HostTensor &x, llvm::ArrayRef<int64_t> axes,
                      llvm::function_ref<double(double, double)> onFloats,
                      llvm::function_ref<int64_t(int64_t, int64_t)> onInts);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_ONNX_HOSTTENSOR_H
