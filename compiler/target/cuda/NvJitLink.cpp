// SPDX-License-Identifier: Apache-2.0
//
// The functions' declarations are those of nvJitLink.h, whose inline wrappers
// would need the library at link time.

#include "compiler/target/cuda/NvJitLink.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdlib>
#include <dlfcn.h>

namespace minic::cuda {

constexpr int kInputPtx = 2; // NVJITLINK_INPUT_PTX

static void *openLibrary(std::string &why) {
  llvm::SmallVector<std::string> folders = {""};
  if (const char *home = std::getenv("CUDA_HOME")) {
    folders.push_back(std::string(home) + "/lib64/");
    folders.push_back(std::string(home) + "/lib/");
  }
  folders.push_back("/usr/local/cuda/lib64/");
  folders.push_back("/usr/local/cuda/lib/");
  for (const std::string &folder : folders) {
    std::string path = folder + "libnvJitLink.so.13";
    if (void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      return library;
    }
  }
  why = "no libnvJitLink.so.13 on the library path, in CUDA_HOME or in "
        "/usr/local/cuda";
  return nullptr;
}

bool NvJitLink::open(std::string &why) {
  void *library = openLibrary(why);
  if (!library) {
    return false;
  }
  auto bind = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        dlsym(library, name));
    if (!function) {
      why = std::string("libnvJitLink.so.13 lacks ") + name;
    }
    return function != nullptr;
  };
  return bind(create_, "nvJitLinkCreate") &&
         bind(destroy_, "nvJitLinkDestroy") &&
         bind(addData_, "nvJitLinkAddData") &&
         bind(complete_, "nvJitLinkComplete") &&
         bind(cubinSize_, "nvJitLinkGetLinkedCubinSize") &&
         bind(cubin_, "nvJitLinkGetLinkedCubin") &&
         bind(infoSize_, "nvJitLinkGetInfoLogSize") &&
         bind(info_, "nvJitLinkGetInfoLog") &&
         bind(errorSize_, "nvJitLinkGetErrorLogSize") &&
         bind(error_, "nvJitLinkGetErrorLog");
}

const NvJitLink *NvJitLink::get(std::string *why) {
  struct Opened {
    NvJitLink link;
    std::string why;
    bool ok;
    Opened() : ok(link.open(why)) {}
  };
  static const Opened opened;
  if (why) {
    *why = opened.why;
  }
  return opened.ok ? &opened.link : nullptr;
}

llvm::Expected<AssembledCubin> NvJitLink::assemble(llvm::StringRef ptx,
                                                   llvm::StringRef arch) const {
  std::string archOption = ("-arch=" + arch).str();
  const char *options[] = {archOption.c_str(), "-O3", "-Xptxas=-v",
                           "-no-cache"};
  Handle handle = nullptr;
  if (create_(&handle, 4, options) != 0) {
    return llvm::createStringError("nvJitLink does not know " + arch);
  }
  llvm::scope_exit destroy([&] { destroy_(&handle); });
  auto text = [&](auto size, auto get) {
    std::string result;
    size_t bytes = 0;
    if (size(handle, &bytes) == 0 && bytes > 0) {
      result.resize(bytes);
      get(handle, result.data());
      result.resize(strnlen(result.data(), bytes));
    }
    return result;
  };
  // PTX is a string that ends in a zero byte.
  std::string source = ptx.str();
  if (addData_(handle, kInputPtx, source.c_str(), source.size() + 1,
               "kernels") != 0 ||
      complete_(handle) != 0) {
    return llvm::createStringError(text(errorSize_, error_));
  }
  AssembledCubin cubin;
  size_t bytes = 0;
  if (cubinSize_(handle, &bytes) != 0) {
    return llvm::createStringError("nvJitLink has no cubin");
  }
  cubin.bytes.resize(bytes);
  if (cubin_(handle, cubin.bytes.data()) != 0) {
    return llvm::createStringError("nvJitLink has no cubin");
  }
  cubin.log = text(infoSize_, info_);
  return cubin;
}

} // namespace minic::cuda
