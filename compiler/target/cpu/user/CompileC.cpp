// SPDX-License-Identifier: Apache-2.0
//
// Runs clang as a process: minic brings LLVM, and no C frontend.

#include "compiler/target/cpu/user/CompileC.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <mutex>

namespace minic::cpu {

using llvm::StringRef;

namespace {

/// A folder that is removed with this object.
class ScratchFolder {
public:
  ScratchFolder() {
    error_ = llvm::sys::fs::createUniqueDirectory("minic-user", path_);
  }
  ~ScratchFolder() {
    if (!error_) {
      llvm::sys::fs::remove_directories(path_);
    }
  }
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;

  std::error_code error() const { return error_; }
  std::string file(StringRef name) const {
    llvm::SmallString<128> path(path_);
    llvm::sys::path::append(path, name);
    return path.str().str();
  }

private:
  llvm::SmallString<128> path_;
  std::error_code error_;
};

struct Clang {
  std::string path, version, why;
};

} // namespace

static std::string readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// Runs `arguments`; the exit status, and what it printed.
static int run(llvm::ArrayRef<StringRef> arguments, const ScratchFolder &folder,
               std::string &output, std::string &errors) {
  constexpr unsigned seconds = 120;
  std::string out = folder.file("out"), err = folder.file("err");
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(out),
                                          StringRef(err)};
  std::string message;
  int status =
      llvm::sys::ExecuteAndWait(arguments.front(), arguments,
                                /*Env=*/std::nullopt, redirects, seconds,
                                /*MemoryLimit=*/0, &message);
  output = readFile(out);
  errors = readFile(err);
  if (status < 0 && errors.empty()) {
    errors = "error: " + message;
  }
  return status;
}

static Clang findClang() {
  Clang clang;
  if (const char *named = std::getenv("MINIC_CLANG"); named && *named) {
    clang.path = named;
    clang.why = "MINIC_CLANG: cannot run '" + clang.path + "'";
  } else {
    // Its LLVM is minic's: what it writes can be read.
    for (std::string name : {"clang-" + std::to_string(LLVM_VERSION_MAJOR),
                             std::string("clang")}) {
      if (auto found = llvm::sys::findProgramByName(name)) {
        clang.path = *found;
        break;
      }
    }
    clang.why = "kernels in C need clang, and there is none in PATH; install "
                "clang, or name it by MINIC_CLANG";
  }
  ScratchFolder folder;
  std::string output, errors;
  if (!clang.path.empty() && !folder.error() &&
      run({clang.path, "--version"}, folder, output, errors) == 0) {
    clang.version = StringRef(output).split('\n').first.str();
  }
  return clang;
}

static const Clang &getClang() {
  static const Clang clang = findClang();
  return clang;
}

const std::string &getClangVersion() { return getClang().version; }

/// clang's first error, as one line.
static std::string firstError(StringRef text) {
  StringRef rest = text;
  while (!rest.empty()) {
    StringRef line;
    std::tie(line, rest) = rest.split('\n');
    if (line.contains("error:")) {
      return line.trim().str();
    }
  }
  return text.split('\n').first.trim().str();
}

static llvm::Expected<std::string> compile(const CSource &source,
                                           const DeviceProfile &profile) {
  const Clang &clang = getClang();
  if (clang.version.empty()) {
    return llvm::createStringError(clang.why);
  }
  ScratchFolder folder;
  if (folder.error()) {
    return llvm::createStringError("cannot create a temporary folder: " +
                                   folder.error().message());
  }
  std::string input = folder.file("kernel.c"),
              output = folder.file("kernel.ll");
  std::error_code failed;
  llvm::raw_fd_ostream file(input, failed);
  if (!failed) {
    file << source.prelude << "#line 1 \"" << source.name << "\"\n"
         << source.text;
    file.close();
    failed = file.error();
    file.clear_error();
  }
  if (failed) {
    return llvm::createStringError("cannot write " + input + ": " +
                                   failed.message());
  }
  llvm::SmallVector<std::string> words = {
      clang.path, "-x", "c", "-O3", "-S", "-emit-llvm", "-march=" + profile.cpu,
      "-fPIC", "-fvisibility=hidden",
      // A kernel calls nothing and keeps nothing.
      "-fno-math-errno", "-fno-stack-protector", "-fno-exceptions",
      "-fno-asynchronous-unwind-tables", "-fno-builtin-memset",
      "-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-caret-diagnostics",
      "-fno-color-diagnostics"};
  for (const auto &[name, value] : source.macros) {
    words.push_back("-D" + name + "=" + std::to_string(value));
  }
  llvm::append_range(words, source.flags);
  llvm::append_range(words, llvm::ArrayRef<std::string>{input, "-o", output});
  llvm::SmallVector<StringRef> arguments(words.begin(), words.end());
  std::string said, errors;
  if (run(arguments, folder, said, errors) != 0) {
    return llvm::createStringError("does not compile: " + firstError(errors));
  }
  return readFile(output);
}

llvm::Expected<std::string> compileC(const CSource &source,
                                     const DeviceProfile &profile) {
  static std::mutex mutex;
  static llvm::StringMap<std::string> compiled;
  std::string key = profile.cpu + '\n' + source.name + '\n';
  for (const auto &[name, value] : source.macros) {
    key += name + '=' + std::to_string(value) + '\n';
  }
  for (const std::string &flag : source.flags) {
    key += flag + '\n';
  }
  key += source.prelude + source.text;
  std::lock_guard<std::mutex> lock(mutex);
  if (auto known = compiled.find(key); known != compiled.end()) {
    return known->second;
  }
  llvm::Expected<std::string> text = compile(source, profile);
  if (text) {
    compiled[key] = *text;
  }
  return text;
}

} // namespace minic::cpu
