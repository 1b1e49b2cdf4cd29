// SPDX-License-Identifier: Apache-2.0
//
// The functions' declarations are those of nvrtc.h, which would need the
// library at link time.

#include "compiler/target/cuda/user/NvRtc.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

namespace minic::cuda {

/// Where toolkits are looked for, with a slash at the end.
static llvm::SmallVector<std::string> toolkits() {
  llvm::SmallVector<std::string> folders;
  if (const char *home = std::getenv("CUDA_HOME"); home && *home) {
    folders.push_back(std::string(home) + "/");
  }
  folders.push_back("/usr/local/cuda/");
  return folders;
}

/// The include folder beside the folder of the library that has `function`:
/// headers of wheels are in no toolkit.
static std::string includesBeside(void *function) {
  Dl_info info;
  if (!function || !dladdr(function, &info) || !info.dli_fname) {
    return "";
  }
  llvm::SmallString<128> path(info.dli_fname);
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, "..", "include");
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return path.str().str();
}

static void *openLibrary(std::string &why) {
  if (const char *named = std::getenv("MINIC_NVRTC_LIBRARY"); named && *named) {
    void *library = dlopen(named, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      why = std::string("MINIC_NVRTC_LIBRARY: ") + dlerror();
    }
    return library;
  }
  llvm::SmallVector<std::string> folders = {""};
  for (const std::string &toolkit : toolkits()) {
    folders.append({toolkit + "lib64/", toolkit + "lib/"});
  }
  for (const std::string &folder : folders) {
    std::string path = folder + "libnvrtc.so.13";
    if (void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      return library;
    }
  }
  why = "kernels in CUDA C++ need NVRTC, and there is no libnvrtc.so.13 on the "
        "library path, in CUDA_HOME or in /usr/local/cuda";
  return nullptr;
}

bool NvRtc::open(std::string &why) {
  void *library = openLibrary(why);
  if (!library) {
    return false;
  }
  auto bind = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        dlsym(library, name));
    if (!function) {
      why = std::string("libnvrtc.so.13 lacks ") + name;
    }
    return function != nullptr;
  };
  bool isBound =
      bind(versionOf_, "nvrtcVersion") && bind(create_, "nvrtcCreateProgram") &&
      bind(destroy_, "nvrtcDestroyProgram") &&
      bind(addName_, "nvrtcAddNameExpression") &&
      bind(compile_, "nvrtcCompileProgram") &&
      bind(loweredName_, "nvrtcGetLoweredName") &&
      bind(ptxSize_, "nvrtcGetPTXSize") && bind(ptx_, "nvrtcGetPTX") &&
      bind(logSize_, "nvrtcGetProgramLogSize") &&
      bind(log_, "nvrtcGetProgramLog");
  int major = 0, minor = 0;
  if (isBound && versionOf_(&major, &minor) == 0) {
    version_ = "NVRTC " + std::to_string(major) + "." + std::to_string(minor);
  }
  llvm::SmallVector<std::string> includes = {
      includesBeside(reinterpret_cast<void *>(versionOf_))};
  for (const std::string &toolkit : toolkits()) {
    includes.push_back(toolkit + "include");
  }
  for (const std::string &folder : includes) {
    if (include_.empty() && llvm::sys::fs::exists(folder + "/cuda_fp16.h")) {
      include_ = "--include-path=" + folder;
    }
  }
  return isBound;
}

const NvRtc *NvRtc::get(std::string *why) {
  struct Opened {
    NvRtc library;
    std::string why;
    bool ok;
    Opened() : ok(library.open(why)) {}
  };
  static const Opened opened;
  if (why) {
    *why = opened.why;
  }
  return opened.ok ? &opened.library : nullptr;
}

/// "gelu.cu(3): error: ..." as clang and people write places.
static std::string firstError(llvm::StringRef log) {
  llvm::StringRef rest = log;
  while (!rest.empty()) {
    llvm::StringRef line;
    std::tie(line, rest) = rest.split('\n');
    auto [place, message] = line.split("): ");
    if (!message.contains("error")) {
      continue;
    }
    auto [file, number] = place.rsplit('(');
    return (file + ":" + number + ": " + message.trim()).str();
  }
  return log.split('\n').first.trim().str();
}

llvm::Expected<CudaPtx> NvRtc::compile(const CudaSource &source) const {
  Program program = nullptr;
  std::string whole =
      source.prelude.empty()
          ? source.text
          : source.prelude + "#line 1 \"" + source.name + "\"\n" + source.text;
  if (create_(&program, whole.c_str(), source.name.c_str(), 0, nullptr,
              nullptr) != 0) {
    return llvm::createStringError("NVRTC makes no program of it");
  }
  llvm::scope_exit destroy([&] { destroy_(&program); });
  auto text = [&](auto size, auto get) {
    std::string result;
    size_t bytes = 0;
    if (size(program, &bytes) == 0 && bytes > 0) {
      result.resize(bytes);
      get(program, result.data());
      result.resize(strnlen(result.data(), bytes));
    }
    return result;
  };
  std::string arch = "--gpu-architecture=" + source.arch;
  llvm::SmallVector<const char *> options = {arch.c_str(), "--std=c++17"};
  if (!include_.empty()) {
    options.push_back(include_.c_str());
  }
  for (const std::string &option : source.options) {
    options.push_back(option.c_str());
  }
  if (addName_(program, source.entry.c_str()) != 0) {
    return llvm::createStringError("'" + source.entry +
                                   "' is no name of an entry");
  }
  if (compile_(program, int(options.size()), options.data()) != 0) {
    std::string log = text(logSize_, log_);
    if (llvm::StringRef(log).contains("name expression")) {
      return llvm::createStringError("has no kernel '" + source.entry + "'");
    }
    return llvm::createStringError("does not compile: " + firstError(log));
  }
  CudaPtx ptx;
  const char *lowered = nullptr;
  if (loweredName_(program, source.entry.c_str(), &lowered) != 0 || !lowered) {
    return llvm::createStringError("has no kernel '" + source.entry + "'");
  }
  ptx.entry = lowered;
  ptx.text = text(ptxSize_, ptx_);
  return ptx;
}

} // namespace minic::cuda
