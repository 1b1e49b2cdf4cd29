// SPDX-License-Identifier: Apache-2.0
//
// LSTM, GRU and RNN, written out step by step: what depends on the input alone
// is one product for all steps.

#include "compiler/import/onnx/OpTable.h"

#include <cmath>

namespace minic {

using graph::ComparePredicate;

/// Steps of all directions that are written out.
static constexpr int64_t maxSteps = 512;

using Activation = Value (*)(Node &, const Value &);

static Activation activationOf(Node &n, const std::string &name) {
  if (name == "Sigmoid") {
    return [](Node &n, const Value &x) {
      return n.e.unary<graph::SigmoidOp>(x, nullptr);
    };
  }
  if (name == "Tanh") {
    return [](Node &n, const Value &x) {
      return n.e.unary<graph::TanhOp>(x, nullptr);
    };
  }
  if (name == "Relu") {
    return [](Node &n, const Value &x) { return n.e.max(x, n.e.scalar(0, x)); };
  }
  n.fail("activation '" + name + "'");
  return nullptr;
}

namespace {

/// One direction: its weights, and the state while steps are made.
struct Direction {
  Value weights, recurrence, inputBias, stateBias, peepholes;
  llvm::SmallVector<Activation, 3> activations;
  int64_t hidden;
  double clip;
  /// [B, hidden]; the cell of an LSTM.
  Value state, cell;
};

/// Gate `i` of [B, gates * hidden].
Value gateOf(Node &n, const Value &gates, int64_t i, int64_t hidden) {
  return n.e.sliceAxis(gates, 1, i * hidden, (i + 1) * hidden);
}

Value linear(Node &n, const Value &x, const Value &weight) {
  mlir::Value lhs = n.e.graph(x), rhs = n.e.graph(weight);
  return lhs && rhs ? n.e.emit<graph::LinearOp>(lhs, rhs, mlir::Value())
                    : Value();
}

Value activated(Node &n, const Direction &d, size_t i, Value x) {
  if (d.clip > 0) {
    x = n.e.min(n.e.max(x, n.e.scalar(-d.clip, x)), n.e.scalar(d.clip, x));
  }
  return d.activations[i](n, x);
}

/// 1 - x.
Value rest(Node &n, const Value &x) { return n.e.sub(n.e.scalar(1, x), x); }

} // namespace

/// Each step takes what the input gives, [B, gates * hidden] with both biases,
/// and gives the new state.
static Value rnnStep(Node &n, Direction &d, const Value &input) {
  return activated(n, d, 0, n.e.add(input, linear(n, d.state, d.recurrence)));
}

/// Gates are update, reset, hidden. A state bias of the last stays apart where
/// the reset comes after the product.
static Value gruStep(Node &n, Direction &d, const Value &input) {
  int64_t h = d.hidden;
  auto rows = [&](int64_t begin, int64_t end) {
    return n.e.sliceAxis(d.recurrence, 0, begin * h, end * h);
  };
  Value both = n.e.add(n.e.sliceAxis(input, 1, 0, 2 * h),
                       linear(n, d.state, rows(0, 2)));
  Value gates = activated(n, d, 0, both);
  Value update = gateOf(n, gates, 0, h), reset = gateOf(n, gates, 1, h);
  Value inner;
  if (n.intOf("linear_before_reset", 0)) {
    Value product = linear(n, d.state, rows(2, 3));
    if (d.stateBias) {
      product = n.e.add(product, n.e.sliceAxis(d.stateBias, 0, 2 * h, 3 * h));
    }
    inner = n.e.mul(reset, product);
  } else {
    inner = linear(n, n.e.mul(reset, d.state), rows(2, 3));
  }
  Value fresh = activated(n, d, 1, n.e.add(gateOf(n, input, 2, h), inner));
  return n.e.add(n.e.mul(rest(n, update), fresh), n.e.mul(update, d.state));
}

/// Gates are input, output, forget, cell.
static Value lstmStep(Node &n, Direction &d, const Value &input) {
  int64_t h = d.hidden;
  Value gates = n.e.add(input, linear(n, d.state, d.recurrence));
  auto gate = [&](int64_t i, const Value &cell, int64_t peephole) {
    Value x = gateOf(n, gates, i, h);
    if (d.peepholes && peephole >= 0) {
      Value weight =
          n.e.sliceAxis(d.peepholes, 0, peephole * h, (peephole + 1) * h);
      x = n.e.add(x, n.e.mul(weight, cell));
    }
    return x;
  };
  Value in = activated(n, d, 0, gate(0, d.cell, 0));
  Value forget = n.intOf("input_forget", 0)
                     ? rest(n, in)
                     : activated(n, d, 0, gate(2, d.cell, 2));
  Value fresh = activated(n, d, 1, gate(3, d.cell, -1));
  d.cell = n.e.add(n.e.mul(forget, d.cell), n.e.mul(in, fresh));
  Value out = activated(n, d, 0, gate(1, d.cell, 1));
  return n.e.mul(out, d.activations[2](n, d.cell));
}

namespace {

/// What one op is: its gates, its activations where none are given.
struct Cell {
  int64_t gates;
  std::vector<std::string> activations;
  Value (*step)(Node &, Direction &, const Value &);
  bool hasCell = false;
};

} // namespace

/// Entry `i` of the first dimension of operand `at`; false where it is absent.
static Value entry(Node &n, unsigned at, int64_t i) {
  if (!n.has(at)) {
    return {};
  }
  Value x = n.e.sliceAxis(n.operand(at), 0, i, i + 1);
  return x ? n.e.reshape(x, llvm::ArrayRef<int64_t>(x.dims).drop_front())
           : Value();
}

/// Biases of the input and of the state; what need not be apart is one.
static void setBiases(Node &n, Direction &d, const Cell &cell, int64_t i) {
  Value both = entry(n, 3, i);
  if (!both) {
    return;
  }
  int64_t size = cell.gates * d.hidden;
  if (both.dims != Dims({2 * size})) {
    n.fail("biases of another size");
    return;
  }
  Value input = n.e.sliceAxis(both, 0, 0, size);
  d.stateBias = n.e.sliceAxis(both, 0, size, 2 * size);
  if (cell.step == gruStep && n.intOf("linear_before_reset", 0)) {
    int64_t apart = 2 * d.hidden;
    d.inputBias = n.e.concat({n.e.add(n.e.sliceAxis(input, 0, 0, apart),
                                      n.e.sliceAxis(d.stateBias, 0, 0, apart)),
                              n.e.sliceAxis(input, 0, apart, size)},
                             0);
    return;
  }
  d.inputBias = n.e.add(input, d.stateBias);
}

/// Of operand `at`, [directions, B, hidden], or zeros.
static Value initial(Node &n, unsigned at, int64_t i, const Value &x,
                     int64_t hidden) {
  if (!n.has(at)) {
    return n.e.splat(x.dataType, {x.dims[1], hidden}, 0);
  }
  Value given = n.operand(at);
  if (n.intOf("layout", 0)) {
    given = n.e.transpose(given, {1, 0, 2});
  }
  return n.e.reshape(n.e.sliceAxis(given, 0, i, i + 1), {x.dims[1], hidden});
}

/// The state after each step, [T, 1, B, hidden], in the order of the input.
/// Behind the end of a sequence, of `lengths` [B, 1], it is 0.
static Value runSteps(Node &n, Direction &d, const Cell &cell, const Value &x,
                      const Value &lengths, bool isBackwards) {
  int64_t length = x.dims[0], batch = x.dims[1];
  Value input = linear(n, x, d.weights);
  input = d.inputBias ? n.e.add(input, d.inputBias) : input;
  std::vector<Value> states(length);
  for (int64_t i = 0; i < length && !n.failed(); ++i) {
    int64_t t = isBackwards ? length - 1 - i : i;
    Value now = n.e.reshape(n.e.sliceAxis(input, 0, t, t + 1),
                            {batch, cell.gates * d.hidden});
    Value state = d.state, memory = d.cell;
    d.state = cell.step(n, d, now);
    Value shown = d.state;
    if (lengths) {
      Value isThere = n.e.compare(ComparePredicate::Gt, lengths,
                                  n.e.scalar(double(t), lengths));
      shown = n.e.select(isThere, d.state, n.e.scalar(0, d.state));
      d.state = n.e.select(isThere, d.state, state);
      d.cell = memory ? n.e.select(isThere, d.cell, memory) : memory;
    }
    states[t] = n.e.reshape(shown, {1, 1, batch, d.hidden});
  }
  return n.failed() ? Value() : n.e.concat(states, 0);
}

/// Activations of direction `i`: those given, else the op's own.
static void setActivations(Node &n, Direction &d, const Cell &cell, int64_t i) {
  std::vector<std::string> names = n.stringsOf("activations");
  size_t count = cell.activations.size();
  for (size_t k = 0; k < count; ++k) {
    size_t at = size_t(i) * count + k;
    d.activations.push_back(
        activationOf(n, at < names.size() ? names[at] : cell.activations[k]));
  }
}

/// Y is [T, directions, B, hidden]; the last states are [directions, B,
/// hidden]. With layout 1 the batch comes first.
static void recurrent(Node &n, const Cell &cell) {
  Value x = n.operand(0), weights = n.operand(1), recurrence = n.operand(2);
  if (n.failed() || x.rank() != 3 || weights.rank() != 3 ||
      recurrence.rank() != 3 ||
      recurrence.dims[1] != cell.gates * recurrence.dims[2]) {
    n.fail("operands of these shapes");
    return;
  }
  bool isBatchFirst = n.intOf("layout", 0);
  x = isBatchFirst ? n.e.transpose(x, {1, 0, 2}) : x;
  std::string mode = n.stringOf("direction", "forward");
  int64_t directions = mode == "bidirectional" ? 2 : 1;
  if (weights.dims[0] != directions || recurrence.dims[0] != directions ||
      x.dims[0] * directions > maxSteps) {
    n.fail(llvm::Twine(x.dims[0]) + " steps, at most " + llvm::Twine(maxSteps) +
           " are written out");
    return;
  }
  Value lengths = n.optionalOperand(4);
  if (auto known = lengths ? n.e.known(lengths) : nullptr;
      known &&
      llvm::all_of(known->ints, [&](int64_t l) { return l == x.dims[0]; })) {
    lengths = Value();
  }
  lengths = lengths ? n.e.reshape(lengths, {x.dims[1], 1}) : lengths;
  std::vector<Value> all, states, cells;
  for (int64_t i = 0; i < directions; ++i) {
    Direction d;
    d.weights = entry(n, 1, i);
    d.recurrence = entry(n, 2, i);
    d.hidden = recurrence.dims[2];
    d.clip = n.floatOf("clip", 0);
    d.peepholes = cell.hasCell ? entry(n, 7, i) : Value();
    setBiases(n, d, cell, i);
    setActivations(n, d, cell, i);
    d.state = initial(n, 5, i, x, d.hidden);
    d.cell = cell.hasCell ? initial(n, 6, i, x, d.hidden) : Value();
    if (n.failed()) {
      return;
    }
    all.push_back(
        runSteps(n, d, cell, x, lengths, mode == "reverse" || i == 1));
    Dims line = {1, x.dims[1], d.hidden};
    states.push_back(n.e.reshape(d.state, line));
    cells.push_back(cell.hasCell ? n.e.reshape(d.cell, line) : Value());
  }
  if (n.failed()) {
    return;
  }
  Value whole = n.e.concat(all, 1), last = n.e.concat(states, 0);
  Value memory = cell.hasCell ? n.e.concat(cells, 0) : Value();
  if (isBatchFirst) {
    whole = n.e.transpose(whole, {2, 0, 1, 3});
    last = n.e.transpose(last, {1, 0, 2});
    memory = memory ? n.e.transpose(memory, {1, 0, 2}) : memory;
  }
  n.set(0, whole);
  n.set(1, last);
  n.set(2, memory);
}

static void lstm(Node &n) {
  recurrent(n, {4, {"Sigmoid", "Tanh", "Tanh"}, lstmStep, true});
}
static void gru(Node &n) { recurrent(n, {3, {"Sigmoid", "Tanh"}, gruStep}); }
static void rnn(Node &n) { recurrent(n, {1, {"Tanh"}, rnnStep}); }

llvm::ArrayRef<OpEntry> recurrentOps() {
  static constexpr llvm::StringLiteral limits =
      "up to 512 steps; Sigmoid, Tanh, Relu";
  static const OpEntry table[] = {
      {"GRU", gru, 7, limits},
      {"LSTM", lstm, 7, limits},
      {"RNN", rnn, 7, limits},
  };
  return table;
}

} // namespace minic
