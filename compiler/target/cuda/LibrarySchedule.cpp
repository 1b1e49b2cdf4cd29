// SPDX-License-Identifier: Apache-2.0
//
// From and to the dictionary of a #kernel.impl.

#include "compiler/target/cuda/LibrarySchedule.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace minic::cuda {

static bool isAlgorithmOfCublaslt(StringRef text) {
  std::string bytes;
  return text.size() == 128 && llvm::tryGetFromHex(text, bytes);
}

static bool isEngineOfCudnn(StringRef text) {
  return text.starts_with("eng"); // the rest is the runtime's to read
}

const LibraryGrammar cublasGrammar = {"cuBLAS",
                                      {"dense", "padded"},
                                      isAlgorithmOfCublaslt,
                                      "64 bytes in hexadecimal"};
const LibraryGrammar cudnnGrammar = {
    "cuDNN", {"nchw", "nhwc"}, isEngineOfCudnn, "an engine"};

int64_t libraryScratchBytes(const DeviceProfile &profile) {
  // What cuBLAS gives itself on Hopper; its kernels ask for no more.
  return std::min<int64_t>(profile.workspaceLimit, int64_t(32) << 20);
}

DictionaryAttr LibrarySchedule::toAttribute(MLIRContext *context) const {
  Builder b(context);
  SmallVector<NamedAttribute> entries = {
      b.getNamedAttr("compute", b.getStringAttr(compute())),
      b.getNamedAttr("scratch_bytes", b.getI64IntegerAttr(scratchBytes))};
  if (!form.empty()) {
    entries.push_back(b.getNamedAttr("form", b.getStringAttr(form)));
  }
  if (!algorithm.empty()) {
    entries.push_back(b.getNamedAttr("algorithm", b.getStringAttr(algorithm)));
  }
  return b.getDictionaryAttr(entries);
}

FailureOr<LibrarySchedule> LibrarySchedule::parse(DictionaryAttr attribute,
                                                  const LibraryGrammar &grammar,
                                                  Location loc) {
  LibrarySchedule schedule;
  auto fail = [&](const Twine &why) -> FailureOr<LibrarySchedule> {
    return emitError(loc) << "a schedule of " << grammar.library << ": " << why
                          << ", got " << attribute;
  };
  for (NamedAttribute entry :
       attribute ? attribute.getValue() : ArrayRef<NamedAttribute>()) {
    StringRef name = entry.getName().strref();
    auto text = dyn_cast<StringAttr>(entry.getValue());
    auto number = dyn_cast<IntegerAttr>(entry.getValue());
    if (name == "form" && text &&
        llvm::is_contained(grammar.forms, text.getValue())) {
      schedule.form = text.getValue().str();
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
  if (!schedule.algorithm.empty() &&
      (schedule.version().empty() ||
       !grammar.isAlgorithm(schedule.versionsAlgorithm()))) {
    return fail("expects an algorithm of a version, a colon and " +
                grammar.algorithm);
  }
  return schedule;
}

StringRef LibrarySchedule::version() const {
  return StringRef(algorithm).split(':').first;
}

StringRef LibrarySchedule::versionsAlgorithm() const {
  return StringRef(algorithm).split(':').second;
}

LogicalResult checkDenseOperands(kernel::FusionOp fusion, StringRef library) {
  for (Value input : fusion.getInputs()) {
    if (kernel::getLayout(cast<RankedTensorType>(input.getType()))) {
      return fusion.emitError(library)
             << " expects dense operands, got " << input.getType();
    }
  }
  return success();
}

} // namespace minic::cuda
