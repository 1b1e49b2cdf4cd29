// SPDX-License-Identifier: Apache-2.0
//
// Files in the system's temporary folder; ptxas writes no cubin to a pipe.

#include "compiler/target/cuda/Ptxas.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

namespace minic::cuda {

std::optional<std::string> findPtxas() {
  if (const char *named = std::getenv("MINIC_PTXAS"); named && *named) {
    return llvm::sys::fs::can_execute(named) ? std::optional(std::string(named))
                                             : std::nullopt;
  }
  if (const char *home = std::getenv("CUDA_HOME")) {
    std::string path = std::string(home) + "/bin/ptxas";
    if (llvm::sys::fs::can_execute(path)) {
      return path;
    }
  }
  if (auto path = llvm::sys::findProgramByName("ptxas")) {
    return *path;
  }
  if (llvm::sys::fs::can_execute("/usr/local/cuda/bin/ptxas")) {
    return "/usr/local/cuda/bin/ptxas";
  }
  return std::nullopt;
}

/// A new empty file that goes with the object.
static llvm::Expected<llvm::FileRemover> makeFile(llvm::SmallString<128> &path,
                                                  const char *suffix) {
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("minic", suffix, path)) {
    return llvm::createStringError("cannot make a temporary file: " +
                                   error.message());
  }
  return llvm::FileRemover(path);
}

static std::string readAll(llvm::StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  return file ? (*file)->getBuffer().str() : std::string();
}

llvm::Expected<AssembledBinary>
runPtxas(llvm::StringRef program, llvm::StringRef ptx, llvm::StringRef arch) {
  llvm::SmallString<128> source, binary, log;
  auto removeSource = makeFile(source, "ptx");
  if (!removeSource) {
    return removeSource.takeError();
  }
  auto removeBinary = makeFile(binary, "cubin");
  if (!removeBinary) {
    return removeBinary.takeError();
  }
  auto removeLog = makeFile(log, "log");
  if (!removeLog) {
    return removeLog.takeError();
  }
  std::error_code error;
  llvm::raw_fd_ostream file(source, error);
  file << ptx;
  file.close();
  if (error || file.has_error()) {
    file.clear_error();
    return llvm::createStringError("cannot write " + source.str());
  }
  std::string archOption = ("-arch=" + arch).str();
  llvm::StringRef arguments[] = {program, archOption,   "-O3",       "-v",
                                 "-o",    binary.str(), source.str()};
  std::optional<llvm::StringRef> redirects[] = {std::nullopt, log.str(),
                                                log.str()};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(program, arguments, std::nullopt,
                                         redirects, 0, 0, &message);
  std::string text = readAll(log);
  if (status != 0) {
    return llvm::createStringError(message + text);
  }
  return AssembledBinary{readAll(binary), text};
}

} // namespace minic::cuda
