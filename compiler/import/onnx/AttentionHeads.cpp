// SPDX-License-Identifier: Apache-2.0
//
// Heads, masks by position, and the ops of graph that they end in.

#include "compiler/import/onnx/AttentionHeads.h"

namespace minic {

using graph::ComparePredicate;
using ::onnx::TensorProto;

Value splitHeads(Node &n, const Value &x, int64_t heads) {
  if (!x) {
    return {};
  }
  if (x.rank() != 3 || heads < 1 || x.dims[2] % heads != 0) {
    return n.fail(llvm::Twine(heads) + " heads of " +
                  llvm::Twine(x.rank() ? x.dims.back() : 1));
  }
  Value apart =
      n.e.reshape(x, {x.dims[0], x.dims[1], heads, x.dims[2] / heads});
  return n.e.transpose(apart, {0, 2, 1, 3});
}

Value joinHeads(Node &n, const Value &x) {
  Value moved = n.e.transpose(x, {0, 2, 1, 3});
  return x ? n.e.reshape(moved, {x.dims[0], x.dims[2], x.dims[1] * x.dims[3]})
           : Value();
}

Value attend(Node &n, AttentionTerms terms) {
  mlir::Value query = n.e.graph(terms.query), key = n.e.graph(terms.key),
              value = n.e.graph(terms.value);
  if (terms.mask && terms.mask.isFloat()) {
    terms.mask = n.e.cast(terms.mask, terms.query.dataType);
  }
  mlir::Value mask = terms.mask ? n.e.graph(terms.mask) : mlir::Value();
  mlir::Value length =
      terms.keyLength ? n.e.graph(terms.keyLength) : mlir::Value();
  if (n.failed()) {
    return {};
  }
  mlir::OpBuilder &builder = n.e.opBuilder();
  return n.e.emit<graph::AttentionOp>(
      query, key, value, mask, length, builder.getF64FloatAttr(terms.scale),
      terms.softCap > 0 ? builder.getF64FloatAttr(terms.softCap)
                        : mlir::FloatAttr(),
      graph::CausalAttr::get(builder.getContext(), terms.causal),
      mlir::IntegerAttr(), mlir::UnitAttr());
}

Value windowMask(Node &n, const AttentionWindow &window) {
  Value row = n.e.iota(TensorProto::INT64, {window.queries, 1}, 0);
  Value column = n.e.iota(TensorProto::INT64, {1, window.keys}, 1);
  Value offset = n.e.scalar(double(window.past), row);
  if (const Value &length = window.keyLength) {
    Value wide = n.e.cast(length, TensorProto::INT64);
    offset = n.e.sub(n.e.reshape(wide, {length.elements(), 1, 1, 1}),
                     n.e.scalar(double(window.queries), row));
  }
  Value position = n.e.add(row, offset), mask;
  if (window.right >= 0) {
    mask =
        n.e.compare(ComparePredicate::Le, column,
                    n.e.add(position, n.e.scalar(double(window.right), row)));
  }
  if (window.left >= 0) {
    Value isNear =
        n.e.compare(ComparePredicate::Ge, column,
                    n.e.sub(position, n.e.scalar(double(window.left), row)));
    mask = mask ? n.e.bitAnd(mask, isNear) : isNear;
  }
  return mask;
}

Value rotate(Node &n, const Value &x, const Value &cosine, const Value &sine,
             bool interleaved) {
  if (n.failed() || x.rank() != 4 || cosine.rank() != 3 ||
      sine.dims != cosine.dims || 2 * cosine.dims[2] > x.dims[3]) {
    return n.fail("operands of these ranks");
  }
  Dims dims = {cosine.dims[0], 1, cosine.dims[1], cosine.dims[2]};
  mlir::Value operand = n.e.graph(x),
              cosValue = n.e.graph(n.e.reshape(cosine, dims)),
              sinValue = n.e.graph(n.e.reshape(sine, dims));
  if (n.failed()) {
    return {};
  }
  return n.e.emit<graph::RotaryOp>(operand, cosValue, sinValue, interleaved);
}

} // namespace minic
