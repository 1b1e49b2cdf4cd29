// SPDX-License-Identifier: Apache-2.0
//
// Static shared memory is counted where PTX is assembled; all else is seen
// here.

#include "compiler/target/cuda/user/ForeignCode.h"

#include "compiler/target/cuda/Assembler.h"
#include "compiler/target/cuda/NvJitLink.h"
#include "compiler/target/cuda/user/UserPtx.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <mutex>

namespace minic::cuda {

using llvm::StringRef;
using llvm::Twine;

llvm::Expected<UserModule> checkPtx(StringRef ptx, StringRef entry,
                                    unsigned parameters, StringRef name) {
  llvm::Expected<std::string> renamed =
      renameEntry(ptx, entry, parameters, name);
  if (!renamed) {
    return renamed.takeError();
  }
  return UserModule{name.str(), name.str(), std::move(*renamed)};
}

llvm::Error checkAssembles(const UserModule &module,
                           const DeviceProfile &profile) {
  const NvJitLink *assembler = NvJitLink::get();
  if (module.isCubin || !assembler) {
    return llvm::Error::success();
  }
  // A kernel is looked at for each fusion that might hold it.
  static std::mutex mutex;
  static llvm::StringMap<std::string> found;
  std::lock_guard<std::mutex> lock(mutex);
  auto [known, isNew] = found.try_emplace(profile.cpu + '\n' + module.code);
  if (isNew) {
    llvm::Expected<AssembledBinary> binary =
        assembler->assemble(module.code, profile.cpu);
    known->second =
        binary ? ""
               : "does not assemble: " +
                     firstAssemblerError(llvm::toString(binary.takeError()));
  }
  return known->second.empty() ? llvm::Error::success()
                               : llvm::createStringError(known->second);
}

llvm::Expected<UserModule> checkCubin(StringRef cubin, StringRef entry,
                                      const DeviceProfile &profile,
                                      StringRef name) {
  std::string section = (".text." + entry).str();
  if (!cubin.starts_with("\x7f"
                         "ELF")) {
    return llvm::createStringError("is no cubin");
  }
  // As one of the names in its table of sections.
  if (!cubin.contains(StringRef(section.c_str(), section.size() + 1))) {
    return llvm::createStringError("has no kernel '" + entry + "'");
  }
  if (StringRef(profile.features.front()).starts_with("compute_")) {
    return llvm::createStringError("is a cubin, the target is PTX");
  }
  return UserModule{name.str(), entry.str(), cubin.str(), true};
}

std::string excessOf(llvm::ArrayRef<int64_t> grid,
                     llvm::ArrayRef<int64_t> block, int64_t sharedBytes,
                     const DeviceProfile &profile) {
  constexpr int64_t mostThreads = 1024, mostX = 2147483647, mostYZ = 65535;
  auto wants = [](StringRef what, int64_t got, int64_t most) {
    return got <= most ? std::string()
                       : ("wants " + Twine(got) + " " + what +
                          ", the device has " + Twine(most))
                             .str();
  };
  std::string why =
      wants("bytes of shared memory", sharedBytes, profile.sharedBytesPerBlock);
  double threads = 1;
  for (int64_t count : block) {
    threads *= double(count);
  }
  if (why.empty() && threads > double(mostThreads)) {
    why = "wants more than 1024 threads in a block";
  }
  for (auto [dim, blocks] : llvm::enumerate(grid)) {
    if (why.empty()) {
      why = wants("blocks", blocks, dim == 0 ? mostX : mostYZ);
    }
  }
  if (why.empty() && block.size() == 3 && block[2] > 64) {
    why = "wants more than 64 threads in z";
  }
  return why;
}

} // namespace minic::cuda
