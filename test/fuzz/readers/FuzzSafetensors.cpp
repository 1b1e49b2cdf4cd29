// SPDX-License-Identifier: Apache-2.0
//
// A safetensors file as the compiler opens its weights.

#include "compiler/import/SafetensorsFile.h"
#include "test/fuzz/readers/InputFile.h"

using namespace minic;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static fuzz::InputFile input;
  std::string error;
  auto file = SafetensorsFile::open(input.write(data, size), error);
  if (!file) {
    fuzz::expectMessage(error.empty());
    return 0;
  }
  file->hash();
  for (llvm::StringRef name : file->names()) {
    const WeightSource::Entry *entry = file->find(name);
    if (!entry) {
      fuzz::reportFinding("a name without a tensor");
    }
    // All bytes that it claims are there; AddressSanitizer watches.
    volatile char last = 0;
    for (char byte : entry->data) {
      last = byte;
    }
    (void)last;
  }
  return 0;
}
