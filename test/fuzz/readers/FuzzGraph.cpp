// SPDX-License-Identifier: Apache-2.0
//
// A model in the graph dialect, as text. MLIR's own reader of bytecode trusts
// what it reads more than a fuzzer bears, so bytecode is left out; and so are
// problems of the tuner, whose constants may be as large as 16 GiB.

#include "compiler/import/RecognizeFile.h"
#include "test/fuzz/readers/FuzzImport.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  if (text.starts_with("ML\xefR") || text.contains("kernel.role") ||
      minic::looksLikeOnnx("model.mlir", text)) {
    return -1; // not kept in the corpus
  }
  minic::ImportOptions options;
  options.takesBuckets = true;
  options.dims.maxBuckets = 4;
  // Not a file that the input names, which may be any of this machine.
  options.weights = minic::fuzz::modelFolder() + "/weights.safetensors";
  minic::fuzz::importBytes(text, "model.mlir", options);
  return 0;
}
