// SPDX-License-Identifier: Apache-2.0
//
// lld reads and writes files, so both live in memory-backed /dev/shm where
// there is one.

#include "compiler/target/cpu/LinkSharedObject.h"

#include "lld/Common/Driver.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

namespace minic::cpu {

namespace {

/// A file that is removed with this object.
class TemporaryFile {
public:
  explicit TemporaryFile(llvm::StringRef suffix) {
    llvm::SmallString<128> directory("/dev/shm");
    if (llvm::sys::fs::access(directory, llvm::sys::fs::AccessMode::Write)) {
      llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true,
                                             directory);
    }
    // The name by which compiler/tune/ScratchDirectory knows what a killed
    // process left.
    llvm::sys::path::append(
        directory, "minic-" + llvm::Twine(llvm::sys::Process::getProcessId()) +
                       "-%%%%%%" + suffix);
    error_ = llvm::sys::fs::createUniqueFile(directory, descriptor_, path_);
  }
  ~TemporaryFile() {
    close();
    if (!error_) {
      llvm::sys::fs::remove(path_);
    }
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  std::error_code error() const { return error_; }
  const char *path() { return path_.c_str(); }

  std::error_code write(llvm::StringRef bytes) {
    llvm::raw_fd_ostream stream(descriptor_, /*shouldClose=*/true);
    descriptor_ = -1;
    stream << bytes;
    stream.close();
    std::error_code error = stream.error();
    stream.clear_error();
    return error;
  }
  void close() {
    if (descriptor_ >= 0) {
      llvm::raw_fd_ostream(descriptor_, /*shouldClose=*/true);
      descriptor_ = -1;
    }
  }

private:
  llvm::SmallString<128> path_;
  int descriptor_ = -1;
  std::error_code error_;
};

llvm::Error internalError(const llvm::Twine &message) {
  return llvm::createStringError("internal error: " + message);
}

/// What lld left that the runtime would refuse.
llvm::Error checkSelfContained(llvm::StringRef bytes) {
  auto file = llvm::object::ELF64LEFile::create(bytes);
  if (!file) {
    return file.takeError();
  }
  auto sections = file->sections();
  if (!sections) {
    return sections.takeError();
  }
  for (const auto &section : *sections) {
    if ((section.sh_type == llvm::ELF::SHT_RELA ||
         section.sh_type == llvm::ELF::SHT_REL) &&
        section.sh_size != 0) {
      return internalError("linked kernels need relocations");
    }
    if (section.sh_type != llvm::ELF::SHT_DYNSYM) {
      continue;
    }
    auto symbols = file->symbols(&section);
    auto names = file->getStringTableForSymtab(section, *sections);
    if (!symbols || !names) {
      llvm::consumeError(symbols.takeError());
      llvm::consumeError(names.takeError());
      return internalError("linked kernels have a malformed symbol table");
    }
    for (const auto &symbol : llvm::drop_begin(*symbols)) {
      if (symbol.isUndefined()) {
        return internalError("generated code refers to '" +
                             llvm::StringRef(names->data() + symbol.st_name) +
                             "'");
      }
    }
  }
  return llvm::Error::success();
}

/// lld's complaint, as one line; undefined symbols by their names.
llvm::Error linkError(llvm::StringRef text) {
  llvm::StringRef marker = "undefined symbol: ";
  if (size_t at = text.find(marker); at != llvm::StringRef::npos) {
    llvm::StringRef symbol =
        text.drop_front(at + marker.size()).take_until([](char c) {
          return c == '\n';
        });
    return internalError("generated code refers to '" + symbol + "'");
  }
  return internalError("linking kernels failed: " + text.split('\n').first);
}

} // namespace

llvm::Expected<std::string> linkSharedObject(llvm::StringRef object) {
  TemporaryFile input(".o"), output(".so");
  for (TemporaryFile *file : {&input, &output}) {
    if (std::error_code error = file->error()) {
      return llvm::createStringError("cannot create a temporary file: " +
                                     error.message());
    }
  }
  if (std::error_code error = input.write(object)) {
    return llvm::createStringError("cannot write " + llvm::Twine(input.path()) +
                                   ": " + error.message());
  }
  output.close();

  const char *arguments[] = {"ld.lld",      "-shared",
                             "-Bsymbolic",  "--no-undefined",
                             "-z",          "norelro",
                             "-s",          "--hash-style=both",
                             "-z",          "separate-loadable-segments",
                             "--threads=1", "--build-id=none",
                             "-o",          output.path(),
                             input.path()};
  std::string text;
  llvm::raw_string_ostream stream(text);
  {
    static std::mutex mutex;
    std::lock_guard<std::mutex> lock(mutex);
    lld::Result result =
        lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
    if (result.retCode != 0) {
      return linkError(text);
    }
  }
  auto buffer = llvm::MemoryBuffer::getFile(output.path(), /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer) {
    return llvm::createStringError("cannot read " + llvm::Twine(output.path()) +
                                   ": " + buffer.getError().message());
  }
  std::string bytes = (*buffer)->getBuffer().str();
  if (llvm::Error error = checkSelfContained(bytes)) {
    return error;
  }
  return bytes;
}

} // namespace minic::cpu
