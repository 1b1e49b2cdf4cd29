// SPDX-License-Identifier: Apache-2.0
//
// A table of the first bytes that other formats have.

#include "compiler/import/RecognizeFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Path.h"

using llvm::StringRef;

namespace minic {

static constexpr StringRef onnx = "what looks like ONNX";
static constexpr StringRef torchZip =
    "what looks like a zip archive, as PyTorch saves (.pt, .pt2)";
static constexpr StringRef pickle =
    "what looks like a Python pickle, as PyTorch saved before 1.6";
static constexpr StringRef tensorflow =
    "what looks like a TensorFlow graph (.pb)";
static constexpr StringRef safetensors =
    "what looks like safetensors; weights go with a model (--weights=FILE)";

struct Start {
  size_t offset;
  StringRef bytes;
  StringRef what;
};

static constexpr Start starts[] = {
    {0, "PK\x03\x04", torchZip},
    {0, "\x89MNC", "a compiled artifact; minic-run runs it"},
    {0, "GGUF", "what looks like GGUF"},
    {0, "\x93NUMPY", "what looks like a NumPy array"},
    {0, "\x89HDF", "what looks like HDF5, as Keras saves"},
    {0,
     "\x7f"
     "ELF",
     "a program or shared object (ELF)"},
    {4, "TFL3", "what looks like TensorFlow Lite"},
    {0, "version https://git-lfs.github.com/",
     "a Git LFS pointer; `git lfs pull` fetches the file itself"},
};

/// 8 bytes of a plausible header length, then that header's JSON.
static bool isSafetensors(StringRef bytes) {
  return bytes.size() > 8 && bytes[8] == '{' &&
         llvm::support::endian::read64le(bytes.data()) <= bytes.size() - 8;
}

/// A protobuf message whose first field is a varint. ONNX has its ir_version
/// there, 3 since its first release; a TensorFlow SavedModel has schema version
/// 1, then field 2 with a length.
static StringRef recognizeProtobuf(StringRef bytes) {
  if (bytes.size() < 3 || bytes[0] != 0x08) {
    return {};
  }
  // Producer, domain, versions and texts may all lack: fields 2 to 8.
  bool isNextField = llvm::is_contained(
      {0x12, 0x1a, 0x22, 0x28, 0x32, 0x3a, 0x42}, int(bytes[2]));
  if (bytes[1] >= 3 && bytes[1] < 0x40 && isNextField) {
    return onnx;
  }
  return bytes[2] == 0x12 ? tensorflow : StringRef();
}

/// The control characters that no text has.
static bool isBinary(StringRef bytes) {
  return llvm::any_of(bytes.take_front(4096), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && !llvm::isSpace(c);
  });
}

StringRef recognizeFile(StringRef path, StringRef bytes) {
  if (bytes.starts_with("ML\xefR")) {
    return {};
  }
  for (const Start &start : starts) {
    if (bytes.substr(start.offset).starts_with(start.bytes)) {
      return start.what;
    }
  }
  if (isSafetensors(bytes)) {
    return safetensors;
  }
  if (StringRef found = recognizeProtobuf(bytes); !found.empty()) {
    return found;
  }
  if (bytes.starts_with("\x80") && bytes.size() > 1 && bytes[1] >= 2 &&
      bytes[1] <= 5) {
    return pickle;
  }
  if (!isBinary(bytes)) {
    bool isNothing = bytes.empty() && path.ends_with_insensitive(".onnx");
    return isNothing ? onnx : StringRef();
  }
  return llvm::StringSwitch<StringRef>(llvm::sys::path::extension(path).lower())
      .Case(".onnx", onnx)
      .Cases({".pt", ".pth", ".pt2"}, "an unknown kind of PyTorch file")
      .Case(".pb", tensorflow)
      .Case(".safetensors", "a damaged safetensors file")
      .Default("binary data");
}

bool looksLikeOnnx(StringRef path, StringRef bytes) {
  return recognizeFile(path, bytes) == onnx;
}

} // namespace minic
