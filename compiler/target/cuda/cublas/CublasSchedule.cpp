// SPDX-License-Identifier: Apache-2.0
//
// From and to the dictionary of a #kernel.impl.

#include "compiler/target/cuda/cublas/CublasSchedule.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace minic::cuda {

int64_t libraryScratchBytes(const DeviceProfile &profile) {
  // What cuBLAS gives itself on Hopper; its kernels ask for no more.
  return std::min<int64_t>(profile.workspaceLimit, int64_t(32) << 20);
}

DictionaryAttr CublasSchedule::toAttribute(MLIRContext *context) const {
  Builder b(context);
  SmallVector<NamedAttribute> entries = {
      b.getNamedAttr("form", b.getStringAttr(isPadded ? "padded" : "dense")),
      b.getNamedAttr("compute", b.getStringAttr(isTf32 ? "tf32" : "f32")),
      b.getNamedAttr("scratch_bytes", b.getI64IntegerAttr(scratchBytes))};
  if (!algorithm.empty()) {
    entries.push_back(b.getNamedAttr("algorithm", b.getStringAttr(algorithm)));
  }
  return b.getDictionaryAttr(entries);
}

FailureOr<CublasSchedule> CublasSchedule::parse(DictionaryAttr attribute,
                                                Location loc) {
  CublasSchedule schedule;
  auto fail = [&](const Twine &why) -> FailureOr<CublasSchedule> {
    return emitError(loc) << "a schedule of cuBLAS: " << why << ", got "
                          << attribute;
  };
  for (NamedAttribute entry :
       attribute ? attribute.getValue() : ArrayRef<NamedAttribute>()) {
    StringRef name = entry.getName().strref();
    auto text = dyn_cast<StringAttr>(entry.getValue());
    auto number = dyn_cast<IntegerAttr>(entry.getValue());
    if (name == "form" && text &&
        (text.getValue() == "dense" || text.getValue() == "padded")) {
      schedule.isPadded = text.getValue() == "padded";
    } else if (name == "compute" && text &&
               (text.getValue() == "f32" || text.getValue() == "tf32")) {
      schedule.isTf32 = text.getValue() == "tf32";
    } else if (name == "scratch_bytes" && number && number.getInt() >= 0) {
      schedule.scratchBytes = number.getInt();
    } else if (name == "algorithm" && text) {
      schedule.algorithm = text.getValue().str();
    } else {
      return fail("expects form, compute, scratch_bytes and algorithm");
    }
  }
  std::string bytes;
  if (!schedule.algorithm.empty() &&
      (schedule.version().empty() || schedule.hex().size() != 128 ||
       !llvm::tryGetFromHex(schedule.hex(), bytes))) {
    return fail("expects an algorithm of a version, a colon and 64 bytes in "
                "hexadecimal");
  }
  return schedule;
}

std::string CublasSchedule::toString() const {
  SmallVector<StringRef> words;
  if (isPadded) {
    words.push_back("padded");
  }
  if (isTf32) {
    words.push_back("tf32");
  }
  return llvm::join(words, " ");
}

StringRef CublasSchedule::version() const {
  return StringRef(algorithm).split(':').first;
}

StringRef CublasSchedule::hex() const {
  return StringRef(algorithm).split(':').second;
}

} // namespace minic::cuda
