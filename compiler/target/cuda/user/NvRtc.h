// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA's compiler of CUDA C++ in process: libnvrtc, opened when it is first
// needed.

#ifndef MINIC_COMPILER_TARGET_CUDA_USER_NVRTC_H
#define MINIC_COMPILER_TARGET_CUDA_USER_NVRTC_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace minic::cuda {

struct CudaSource {
  std::string name; // for messages: "gelu.cu"
  std::string text;
  std::string prelude; // minic's own, in front of the text
  std::string entry;   // a name expression: "gelu", "gelu<BLOCK>"
  std::string arch;    // "compute_90a"
  llvm::ArrayRef<std::string> options; // -DBLOCK=64, the user's flags
};

struct CudaPtx {
  std::string text;
  std::string entry; // as PTX spells it
};

/// The library, opened once per process.
class NvRtc {
public:
  /// Null where there is none; `why` then says what was looked for. The places
  /// are the loader's, then CUDA_HOME and /usr/local/cuda; or only what the
  /// environment's MINIC_NVRTC_LIBRARY names. CUDA's headers are those beside
  /// the library, else a toolkit's.
  static const NvRtc *get(std::string *why = nullptr);

  /// Thread-safe. The error is one line: the first of the compiler's, with the
  /// user's line.
  llvm::Expected<CudaPtx> compile(const CudaSource &source) const;

  /// "NVRTC 13.0".
  const std::string &version() const { return version_; }

private:
  using Program = void *;
  bool open(std::string &why);

  std::string version_, include_;
  int (*versionOf_)(int *, int *) = nullptr;
  int (*create_)(Program *, const char *, const char *, int,
                 const char *const *, const char *const *) = nullptr;
  int (*destroy_)(Program *) = nullptr;
  int (*addName_)(Program, const char *) = nullptr;
  int (*compile_)(Program, int, const char *const *) = nullptr;
  int (*loweredName_)(Program, const char *, const char **) = nullptr;
  int (*ptxSize_)(Program, size_t *) = nullptr;
  int (*ptx_)(Program, char *) = nullptr;
  int (*logSize_)(Program, size_t *) = nullptr;
  int (*log_)(Program, char *) = nullptr;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_USER_NVRTC_H
