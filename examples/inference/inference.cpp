// SPDX-License-Identifier: Apache-2.0
//
// Runs a compiled model once, in C++. Usage: inference_cpp model.minic
// Models with one input and one output, both f32.

#include <minic/minic.hpp>

#include <cstdio>

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s model.minic\n", argv[0]);
    return 2;
  }
  auto program = minic::Program::load(argv[1]);
  if (!program.ok()) {
    std::fprintf(stderr, "inference: %s\n", program.message().c_str());
    return 1;
  }
  auto context = minic::Context::create(*program);
  if (!context.ok()) {
    std::fprintf(stderr, "inference: %s\n", context.message().c_str());
    return 1;
  }
  auto x = program->inputs()[0], y = program->outputs()[0];
  minic::Buffer input(x), output(y);
  for (size_t i = 0; i < input.bytes() / sizeof(float); ++i) {
    input.data<float>()[i] = float(i % 8) / 8;
  }
  auto status = context->run({input.tensor()}, {output.tensor()});
  if (!status.ok()) {
    std::fprintf(stderr, "inference: %s\n", status.message().c_str());
    return 1;
  }
  std::printf("%s -> %s: %g\n", x.name, y.name, output.data<float>()[0]);
}
