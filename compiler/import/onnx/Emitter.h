// SPDX-License-Identifier: Apache-2.0
//
// Emitter: what handlers of ONNX ops compute with. Each function computes at
// once where all operands are known and small, and makes graph ops otherwise.

#ifndef MINIC_COMPILER_IMPORT_ONNX_EMITTER_H
#define MINIC_COMPILER_IMPORT_ONNX_EMITTER_H

#include "compiler/import/onnx/HostTensor.h"
#include "compiler/import/onnx/OnnxFile.h"
#include "dialects/graph/Graph.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <optional>
#include <string>

namespace minic {

/// A tensor of the model: a graph value, an initializer, or known elements.
/// Cheap to copy.
struct Value {
  /// ::onnx::TensorProto::DataType; 0 for a value that could not be made.
  int dataType = 0;
  Dims dims;
  mlir::Value graph;
  std::shared_ptr<const HostTensor> host;
  /// The initializer it is, in the model's file; its name there.
  const TensorData *weight = nullptr;
  llvm::StringRef name;

  explicit operator bool() const { return dataType != 0; }
  int64_t rank() const { return int64_t(dims.size()); }
  int64_t elements() const { return elementsOf(dims); }
  bool isFloat() const { return isFloatType(dataType); }
};

/// A function that cannot do what it is asked for notes why, once per node, and
/// gives a false Value; a false operand gives a false result.
class Emitter {
public:
  /// `readsDoubles`: tensors of float64, which minic lacks, are read as
  /// float32.
  explicit Emitter(mlir::OpBuilder &builder, bool readsDoubles = false)
      : builder(builder), readsDoubles(readsDoubles) {}

  /// What a tensor becomes that the model says to have `dataType`.
  int dtypeOf(int dataType) const {
    return readsDoubles && dataType == ::onnx::TensorProto::DOUBLE
               ? int(::onnx::TensorProto::FLOAT)
               : dataType;
  }

  //===--- Nodes ---------------------------------------------------------===//

  /// Ops made from now on are `location`'s.
  void beginNode(mlir::Location location);
  /// Why the node cannot be made; empty if it could.
  const std::string &failure() const { return reason; }
  Value fail(const llvm::Twine &why);

  //===--- Constants -----------------------------------------------------===//

  Value constant(HostTensor tensor);
  Value ints(llvm::ArrayRef<int64_t> values);
  /// A scalar of x's dtype.
  Value scalar(double value, const Value &x);
  Value splat(int dataType, llvm::ArrayRef<int64_t> dims, double value);
  /// The elements where they are known; null otherwise.
  std::shared_ptr<const HostTensor> known(const Value &x);
  /// Whether a tensor of `dims` is small enough to be computed here, and with
  /// it all that was so far.
  bool hasRoom(llvm::ArrayRef<int64_t> dims) const;
  /// The value in the graph; null where minic lacks its dtype.
  mlir::Value graph(const Value &x);

  //===--- Pointwise: dtypes agree, shapes broadcast ----------------------===//

  template <typename OpT> Value unary(const Value &x, double (*onHost)(double));
  Value add(const Value &x, const Value &y);
  Value sub(const Value &x, const Value &y);
  Value mul(const Value &x, const Value &y);
  Value div(const Value &x, const Value &y);
  Value mod(const Value &x, const Value &y);
  Value max(const Value &x, const Value &y);
  Value min(const Value &x, const Value &y);
  Value pow(const Value &x, const Value &y);
  Value bitAnd(const Value &x, const Value &y);
  Value bitOr(const Value &x, const Value &y);
  Value bitXor(const Value &x, const Value &y);
  Value neg(const Value &x);
  Value abs(const Value &x);
  Value sign(const Value &x);
  Value bitNot(const Value &x);
  Value compare(graph::ComparePredicate predicate, const Value &x,
                const Value &y);
  Value select(const Value &condition, const Value &x, const Value &y);
  Value cast(const Value &x, int dataType);

  //===--- Moving elements: axes are from 0 to rank - 1 -------------------===//

  Value reshape(const Value &x, llvm::ArrayRef<int64_t> dims);
  Value transpose(const Value &x, llvm::ArrayRef<int64_t> permutation);
  Value expand(const Value &x, llvm::ArrayRef<int64_t> dims);
  /// Elements start, start + step, ... of each dimension, `counts` of them.
  Value slice(const Value &x, llvm::ArrayRef<int64_t> starts,
              llvm::ArrayRef<int64_t> counts, llvm::ArrayRef<int64_t> steps);
  /// The elements [begin, end) along one axis.
  Value sliceAxis(const Value &x, int64_t axis, int64_t begin, int64_t end);
  Value concat(llvm::ArrayRef<Value> values, int64_t axis);
  /// Indices below zero count from the end.
  Value gather(const Value &x, Value indices, int64_t axis);
  Value pad(const Value &x, llvm::ArrayRef<int64_t> before,
            llvm::ArrayRef<int64_t> after, double value);
  /// 0, 1, 2, ... along `axis`.
  Value iota(int dataType, llvm::ArrayRef<int64_t> dims, int64_t axis);

  //===--- Reductions and the rest ---------------------------------------===//

  /// `axes` are sorted.
  Value reduce(graph::ReduceKind kind, const Value &x,
               llvm::ArrayRef<int64_t> axes, bool keepDims);
  /// An op whose result types follow from its operands; its first result.
  template <typename OpT, typename... Args> Value emit(Args &&...args);
  /// All results of such an op; empty where it could not be made.
  template <typename OpT, typename... Args>
  llvm::SmallVector<Value, 2> emitAll(Args &&...args);
  /// An op with one result of the given shape.
  template <typename OpT, typename... Args>
  Value emitAs(int dataType, llvm::ArrayRef<int64_t> dims, Args &&...args);
  mlir::OpBuilder &opBuilder() { return builder; }

private:
  /// Whether it is worth while to compute with these here.
  bool onHost(llvm::ArrayRef<const Value *> operands);
  Value wrap(mlir::Value value);
  llvm::SmallVector<Value, 2> create(mlir::OperationState &state);
  template <typename OpT>
  Value binary(const Value &x, const Value &y,
               llvm::function_ref<double(double, double)> onFloats,
               llvm::function_ref<int64_t(int64_t, int64_t)> onInts);
  bool haveOneType(const Value &x, const Value &y, Dims &dims);

  mlir::OpBuilder &builder;
  bool readsDoubles;
  std::optional<mlir::Location> location;
  std::string reason;
  llvm::DenseMap<const TensorData *, std::shared_ptr<const HostTensor>> loaded;
  llvm::DenseMap<const TensorData *, mlir::Value> weights;
  llvm::DenseMap<const HostTensor *, mlir::Value> constants;
  /// Elements of all values that were computed here.
  int64_t hostElements = 0;
  /// Keeps the keys of `constants` alive.
  std::vector<std::shared_ptr<const HostTensor>> kept;
};

/// Keeps the text of the errors that are emitted while it lives.
class CaptureErrors {
public:
  explicit CaptureErrors(mlir::MLIRContext *context)
      : handler(context, [this](mlir::Diagnostic &diagnostic) {
          if (text.empty()) {
            text = diagnostic.str();
          }
          return mlir::success();
        }) {}
  std::string text;

private:
  mlir::ScopedDiagnosticHandler handler;
};

//===----------------------------------------------------------------------===//
// Making ops
//===----------------------------------------------------------------------===//

template <typename OpT, typename... Args>
llvm::SmallVector<Value, 2> Emitter::emitAll(Args &&...args) {
  if (!reason.empty()) {
    return {};
  }
  mlir::OperationState state(*location, OpT::getOperationName());
  // Its builder without types would end the program where there are none.
  constexpr unsigned results =
      OpT::template hasTrait<mlir::OpTrait::NResults<2>::Impl>() ? 2 : 1;
  llvm::SmallVector<mlir::Type> placeholders(results, builder.getNoneType());
  OpT::build(builder, state, mlir::TypeRange(placeholders),
             std::forward<Args>(args)...);
  state.types.clear();
  CaptureErrors errors(builder.getContext());
  if (failed(OpT::inferReturnTypes(
          builder.getContext(), *location, state.operands,
          state.attributes.getDictionary(builder.getContext()),
          state.getRawProperties(), {}, state.types))) {
    fail(errors.text);
    return {};
  }
  return create(state);
}

template <typename OpT, typename... Args> Value Emitter::emit(Args &&...args) {
  auto results = emitAll<OpT>(std::forward<Args>(args)...);
  return results.empty() ? Value() : results.front();
}

template <typename OpT, typename... Args>
Value Emitter::emitAs(int dataType, llvm::ArrayRef<int64_t> dims,
                      Args &&...args) {
  if (!reason.empty()) {
    return {};
  }
  mlir::Type element = elementType(dataType, builder.getContext());
  if (!element) {
    return fail("minic has no dtype " + dataTypeName(dataType) +
                doubleHint(dataType));
  }
  mlir::OperationState state(*location, OpT::getOperationName());
  mlir::Type type = mlir::RankedTensorType::get(dims, element);
  OpT::build(builder, state, mlir::TypeRange(type),
             std::forward<Args>(args)...);
  auto results = create(state);
  return results.empty() ? Value() : results.front();
}

template <typename OpT>
Value Emitter::unary(const Value &x, double (*compute)(double)) {
  if (!x) {
    return {};
  }
  if (compute && x.isFloat() && onHost({&x})) {
    HostTensor result = *known(x);
    for (double &value : result.floats) {
      value = roundTo(x.dataType, compute(value));
    }
    return constant(std::move(result));
  }
  mlir::Value operand = graph(x);
  return operand ? emit<OpT>(operand) : Value();
}

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_ONNX_EMITTER_H
