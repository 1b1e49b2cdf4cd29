// SPDX-License-Identifier: Apache-2.0
//
// An ONNX model, with external data beside it. Inputs are mutated as messages
// (MutateOnnx.h), because few random changes of the bytes parse.

#include "compiler/import/RecognizeFile.h"
#include "test/fuzz/readers/FuzzImport.h"
#include "test/fuzz/readers/MutateOnnx.h"

#include <algorithm>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  if (!minic::looksLikeOnnx("model.onnx", bytes)) {
    return -1; // text, which has a fuzzer of its own
  }
  minic::ImportOptions options;
  // A dimension called N, as its message has it, is given a size.
  if (bytes.contains("\x12\x01N")) {
    options.dims.sizes["N"] = {3};
  }
  minic::fuzz::importBytes(bytes, "model.onnx", options);
  return 0;
}

/// Copies `model` over the input; 0 where it does not fit.
static size_t store(const onnx::ModelProto &model, uint8_t *data,
                    size_t maxSize) {
  std::string bytes = model.SerializePartialAsString();
  if (bytes.empty() || bytes.size() > maxSize) {
    return 0;
  }
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  std::mt19937 random(seed);
  onnx::ModelProto model;
  if (random() % 8 != 0 && model.ParsePartialFromArray(data, int(size))) {
    for (int changes = 1 + int(random() % 4); changes > 0; --changes) {
      minic::fuzz::mutate(model, random);
    }
    if (size_t newSize = store(model, data, maxSize)) {
      return newSize;
    }
  }
  return LLVMFuzzerMutate(data, size, maxSize);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1,
                                            const uint8_t *data2, size_t size2,
                                            uint8_t *out, size_t maxSize,
                                            unsigned seed) {
  std::mt19937 random(seed);
  onnx::ModelProto model, other;
  if (!model.ParsePartialFromArray(data1, int(size1)) ||
      !other.ParsePartialFromArray(data2, int(size2))) {
    return 0;
  }
  minic::fuzz::addFrom(other, model, random);
  return store(model, out, maxSize);
}
