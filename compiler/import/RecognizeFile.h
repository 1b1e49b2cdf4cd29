// SPDX-License-Identifier: Apache-2.0
//
// RecognizeFile: what kind of file a user gave minic, ONNX models among those
// of other programs.

#ifndef MINIC_COMPILER_IMPORT_RECOGNIZEFILE_H
#define MINIC_COMPILER_IMPORT_RECOGNIZEFILE_H

#include "llvm/ADT/StringRef.h"

namespace minic {

/// What `bytes` look like, for people: "what looks like ONNX". Empty for text
/// and MLIR bytecode, which may be a model. The content decides; the extension
/// of `path` is asked where the content is binary and has no known start.
llvm::StringRef recognizeFile(llvm::StringRef path, llvm::StringRef bytes);

/// Whether `bytes`, at least the first 64 of a file, begin an ONNX model; the
/// extension is asked likewise.
bool looksLikeOnnx(llvm::StringRef path, llvm::StringRef bytes);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_RECOGNIZEFILE_H
