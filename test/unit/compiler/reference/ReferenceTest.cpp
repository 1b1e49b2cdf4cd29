// SPDX-License-Identifier: Apache-2.0
//
// The fixture: models from text, evaluated and compared.

#include "test/unit/compiler/reference/ReferenceTest.h"

#include "dialects/RegisterDialects.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <bit>
#include <cmath>

using namespace mlir;

namespace minic::reference {

ReferenceTest::ReferenceTest() {
  DialectRegistry registry;
  registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    error += diagnostic.str() + "\n";
    return success();
  });
}

Block &ReferenceTest::parse(const std::string &text) {
  module_ = parseSourceString<ModuleOp>(text, &context);
  if (!module_) {
    ADD_FAILURE() << error << text;
    abort();
  }
  return (*module_->getOps<func::FuncOp>().begin()).getBody().front();
}

std::vector<runtime::ExpectedOutput>
ReferenceTest::evaluateText(const std::string &text,
                            const std::vector<std::vector<float>> &arguments,
                            const EvaluationOptions &options) {
  Inputs inputs;
  for (const std::vector<float> &argument : arguments) {
    inputs.arguments.push_back(argument.data());
  }
  auto outputs = evaluate(parse(text), inputs, options);
  if (failed(outputs)) {
    ADD_FAILURE() << error;
    return {};
  }
  return *outputs;
}

runtime::ExpectedOutput ReferenceTest::unary(const std::string &op,
                                             const std::vector<float> &x) {
  size_t space = op.find(' ');
  std::string name = op.substr(0, space);
  std::string attributes = space == std::string::npos ? "" : op.substr(space);
  std::string type = "tensor<" + std::to_string(x.size()) + "xf32>";
  return evaluateText("func.func @main(%x: " + type + ") -> " + type +
                          "{ %0 = " + name + " %x" + attributes + " : " + type +
                          " return %0 : " + type + "}",
                      {x})[0];
}

runtime::ExpectedOutput ReferenceTest::binary(const std::string &op,
                                              const std::vector<float> &x,
                                              const std::vector<float> &y) {
  std::string type = "tensor<" + std::to_string(x.size()) + "xf32>";
  return evaluateText("func.func @main(%x: " + type + ", %y: " + type +
                          ") -> " + type + "{ %0 = " + op + " %x, %y : (" +
                          type + ", " + type + ") -> " + type +
                          " return %0 : " + type + "}",
                      {x, y})[0];
}

std::vector<float> randomFloats(int64_t count, uint64_t seed, float low,
                                float high) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<float> uniform(low, high);
  std::vector<float> values(count);
  for (float &value : values) {
    value = uniform(generator);
  }
  return values;
}

static uint16_t bf16Bits(float x) {
  uint32_t bits = std::bit_cast<uint32_t>(x);
  if (std::isnan(x)) {
    return 0x7fc0;
  }
  return uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float fromBf16(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

float roundToBf16(float x) { return fromBf16(bf16Bits(x)); }

std::vector<uint16_t> toBf16(const std::vector<float> &x) {
  std::vector<uint16_t> bits;
  for (float value : x) {
    bits.push_back(bf16Bits(value));
  }
  return bits;
}

int64_t countMismatches(const runtime::ExpectedOutput &expected,
                        const std::vector<float> &got) {
  EXPECT_EQ(expected.values.size(), got.size());
  int64_t mismatches = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    double value = expected.values[i], tolerance = expected.tolerances[i];
    bool matches =
        std::isinf(tolerance) ||
        (std::isnan(value)
             ? std::isnan(got[i])
             : value == got[i] || std::abs(value - got[i]) <= tolerance);
    mismatches += !matches;
  }
  return mismatches;
}

} // namespace minic::reference
