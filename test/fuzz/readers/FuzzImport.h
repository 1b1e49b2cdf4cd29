// SPDX-License-Identifier: Apache-2.0
//
// A model as the compiler imports it, up to and with its verification.

#ifndef MINIC_TEST_FUZZ_READERS_FUZZIMPORT_H
#define MINIC_TEST_FUZZ_READERS_FUZZIMPORT_H

#include "compiler/import/ImportModel.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace minic::fuzz {

/// A folder with "weights.bin", 64 bytes for external data, and
/// "weights.safetensors", which has "w" (f32, [4]), "h" (bf16, [2, 2]) and "i"
/// (i64, [1]). Removed when the process ends.
const std::string &modelFolder();

/// Imports `bytes` as the file `name` of modelFolder(). Refusing without a
/// diagnostic is a finding, and so is a module that does not verify. Whether
/// tensors are named and weights are cast follows from the size of `bytes`.
void importBytes(llvm::StringRef bytes, llvm::StringRef name,
                 ImportOptions options);

} // namespace minic::fuzz

#endif // MINIC_TEST_FUZZ_READERS_FUZZIMPORT_H
