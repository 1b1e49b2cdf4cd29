// SPDX-License-Identifier: Apache-2.0
//
// Ops that say or change a shape, and constants: mostly computed at import.

#include "compiler/import/onnx/OpTable.h"

#include "dialects/graph/ShapeText.h"

#include <algorithm>
#include <cmath>

namespace minic {

using ::onnx::TensorProto;

static void identity(Node &n) { n.set(0, n.operand(0)); }

/// The dimensions from `start` to `end`, as Python slices them.
static void shape(Node &n) {
  Value x = n.operand(0);
  int64_t rank = x.rank();
  auto clamp = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  int64_t begin = clamp(n.intOf("start", 0)), end = clamp(n.intOf("end", rank));
  n.set(0, n.e.ints(llvm::ArrayRef<int64_t>(x.dims).slice(
               begin, std::max<int64_t>(end - begin, 0))));
}

static void size(Node &n) {
  Value count = n.e.ints({n.operand(0).elements()});
  n.set(0, n.e.reshape(count, {}));
}

static void constant(Node &n) {
  auto numbers = [&](const std::vector<double> &values) {
    HostTensor tensor;
    tensor.dataType = TensorProto::FLOAT;
    tensor.dims = {int64_t(values.size())};
    tensor.floats = values;
    return n.e.constant(std::move(tensor));
  };
  if (n.hasAttribute("value")) {
    n.set(0, n.tensorOf("value"));
  } else if (n.hasAttribute("value_int")) {
    n.set(0, n.e.reshape(n.e.ints({n.intOf("value_int", 0)}), {}));
  } else if (auto values = n.intsOf("value_ints")) {
    n.set(0, n.e.ints(*values));
  } else if (n.hasAttribute("value_float")) {
    n.set(0, n.e.reshape(numbers({n.floatOf("value_float", 0)}), {}));
  } else if (auto values = n.floatsOf("value_floats")) {
    n.set(0, numbers(*values));
  } else {
    n.fail("a value that is no tensor of numbers");
  }
}

static void constantOfShape(Node &n) {
  std::optional<Dims> dims = n.knownInts(0);
  if (!dims || llvm::any_of(*dims, [](int64_t dim) { return dim < 0; })) {
    n.fail("a shape with negative dimensions");
    return;
  }
  if (!n.hasAttribute("value")) {
    n.set(0, n.e.splat(TensorProto::FLOAT, *dims, 0));
    return;
  }
  Value value = n.tensorOf("value");
  n.set(0, n.e.expand(n.e.reshape(value, {}), *dims));
}

static void range(Node &n) {
  auto start = n.knownNumber(0), limit = n.knownNumber(1),
       delta = n.knownNumber(2);
  if (!start || !limit || !delta) {
    return;
  }
  double count = std::ceil((*limit - *start) / *delta);
  if (!(count < double(int64_t(1) << 31))) {
    n.fail("a range without end");
    return;
  }
  int dataType = n.operand(0).dataType;
  Value steps = n.e.iota(dataType, {std::max<int64_t>(int64_t(count), 0)}, 0);
  n.set(0, n.e.add(n.e.mul(steps, n.operand(2)), n.operand(0)));
}

/// 0 keeps a dimension, unless allowzero says otherwise; -1 is what is left.
static void reshape(Node &n) {
  Value x = n.operand(0);
  std::optional<Dims> dims = n.intsOf(1, "shape");
  if (!x || !dims) {
    n.fail("expected a shape, got none");
    return;
  }
  int64_t known = 1, open = -1;
  for (size_t i = 0; i < dims->size(); ++i) {
    int64_t &dim = (*dims)[i];
    if (dim == 0 && !n.intOf("allowzero", 0) && i < x.dims.size()) {
      dim = x.dims[i];
    }
    if (dim == -1 && open < 0) {
      open = int64_t(i);
    } else if (dim < 0 || __builtin_mul_overflow(known, dim, &known)) {
      n.fail("the shape " + graph::shapeText(*dims));
      return;
    }
  }
  if (open >= 0) {
    if (known != 0 && x.elements() % known != 0) {
      n.fail("cannot reshape " + graph::shapeText(x.dims) + " to " +
             graph::shapeText(*dims));
      return;
    }
    (*dims)[open] = known == 0 ? 0 : x.elements() / known;
  }
  n.set(0, n.e.reshape(x, *dims));
}

static void flatten(Node &n) {
  Value x = n.operand(0);
  int64_t axis = n.intOf("axis", 1);
  axis += axis < 0 ? x.rank() : 0;
  if (!x || axis < 0 || axis > x.rank()) {
    n.fail("axis " + llvm::Twine(axis) + " is outside of rank " +
           llvm::Twine(x.rank()));
    return;
  }
  auto dims = llvm::ArrayRef<int64_t>(x.dims);
  n.set(0, n.e.reshape(x, {elementsOf(dims.take_front(axis)),
                           elementsOf(dims.drop_front(axis))}));
}

static void squeeze(Node &n) {
  Value x = n.operand(0);
  std::optional<Dims> given = n.intsOf(1, "axes");
  Dims axes = given ? n.axesOf(*given, x.rank()) : Dims(), dims;
  for (int64_t d = 0; d < x.rank(); ++d) {
    bool drops = given ? llvm::is_contained(axes, d) : x.dims[d] == 1;
    if (drops && x.dims[d] != 1) {
      n.fail("dimension " + llvm::Twine(d) + " is " + llvm::Twine(x.dims[d]) +
             ", expected 1");
    }
    if (!drops) {
      dims.push_back(x.dims[d]);
    }
  }
  n.set(0, n.e.reshape(x, dims));
}

static void unsqueeze(Node &n) {
  Value x = n.operand(0);
  std::optional<Dims> given = n.intsOf(1, "axes");
  if (!x || !given) {
    n.fail("expected axes, got none");
    return;
  }
  int64_t rank = x.rank() + int64_t(given->size());
  if (rank > 64) {
    n.fail(llvm::Twine(rank) + " dimensions");
    return;
  }
  Dims axes = n.axesOf(*given, rank), dims;
  if (n.failed()) {
    return;
  }
  for (int64_t d = 0, from = 0; d < rank; ++d) {
    dims.push_back(llvm::is_contained(axes, d) ? 1 : x.dims[from++]);
  }
  n.set(0, n.e.reshape(x, dims));
}

/// Both shapes broadcast to the result.
static void expand(Node &n) {
  Value x = n.operand(0);
  std::optional<Dims> dims = n.knownInts(1);
  if (!x || !dims) {
    return;
  }
  auto shape = graph::broadcastShapes(x.dims, *dims);
  if (mlir::failed(shape)) {
    n.fail("cannot expand " + graph::shapeText(x.dims) + " to " +
           graph::shapeText(*dims));
    return;
  }
  n.set(0, n.e.expand(x, *shape));
}

static void eyeLike(Node &n) {
  Value x = n.operand(0);
  if (!x || x.rank() != 2) {
    n.fail("expected a matrix");
    return;
  }
  Value row = n.e.iota(TensorProto::INT64, {x.dims[0], 1}, 0);
  Value column = n.e.iota(TensorProto::INT64, {1, x.dims[1]}, 1);
  Value diagonal = n.e.add(row, n.e.scalar(double(n.intOf("k", 0)), row));
  n.set(0, n.e.cast(n.e.compare(graph::ComparePredicate::Eq, diagonal, column),
                    int(n.intOf("dtype", x.dataType))));
}

/// At inference nothing is dropped.
static void dropout(Node &n) {
  Value x = n.operand(0);
  if (n.has(2)) {
    std::optional<double> trains = n.knownNumber(2);
    if (trains && *trains != 0) {
      n.fail("training");
    }
  }
  n.set(0, x);
  if (n.wants(1)) {
    n.set(1, n.e.splat(n.opset() < 10 ? x.dataType : int(TensorProto::BOOL),
                       x.dims, 1));
  }
}

llvm::ArrayRef<OpEntry> shapeOps() {
  static const OpEntry table[] = {
      {"Constant", constant},
      {"ConstantOfShape", constantOfShape, 9, "known shape"},
      {"Dropout", dropout, 7, "inference"},
      {"Expand", expand, 8, "known shape"},
      {"EyeLike", eyeLike, 9},
      {"Flatten", flatten},
      {"Identity", identity},
      {"Range", range, 11, "known bounds"},
      {"Reshape", reshape, 5, "known shape"},
      {"Shape", shape},
      {"Size", size},
      {"Squeeze", squeeze, 1, "known axes"},
      {"Unsqueeze", unsqueeze, 1, "known axes"},
  };
  return table;
}

} // namespace minic
