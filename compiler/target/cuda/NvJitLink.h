// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA's assembler in process: libnvJitLink, opened when it is first needed.

#ifndef MINIC_COMPILER_TARGET_CUDA_NVJITLINK_H
#define MINIC_COMPILER_TARGET_CUDA_NVJITLINK_H

#include "compiler/target/BinaryCache.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace minic::cuda {

/// The library, opened once per process.
class NvJitLink {
public:
  /// Null where there is none; `why` then says what was looked for. The places
  /// are the loader's, then CUDA_HOME and /usr/local/cuda; or only what the
  /// environment's MINIC_NVJITLINK_LIBRARY names.
  static const NvJitLink *get(std::string *why = nullptr);

  /// Thread-safe. The error is what the assembler said; the log is as ptxas -v
  /// prints.
  llvm::Expected<AssembledBinary> assemble(llvm::StringRef ptx,
                                           llvm::StringRef arch) const;

  /// Identifies this build of the library and the options that it is called
  /// with; empty if the library does not identify its build.
  const std::string &identity() const { return identity_; }

private:
  using Handle = void *;
  bool open(std::string &why);

  std::string identity_;
  int (*create_)(Handle *, unsigned, const char **) = nullptr;
  int (*destroy_)(Handle *) = nullptr;
  int (*addData_)(Handle, int, const void *, size_t, const char *) = nullptr;
  int (*complete_)(Handle) = nullptr;
  int (*cubinSize_)(Handle, size_t *) = nullptr;
  int (*cubin_)(Handle, void *) = nullptr;
  int (*infoSize_)(Handle, size_t *) = nullptr;
  int (*info_)(Handle, char *) = nullptr;
  int (*errorSize_)(Handle, size_t *) = nullptr;
  int (*error_)(Handle, char *) = nullptr;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_NVJITLINK_H
