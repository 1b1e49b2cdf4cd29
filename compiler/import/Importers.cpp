// SPDX-License-Identifier: Apache-2.0
//
// The formats that minic reads, and which of them a file has.

#include "compiler/import/Importer.h"
#include "compiler/import/NpzFile.h"
#include "compiler/import/RecognizeFile.h"
#include "compiler/import/SafetensorsFile.h"
#include "compiler/import/onnx/OnnxFile.h"
#include "compiler/import/onnx/OnnxImporter.h"

#include "llvm/Support/FileSystem.h"

namespace minic {

llvm::ArrayRef<const Importer *> importers() {
  // Text last: it accepts all.
  static const Importer *const all[] = {&onnxImporter(), &graphTextImporter()};
  return all;
}

const Importer &findImporter(llvm::StringRef path, llvm::StringRef bytes) {
  for (const Importer *importer : importers()) {
    if (importer->accepts(path, bytes)) {
      return *importer;
    }
  }
  return graphTextImporter();
}

std::shared_ptr<const WeightSource> openWeights(llvm::StringRef path,
                                                std::string &error) {
  // A model names its weights: it must not have minic wait for a pipe or read
  // a device without an end.
  if (llvm::sys::fs::exists(path) && !llvm::sys::fs::is_regular_file(path)) {
    error = ("'" + path + "' is not a regular file").str();
    return nullptr;
  }
  auto start = llvm::MemoryBuffer::getFileSlice(path, /*MapSize=*/64,
                                                /*Offset=*/0);
  if (start && looksLikeOnnx(path, (*start)->getBuffer())) {
    return OnnxFile::open(path, error);
  }
  if (start && (*start)->getBuffer().starts_with("PK")) {
    return NpzFile::open(path, error);
  }
  return SafetensorsFile::open(path, error);
}

} // namespace minic
