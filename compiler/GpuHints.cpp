// SPDX-License-Identifier: Apache-2.0
//
// One function per rule.

#include "compiler/GpuHints.h"

#include "compiler/DescribeFusion.h"
#include "dialects/kernel/FusionShape.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace minic {

namespace {

class Hints {
public:
  Hints(kernel::FusionOp fusion, const Target &target,
        std::vector<std::string> &lines)
      : fusion(fusion), target(target), profile(target.profile()),
        lines(lines) {}

  void collect() {
    std::string reason;
    FailureOr<kernel::FusionShape> shape =
        kernel::FusionShape::get(fusion, &reason);
    if (succeeded(shape) && shape->gemm) {
      alignment(*shape->gemm);
      smallM(*shape->gemm);
      tf32(*shape->gemm);
    }
    launches();
    untuned();
  }

private:
  void say(const Twine &text) {
    lines.push_back((Twine(describeFusion(fusion)) + ": " + text).str());
  }

  /// Rows whose pitch is not a multiple of 16 bytes cannot be read 16 bytes at
  /// once: measured three to four times slower for bf16 on an H200.
  void alignment(const kernel::GemmShape &gemm) {
    int64_t bytes = kernel::getElementBytes(gemm.rhsType);
    int64_t unit = 16 / bytes;
    for (auto [name, size] : {std::pair("K", gemm.k), std::pair("N", gemm.n)}) {
      if (size % unit != 0) {
        say(llvm::formatv("{0} = {1} is unaligned: rows of {2} bytes are not a "
                          "multiple of 16; {0} = {3} in the model needs no "
                          "padding",
                          name, size, size * bytes,
                          (size + unit - 1) / unit * unit)
                .str());
      }
    }
  }

  void smallM(const kernel::GemmShape &gemm) {
    auto tiles = [](int64_t size, int64_t tile) {
      return (size + tile - 1) / tile;
    };
    int64_t blocks = tiles(gemm.m, 128) * tiles(gemm.n, 128);
    if (profile.smCount > 0 && gemm.m <= 64 && blocks < profile.smCount) {
      say(llvm::formatv("M = {0} is too small for the chip: {1} tiles of "
                        "128x128 for {2} SMs, reading the weights is the time; "
                        "a larger batch shares them",
                        gemm.m, blocks, profile.smCount)
              .str());
    }
  }

  void tf32(const kernel::GemmShape &gemm) {
    if (gemm.rhsType.isF32() && !profile.allowTf32 &&
        profile.tensorGflopsTf32 > profile.peakGflops) {
      say(llvm::formatv(
              "f32 is kept to float32's precision and tf32 left off: FFMA "
              "reaches {0:F0} TFLOP/s, tf32 {1:F0} (--float32-precision=tf32), "
              "bf16 more",
              profile.peakGflops / 1000, profile.tensorGflopsTf32 / 1000)
              .str());
    }
  }

  /// Why more than one launch.
  void launches() {
    kernel::ChoiceAttr choice = fusion.getChoiceAttr();
    if (!choice || choice.getParts().size() < 2) {
      return;
    }
    for (const LibraryBackend *library : target.libraries()) {
      bool isUsed = llvm::any_of(choice.getParts(), [&](kernel::PartAttr part) {
        return part.getImplementation().getFamily() == library->name();
      });
      if (isUsed && !library->fusesEpilogue()) {
        say(library->name() + " takes in no pointwise ops: " +
            Twine(choice.getParts().size()) + " launches");
      }
    }
    std::vector<std::string> refusals; // a library may have several forms
    auto ask = [&](const ImplementationSource *source) {
      if (auto reason = source->reject(fusion, profile)) {
        std::string line = source->name().str() + ": " + *reason;
        if (!llvm::is_contained(refusals, line)) {
          refusals.push_back(std::move(line));
        }
      }
    };
    llvm::for_each(target.families(), ask);
    llvm::for_each(target.libraries(), ask);
    if (!refusals.empty()) {
      say("one launch was refused by " + llvm::join(refusals, "; "));
    }
  }

  void untuned() {
    auto provenance = fusion->getAttrOfType<DictionaryAttr>("provenance");
    auto origin =
        provenance ? provenance.getAs<StringAttr>("origin") : StringAttr();
    if (origin && origin.getValue() == "heuristic") {
      say("untuned: chosen by an estimate; --mode=max-autotune measures");
    }
  }

  kernel::FusionOp fusion;
  const Target &target;
  const DeviceProfile &profile;
  std::vector<std::string> &lines;
};

} // namespace

std::map<std::string, std::vector<std::string>>
collectGpuHints(ModuleOp module, const Target &target) {
  std::map<std::string, std::vector<std::string>> hints;
  if (!target.profile().isGpu()) {
    return hints;
  }
  for (auto function : module.getOps<func::FuncOp>()) {
    std::vector<std::string> &lines = hints[function.getName().str()];
    function.walk([&](kernel::FusionOp fusion) {
      Hints(fusion, target, lines).collect();
    });
  }
  return hints;
}

} // namespace minic
