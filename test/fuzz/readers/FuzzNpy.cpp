// SPDX-License-Identifier: Apache-2.0
//
// A .npy file as minic-run reads its inputs.

#include "runtime/measure/NpyFile.h"
#include "test/fuzz/readers/InputFile.h"

using namespace minic;

/// All bytes that shape and dtype claim are there; AddressSanitizer watches.
static void expectSound(const runtime::NpyArray &array) {
  uint64_t bytes = uint64_t(runtime::elementBytes(array.dtype));
  for (int64_t dim : array.dims) {
    if (dim < 0) {
      fuzz::reportFinding("a negative dimension");
    }
    bytes *= uint64_t(dim);
  }
  const auto *first =
      static_cast<const volatile std::byte *>(array.data.data());
  for (uint64_t i = 0; i < bytes; ++i) {
    static_cast<void>(first[i]);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static fuzz::InputFile file;
  const std::string &path = file.write(data, size);
  for (bool bf16 : {false, true}) {
    absl::StatusOr<runtime::NpyArray> array = runtime::readNpy(path, bf16);
    if (array.ok()) {
      expectSound(*array);
    } else {
      fuzz::expectMessage(array.status().message().empty());
    }
  }
  return 0;
}
