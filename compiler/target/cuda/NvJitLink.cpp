// SPDX-License-Identifier: Apache-2.0
//
// The functions' declarations are those of nvJitLink.h, whose inline wrappers
// would need the library at link time.

#include "compiler/target/cuda/NvJitLink.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstdlib>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

namespace minic::cuda {

constexpr int kInputPtx = 2; // NVJITLINK_INPUT_PTX

/// What assemble() asks for beside the architecture.
static const char *const fixedOptions[] = {"-O3", "-Xptxas=-v", "-no-cache"};

/// The build id that the linker put into a loaded library; empty for none.
static std::string buildIdOf(void *library) {
  struct Search {
    ElfW(Addr) base;
    std::string id;
  };
  link_map *map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) {
    return "";
  }
  auto visit = [](dl_phdr_info *info, size_t, void *data) {
    auto &search = *static_cast<Search *>(data);
    if (info->dlpi_addr != search.base) {
      return 0;
    }
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr) &header = info->dlpi_phdr[i];
      if (header.p_type != PT_NOTE) {
        continue;
      }
      const char *at =
          reinterpret_cast<const char *>(info->dlpi_addr + header.p_vaddr);
      const char *end = at + header.p_memsz;
      while (at + sizeof(ElfW(Nhdr)) <= end) {
        const auto &note = *reinterpret_cast<const ElfW(Nhdr) *>(at);
        const char *name = at + sizeof(note);
        const char *value = name + llvm::alignTo(note.n_namesz, 4);
        if (note.n_type == NT_GNU_BUILD_ID &&
            llvm::StringRef(name, note.n_namesz) == llvm::StringRef("GNU", 4)) {
          search.id = llvm::toHex(llvm::StringRef(value, note.n_descsz),
                                  /*LowerCase=*/true);
          return 1;
        }
        at = value + llvm::alignTo(note.n_descsz, 4);
      }
    }
    return 1;
  };
  Search search{map->l_addr, ""};
  dl_iterate_phdr(visit, &search);
  return search.id;
}

static void *openLibrary(std::string &why) {
  if (const char *named = std::getenv("MINIC_NVJITLINK_LIBRARY");
      named && *named) {
    void *library = dlopen(named, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      why = std::string("MINIC_NVJITLINK_LIBRARY: ") + dlerror();
    }
    return library;
  }
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
  if (std::string id = buildIdOf(library); !id.empty()) {
    identity_ = "nvJitLink " + id;
    for (const char *option : fixedOptions) {
      identity_ += std::string(" ") + option;
    }
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

llvm::Expected<AssembledBinary>
NvJitLink::assemble(llvm::StringRef ptx, llvm::StringRef arch) const {
  std::string archOption = ("-arch=" + arch).str();
  llvm::SmallVector<const char *> options = {archOption.c_str()};
  llvm::append_range(options, fixedOptions);
  Handle handle = nullptr;
  if (create_(&handle, unsigned(options.size()), options.data()) != 0) {
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
  AssembledBinary cubin;
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
