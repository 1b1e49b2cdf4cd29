// SPDX-License-Identifier: Apache-2.0
//
// Pointwise kernels, compiled and run: every op in every dtype, broadcasting in
// every position, transposes and reshapes, against a float64 loop.

#include "compiler/target/cpu/pointwise/PointwiseFamily.h"

#include "test/unit/compiler/target/cpu/pointwise/PointwiseRun.h"
#include "test/unit/dialects/kernel/ParsedFusion.h"

#include "gmock/gmock.h"

#include <functional>

using ::testing::HasSubstr;

namespace minic::cpu {
namespace {

using Operands = std::vector<double>;

/// Checks a body of one op, `graph.<op>`, on operands of `operandDtypes`.
/// `attributes` follow the operands.
void checkOp(const std::string &op, const std::vector<std::string> &dtypes,
             const std::string &resultDtype, const std::string &attributes,
             const std::function<double(const Operands &)> &expected,
             double ulps, std::function<double(double)> domain = {}) {
  SCOPED_TRACE(op + " " + dtypes.front() + " -> " + resultDtype);
  Tensors inputs;
  std::string operands, types;
  for (size_t i = 0; i != dtypes.size(); ++i) {
    inputs.emplace_back(dtypes[i], std::vector<int64_t>{37});
    inputs.back().fill(uint32_t(i) + 7);
    for (int64_t j = 0; domain && j != 37; ++j) {
      inputs.back().set(j, domain(inputs.back().get(j)));
    }
    operands += (i ? ", %" : "%") + std::to_string(i);
    types += (i ? ", " : "") + inputs.back().type();
  }
  std::string result = "tensor<37x" + resultDtype + ">";
  std::string signature = op == "cast"         ? types + " to " + result
                          : dtypes.size() == 1 ? types
                                               : "(" + types + ") -> " + result;
  bool isCompare = op.rfind("compare", 0) == 0;
  std::string body = "%r = graph." + op + (isCompare ? ", " : " ") + operands +
                     attributes + " : " + signature +
                     "\nkernel.yield %r : " + result;
  DenseTensor got = run(inputs, resultDtype, {37}, body);
  for (int64_t i = 0; i != 37; ++i) {
    Operands values;
    for (DenseTensor &input : inputs) {
      values.push_back(input.get(i));
    }
    double want = expected(values);
    double tolerance =
        std::fabs(want) * (ulps * 0x1p-23 + got.roundoff()) + 0x1p-140;
    ASSERT_NEAR(got.get(i), want, got.isFloat() ? tolerance : 0)
        << "element " << i << " of " << values[0];
  }
}

const std::vector<std::string> kFloats = {"f32", "bf16", "f16"};
const std::vector<std::string> kIntegers = {"i8", "i32", "i64"};

double positive(double x) { return std::fabs(x); }

TEST(PointwiseFamilyTest, BinaryOpsOnFloats) {
  for (const std::string &t : kFloats) {
    using O = const Operands &;
    checkOp("add", {t, t}, t, "", [](O v) { return v[0] + v[1]; }, 1);
    checkOp("sub", {t, t}, t, "", [](O v) { return v[0] - v[1]; }, 1);
    checkOp("mul", {t, t}, t, "", [](O v) { return v[0] * v[1]; }, 1);
    checkOp("div", {t, t}, t, "", [](O v) { return v[0] / v[1]; }, 1);
    checkOp("max", {t, t}, t, "", [](O v) { return std::max(v[0], v[1]); }, 0);
    checkOp("min", {t, t}, t, "", [](O v) { return std::min(v[0], v[1]); }, 0);
    checkOp(
        "pow", {t, t}, t, "", [](O v) { return std::pow(v[0], v[1]); }, 8,
        positive);
    checkOp("compare lt", {t, t}, "i1", "", [](O v) { return v[0] < v[1]; }, 0);
    checkOp(
        "select", {"i1", t, t}, t, "", [](O v) { return v[0] ? v[1] : v[2]; },
        0);
  }
}

TEST(PointwiseFamilyTest, BinaryOpsOnIntegers) {
  for (const std::string &t : kIntegers) {
    using O = const Operands &;
    checkOp("add", {t, t}, t, "", [](O v) { return v[0] + v[1]; }, 0);
    checkOp("sub", {t, t}, t, "", [](O v) { return v[0] - v[1]; }, 0);
    checkOp("mul", {t, t}, t, "", [](O v) { return v[0] * v[1]; }, 0);
    checkOp("max", {t, t}, t, "", [](O v) { return std::max(v[0], v[1]); }, 0);
    checkOp("min", {t, t}, t, "", [](O v) { return std::min(v[0], v[1]); }, 0);
    checkOp("neg", {t}, t, "", [](O v) { return -v[0]; }, 0);
    checkOp("abs", {t}, t, "", [](O v) { return std::fabs(v[0]); }, 0);
    checkOp(
        "select", {"i1", t, t}, t, "", [](O v) { return v[0] ? v[1] : v[2]; },
        0);
  }
}

TEST(PointwiseFamilyTest, OpsOnPredicates) {
  using O = const Operands &;
  checkOp(
      "max", {"i1", "i1"}, "i1", "", [](O v) { return std::max(v[0], v[1]); },
      0);
  checkOp(
      "min", {"i1", "i1"}, "i1", "", [](O v) { return std::min(v[0], v[1]); },
      0);
  checkOp("mul", {"i1", "i1"}, "i1", "", [](O v) { return v[0] * v[1]; }, 0);
  checkOp(
      "compare lt", {"i1", "i1"}, "i1", "", [](O v) { return v[0] < v[1]; }, 0);
  checkOp(
      "select", {"i1", "i1", "i1"}, "i1", "",
      [](O v) { return v[0] ? v[1] : v[2]; }, 0);
}

TEST(PointwiseFamilyTest, EveryPredicateOnEveryDtype) {
  for (const char *t : {"f32", "bf16", "f16", "i1", "i8", "i32", "i64"}) {
    using O = const Operands &;
    auto check = [&](const char *predicate, auto holds) {
      checkOp(
          std::string("compare ") + predicate, {t, t}, "i1", "",
          [=](O v) { return holds(v[0], v[1]); }, 0,
          [](double x) { return std::round(x); });
    };
    check("eq", std::equal_to<>());
    check("ne", std::not_equal_to<>());
    check("lt", std::less<>());
    check("le", std::less_equal<>());
    check("gt", std::greater<>());
    check("ge", std::greater_equal<>());
  }
}

TEST(PointwiseFamilyTest, UnaryOps) {
  for (const std::string &t : kFloats) {
    using O = const Operands &;
    auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
    checkOp("neg", {t}, t, "", [](O v) { return -v[0]; }, 0);
    checkOp("abs", {t}, t, "", [](O v) { return std::fabs(v[0]); }, 0);
    checkOp("exp", {t}, t, "", [](O v) { return std::exp(v[0]); }, 4);
    checkOp("log", {t}, t, "", [](O v) { return std::log(v[0]); }, 4, positive);
    checkOp(
        "sqrt", {t}, t, "", [](O v) { return std::sqrt(v[0]); }, 1, positive);
    checkOp(
        "rsqrt", {t}, t, "", [](O v) { return 1 / std::sqrt(v[0]); }, 2,
        positive);
    checkOp("tanh", {t}, t, "", [](O v) { return std::tanh(v[0]); }, 4);
    checkOp("erf", {t}, t, "", [](O v) { return std::erf(v[0]); }, 4);
    checkOp("sigmoid", {t}, t, "", [=](O v) { return sigmoid(v[0]); }, 4);
    checkOp("silu", {t}, t, "", [=](O v) { return v[0] * sigmoid(v[0]); }, 4);
    checkOp("relu", {t}, t, "", [](O v) { return std::max(v[0], 0.0); }, 0);
    checkOp(
        "hard_swish", {t}, t, "",
        [](O v) { return v[0] * std::min(std::max(v[0] + 3, 0.0), 6.0) / 6; },
        4);
    checkOp(
        "leaky_relu", {t}, t, " {alpha = 0.25 : f64}",
        [](O v) { return v[0] > 0 ? v[0] : 0.25 * v[0]; }, 1);
    checkOp(
        "clamp", {t}, t, " {lower = -0.5 : f64, upper = 1.0 : f64}",
        [](O v) { return std::min(std::max(v[0], -0.5), 1.0); }, 0);
    // 1 + erf and 1 + tanh cancel for negative x.
    checkOp(
        "gelu", {t}, t, "",
        [](O v) { return v[0] * (1 + std::erf(v[0] / std::sqrt(2.0))) / 2; },
        64);
    checkOp(
        "gelu", {t}, t, " {approximate = #graph.approximation<tanh>}",
        [](O v) {
          double inner =
              std::sqrt(2 / M_PI) * (v[0] + 0.044715 * v[0] * v[0] * v[0]);
          return v[0] * (1 + std::tanh(inner)) / 2;
        },
        64);
  }
}

TEST(PointwiseFamilyTest, UnaryOpsThatRoundRepeatOrSaturate) {
  using O = const Operands &;
  auto softplus = [](double x) { return std::log1p(std::exp(x)); };
  for (const std::string &t : kFloats) {
    checkOp("sin", {t}, t, "", [](O v) { return std::sin(v[0]); }, 4);
    checkOp("cos", {t}, t, "", [](O v) { return std::cos(v[0]); }, 4);
    checkOp("floor", {t}, t, "", [](O v) { return std::floor(v[0]); }, 0);
    checkOp("ceil", {t}, t, "", [](O v) { return std::ceil(v[0]); }, 0);
    auto halves = [](double x) { return std::round(4 * x) / 2; };
    checkOp(
        "round", {t}, t, "", [](O v) { return std::nearbyint(v[0]); }, 0,
        halves);
    checkOp(
        "sign", {t}, t, "", [](O v) { return double((v[0] > 0) - (v[0] < 0)); },
        0, [](double x) { return std::round(x); });
    checkOp("softplus", {t}, t, "", [=](O v) { return softplus(v[0]); }, 4);
    checkOp(
        "mish", {t}, t, "",
        [=](O v) { return v[0] * std::tanh(softplus(v[0])); }, 8);
    checkOp(
        "elu", {t}, t, " {alpha = 0.75 : f64}",
        [](O v) { return v[0] > 0 ? v[0] : 0.75 * std::expm1(v[0]); }, 4);
    checkOp(
        "hard_sigmoid", {t}, t, "",
        [](O v) { return std::min(std::max(v[0] + 3, 0.0), 6.0) / 6; }, 4);
    checkOp(
        "mod", {t, t}, t, "",
        [](O v) { return v[0] - v[1] * std::floor(v[0] / v[1]); }, 64,
        [](double x) { return std::fabs(x) + 0.5; });
  }
}

TEST(PointwiseFamilyTest, IntegersDivideWithoutTraps) {
  using O = const Operands &;
  auto small = [](double x) { return std::trunc(x / 3); };
  for (const std::string &t : kIntegers) {
    checkOp(
        "div", {t, t}, t, "",
        [](O v) { return v[1] == 0 ? 0 : std::trunc(v[0] / v[1]); }, 0, small);
    checkOp(
        "mod", {t, t}, t, "",
        [](O v) {
          return v[1] == 0 ? 0 : v[0] - v[1] * std::floor(v[0] / v[1]);
        },
        0, small);
    checkOp(
        "sign", {t}, t, "", [](O v) { return double((v[0] > 0) - (v[0] < 0)); },
        0, small);
  }
  // Quotients that overflow, and divisors of zero.
  Tensors inputs;
  inputs.emplace_back("i32", std::vector<int64_t>{19});
  inputs.emplace_back("i32", std::vector<int64_t>{19});
  for (int64_t i = 0; i != 19; ++i) {
    inputs[0].set(i, INT32_MIN);
    inputs[1].set(i, double(i % 3 - 1));
  }
  for (const char *isa : {"", "v3"}) {
    DenseTensor got = run(inputs, "i32", {19}, R"(
      %r = graph.div %0, %1 : tensor<19xi32>
      kernel.yield %r : tensor<19xi32>)",
                          0, isa);
    for (int64_t i = 0; i != 19; ++i) {
      EXPECT_EQ(got.get(i), i % 3 == 1 ? 0 : double(INT32_MIN));
    }
  }
}

TEST(PointwiseFamilyTest, OpsOnBits) {
  using O = const Operands &;
  for (const char *t : {"i1", "i8", "i32", "i64"}) {
    auto bits = [](double x) { return int64_t(x); };
    auto check = [&](const char *op, auto f) {
      checkOp(
          op, {t, t}, t, "",
          [=](O v) { return double(f(bits(v[0]), bits(v[1]))); }, 0);
    };
    check("and", std::bit_and<>());
    check("or", std::bit_or<>());
    check("xor", std::bit_xor<>());
    bool isPredicate = std::string(t) == "i1";
    checkOp(
        "not", {t}, t, "",
        [=](O v) { return isPredicate ? 1 - v[0] : double(~bits(v[0])); }, 0);
  }
}

TEST(PointwiseFamilyTest, FindsNan) {
  Tensors inputs;
  inputs.emplace_back("bf16", std::vector<int64_t>{19});
  inputs[0].fill(1);
  inputs[0].set(3, NAN);
  inputs[0].set(18, NAN);
  inputs[0].set(4, INFINITY);
  DenseTensor got = run(inputs, "i1", {19}, R"(
    %r = graph.is_nan %0 : tensor<19xbf16> -> tensor<19xi1>
    kernel.yield %r : tensor<19xi1>)");
  for (int64_t i = 0; i != 19; ++i) {
    EXPECT_EQ(got.get(i), i == 3 || i == 18);
  }
}

TEST(PointwiseFamilyTest, EveryCast) {
  std::vector<std::string> all = {"f32", "bf16", "f16", "i1",
                                  "i8",  "i32",  "i64"};
  for (const std::string &from : all) {
    for (const std::string &to : all) {
      bool toFloat = to == "f32" || to == "bf16" || to == "f16";
      if (from == to) {
        continue;
      }
      checkOp(
          "cast", {from}, to, "",
          [&](const Operands &v) {
            return to == "i1" ? double(v[0] != 0)
                   : toFloat  ? v[0]
                              : std::trunc(v[0]);
          },
          0);
    }
  }
}

TEST(PointwiseFamilyTest, NanComesThrough) {
  for (const char *op :
       {"relu", "clamp", "max",         "min",   "exp",  "tanh",
        "erf",  "log",   "sigmoid",     "silu",  "gelu", "hard_swish",
        "sin",  "cos",   "floor",       "round", "sign", "softplus",
        "mish", "elu",   "hard_sigmoid"}) {
    SCOPED_TRACE(op);
    Tensors inputs;
    inputs.emplace_back("f32", std::vector<int64_t>{19});
    inputs.emplace_back("f32", std::vector<int64_t>{19});
    inputs[0].fill(1);
    inputs[1].fill(2);
    inputs[0].set(3, NAN);
    inputs[0].set(18, NAN);
    std::string name = op, t = "tensor<19xf32>";
    bool isBinary = name == "max" || name == "min";
    std::string body = "%r = graph." + name;
    body += isBinary ? " %0, %1 : (" + t + ", " + t + ") -> " + t : " %0";
    body += name == "clamp" ? " {lower = 0.0 : f64, upper = 1.0 : f64}" : "";
    body += isBinary ? "" : " : " + t;
    DenseTensor got =
        run(inputs, "f32", {19}, body + "\nkernel.yield %r : " + t);
    EXPECT_TRUE(std::isnan(got.get(3)));
    EXPECT_TRUE(std::isnan(got.get(18)));
    EXPECT_EQ(std::isnan(got.get(4)), name == "log" && inputs[0].get(4) < 0);
  }
}

/// x - y * z for every way of broadcasting three operands into `space`.
void checkBroadcasting(const std::vector<int64_t> &space, size_t which = 0) {
  size_t ways = size_t(1) << space.size();
  for (size_t way = 0; way != ways; ++way) {
    SCOPED_TRACE("way " + std::to_string(way));
    // One operand keeps the masked dimensions, another the others; the third
    // has lost its leading ones.
    std::vector<int64_t> kept = space, others = space, tail;
    for (size_t d = 0; d != space.size(); ++d) {
      (way >> d & 1 ? kept : others)[d] = 1;
    }
    tail.assign(space.begin() + int64_t(way % (space.size() + 1)), space.end());
    Tensors inputs;
    inputs.emplace_back("f32", kept);
    inputs.emplace_back("f32", others);
    inputs.emplace_back("f32", tail);
    for (size_t i = 0; i != 3; ++i) {
      inputs[i].fill(uint32_t(i + way));
    }
    std::vector<int64_t> product(space.size());
    for (size_t d = 0; d != space.size(); ++d) {
      size_t skipped = space.size() - tail.size();
      int64_t other = d < skipped ? 1 : tail[d - skipped];
      product[d] = others[d] == 1 ? other : others[d];
    }
    DenseTensor p("f32", product), r("f32", space);
    std::string body = "%p = graph.mul %1, %2 : (" + inputs[1].type() + ", " +
                       inputs[2].type() + ") -> " + p.type() +
                       "\n%r = graph.sub %0, %p : (" + inputs[0].type() + ", " +
                       p.type() + ") -> " + r.type() +
                       "\nkernel.yield %r : " + r.type();
    DenseTensor got = run(inputs, "f32", space, body, which);
    for (int64_t i = 0; i != got.count(); ++i) {
      auto index = got.index(i);
      float want = float(inputs[0].broadcastGet(index)) -
                   float(inputs[1].broadcastGet(index)) *
                       float(inputs[2].broadcastGet(index));
      ASSERT_NEAR(got.get(i), want, 1e-6) << "element " << i;
    }
  }
}

TEST(PointwiseFamilyTest, BroadcastsInEveryPosition) {
  checkBroadcasting({});
  checkBroadcasting({1});
  checkBroadcasting({17});
  checkBroadcasting({3, 5});
  checkBroadcasting({7, 1, 31});
  checkBroadcasting({2, 3, 4, 5});
  checkBroadcasting({5, 2, 67});
}

TEST(PointwiseFamilyTest, CutsLongRowsAndManyRowsIntoTiles) {
  checkBroadcasting({3, 9001});     // a row is several tiles
  checkBroadcasting({9001, 3});     // a tile is many rows
  checkBroadcasting({2, 70000}, 1); // the larger tile
}

TEST(PointwiseFamilyTest, EmptyTensorsNeedNoLaunch) {
  checkBroadcasting({0});
  checkBroadcasting({4, 0, 3});
}

TEST(PointwiseFamilyTest, RunsWithoutAvx512) {
  Tensors inputs;
  inputs.emplace_back("bf16", std::vector<int64_t>{129});
  inputs[0].fill(3);
  DenseTensor got = run(inputs, "bf16", {129}, R"(
    %r = graph.tanh %0 : tensor<129xbf16>
    kernel.yield %r : tensor<129xbf16>)",
                        0, "v3");
  for (int64_t i = 0; i != 129; ++i) {
    EXPECT_NEAR(got.get(i), std::tanh(inputs[0].get(i)), 0x1p-8);
  }
}

TEST(PointwiseFamilyTest, TransposesAreStrides) {
  for (int64_t m : {1, 3, 16, 33}) {
    for (int64_t n : {1, 7, 64, 65, 301}) {
      Tensors inputs;
      inputs.emplace_back("f32", std::vector<int64_t>{m, n});
      inputs.emplace_back("f32", std::vector<int64_t>{n, m});
      inputs[0].fill(1);
      inputs[1].fill(2);
      std::string from = inputs[0].type(), to = inputs[1].type();
      DenseTensor got =
          run(inputs, "f32", {n, m},
              "%t = graph.transpose %0 [1, 0] : " + from + " -> " + to +
                  "\n%r = graph.add %t, %1 : (" + to + ", " + to + ") -> " +
                  to + "\nkernel.yield %r : " + to);
      for (int64_t i = 0; i != n; ++i) {
        for (int64_t j = 0; j != m; ++j) {
          ASSERT_EQ(got.get(i * m + j), float(inputs[0].get(j * n + i)) +
                                            float(inputs[1].get(i * m + j)));
        }
      }
    }
  }
}

TEST(PointwiseFamilyTest, PermutesWithoutComputing) {
  Tensors inputs;
  inputs.emplace_back("i8", std::vector<int64_t>{2, 3, 5, 7});
  inputs[0].fill(1);
  DenseTensor got = run(inputs, "i8", {2, 5, 3, 7}, R"(
    %r = graph.transpose %0 [0, 2, 1, 3]
      : tensor<2x3x5x7xi8> -> tensor<2x5x3x7xi8>
    kernel.yield %r : tensor<2x5x3x7xi8>)");
  for (int64_t i = 0; i != got.count(); ++i) {
    auto index = got.index(i);
    std::swap(index[1], index[2]);
    EXPECT_EQ(got.get(i), inputs[0].broadcastGet(index));
  }
}

TEST(PointwiseFamilyTest, ReshapesOfOperandsAndOfComputedValues) {
  Tensors inputs;
  inputs.emplace_back("f32", std::vector<int64_t>{4, 6});
  inputs.emplace_back("f32", std::vector<int64_t>{3, 8});
  inputs[0].fill(1);
  inputs[1].fill(2);
  // The product with a value of one element is seen through both reshapes.
  DenseTensor got = run(inputs, "f32", {8, 3}, R"(
    %n = graph.neg %0 : tensor<4x6xf32>
    %a = graph.reshape %n : tensor<4x6xf32> to tensor<3x8xf32>
    %s = graph.add %a, %1 : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
    %r = graph.reshape %s : tensor<3x8xf32> to tensor<8x3xf32>
    kernel.yield %r : tensor<8x3xf32>)");
  for (int64_t i = 0; i != 24; ++i) {
    EXPECT_EQ(got.get(i), float(inputs[1].get(i)) - float(inputs[0].get(i)));
  }
}

TEST(PointwiseFamilyTest, TransposeOfAReshapedOperand) {
  // Heads of attention: [B, S, H * D] to [B, H, S, D].
  Tensors inputs;
  inputs.emplace_back("f32", std::vector<int64_t>{2, 5, 12});
  inputs[0].fill(1);
  DenseTensor got = run(inputs, "f32", {2, 3, 5, 4}, R"(
    %h = graph.reshape %0 : tensor<2x5x12xf32> to tensor<2x5x3x4xf32>
    %r = graph.transpose %h [0, 2, 1, 3]
      : tensor<2x5x3x4xf32> -> tensor<2x3x5x4xf32>
    kernel.yield %r : tensor<2x3x5x4xf32>)");
  for (int64_t i = 0; i != got.count(); ++i) {
    auto at = got.index(i);
    EXPECT_EQ(got.get(i),
              inputs[0].get((at[0] * 5 + at[2]) * 12 + at[1] * 4 + at[3]));
  }
}

TEST(PointwiseFamilyTest, SeveralResultsShareOnePass) {
  Tensors inputs;
  inputs.emplace_back("bf16", std::vector<int64_t>{3, 21});
  inputs.emplace_back("bf16", std::vector<int64_t>{21});
  inputs[0].fill(1);
  inputs[1].fill(2);
  DenseTensor sum("bf16", {3, 21}), isLess("i1", {3, 21}), wide("f32", {3, 21});
  ParsedFusion parsed({inputs[0].type(), inputs[1].type()},
                      "(tensor<3x21xbf16>, tensor<3x21xi1>, tensor<3x21xf32>)",
                      R"(
    %s = graph.add %0, %1 : (tensor<3x21xbf16>, tensor<21xbf16>) -> tensor<3x21xbf16>
    %c = graph.compare lt, %s, %0 : (tensor<3x21xbf16>, tensor<3x21xbf16>) -> tensor<3x21xi1>
    %w = graph.cast %s : tensor<3x21xbf16> to tensor<3x21xf32>
    kernel.yield %s, %c, %w : tensor<3x21xbf16>, tensor<3x21xi1>, tensor<3x21xf32>)");
  runFusion(PointwiseFamily(), parsed.get(),
            {inputs[0].data(), inputs[1].data(), sum.data(), isLess.data(),
             wide.data()});
  for (int64_t i = 0; i != 63; ++i) {
    double want = inputs[0].get(i) + inputs[1].get(i % 21);
    EXPECT_NEAR(sum.get(i), want, std::fabs(want) * 0x1p-8);
    // Values inside a body are not rounded.
    EXPECT_NEAR(wide.get(i), want, 1e-6);
    EXPECT_EQ(isLess.get(i), want < inputs[0].get(i));
  }
}

std::string reasonFor(const std::vector<std::string> &arguments,
                      const std::string &results, const std::string &body) {
  ParsedFusion parsed(arguments, results, body);
  return PointwiseFamily()
      .reject(parsed.get(), getCpuProfile(1))
      .value_or("accepted");
}

TEST(PointwiseFamilyTest, SaysWhyNot) {
  EXPECT_THAT(reasonFor({"tensor<4x6xf32>"}, "tensor<3x8xf32>", R"(
    %t = graph.transpose %0 [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
    %r = graph.reshape %t : tensor<6x4xf32> to tensor<3x8xf32>
    %z = graph.relu %r : tensor<3x8xf32>
    kernel.yield %z : tensor<3x8xf32>)"),
              HasSubstr("graph.reshape of a transposed value"));
  EXPECT_THAT(
      reasonFor({"tensor<4x6xf32>", "tensor<6xf32>"}, "tensor<3x8xf32>", R"(
    %t = graph.add %0, %1 : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
    %r = graph.reshape %t : tensor<4x6xf32> to tensor<3x8xf32>
    %z = graph.relu %r : tensor<3x8xf32>
    kernel.yield %z : tensor<3x8xf32>)"),
      HasSubstr("graph.reshape of a broadcast value"));
  EXPECT_THAT(
      reasonFor({"tensor<4x6xf32>", "tensor<5x6xf32>"}, "tensor<4x5xf32>", R"(
    %r = graph.linear %0, %1 : (tensor<4x6xf32>, tensor<5x6xf32>) -> tensor<4x5xf32>
    kernel.yield %r : tensor<4x5xf32>)"),
      HasSubstr("a contraction"));
  EXPECT_THAT(reasonFor({"tensor<9xf32>", "tensor<5xi32>"}, "tensor<5xf32>", R"(
    %g = graph.gather %0, %1 axis = 0 : (tensor<9xf32>, tensor<5xi32>) -> tensor<5xf32>
    kernel.yield %g : tensor<5xf32>)"),
              HasSubstr("graph.gather of single elements"));
  EXPECT_THAT(
      reasonFor({"tensor<9x4xf32>", "tensor<5xi32>"}, "tensor<5x4xf32>", R"(
    %r = graph.relu %0 : tensor<9x4xf32>
    %g = graph.gather %r, %1 axis = 0 : (tensor<9x4xf32>, tensor<5xi32>) -> tensor<5x4xf32>
    kernel.yield %g : tensor<5x4xf32>)"),
      HasSubstr("graph.gather of what is no operand"));
  EXPECT_THAT(
      reasonFor({"tensor<9x4xf32>", "tensor<5xi32>"}, "tensor<5x4xf32>", R"(
    %i = graph.abs %1 : tensor<5xi32>
    %g = graph.gather %0, %i axis = 0 : (tensor<9x4xf32>, tensor<5xi32>) -> tensor<5x4xf32>
    kernel.yield %g : tensor<5x4xf32>)"),
      HasSubstr("graph.gather by what the body computes"));
}

} // namespace
} // namespace minic::cpu
