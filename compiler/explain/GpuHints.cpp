// SPDX-License-Identifier: Apache-2.0
//
// One function per rule.

#include "compiler/explain/GpuHints.h"

#include "compiler/pipeline/DescribeFusion.h"
#include "compiler/pipeline/EstimateSelector.h"
#include "dialects/kernel/FusionShape.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace minic {

namespace {

class Hints {
public:
  Hints(kernel::FusionOp fusion, const Target &target,
        const CompileOptions &options, bool canMeasure, bool isChecked,
        std::vector<std::string> &lines)
      : fusion(fusion), target(target), options(options),
        canMeasure(canMeasure), isChecked(isChecked), profile(target.profile()),
        lines(lines) {}

  void collect() {
    std::string reason;
    FailureOr<kernel::FusionShape> shape =
        kernel::FusionShape::get(fusion, &reason);
    if (failed(shape)) {
      return;
    }
    bool isOnGpu = profile.isGpu();
    if (isOnGpu && shape->gemm) {
      alignment(*shape);
      smallM(*shape);
    }
    if (isOnGpu && shape->anchor) {
      tf32(shape->anchor);
    }
    if (shape->anchor) {
      launches(*shape);
    }
    untuned();
  }

private:
  void say(const Twine &text) {
    lines.push_back((Twine(describeFusion(fusion)) + ": " + text).str());
  }

  static std::string join(ArrayRef<std::string> names, StringRef last) {
    std::string text;
    for (auto [i, name] : llvm::enumerate(names)) {
      text += i == 0 ? "" : i + 1 == names.size() ? last.str() : ", ";
      text += name;
    }
    return text;
  }

  /// A constant's rows are padded at compile time.
  bool isConstant(Value operand) {
    auto argument = dyn_cast<BlockArgument>(operand);
    return argument && fusion.getInputs()[argument.getArgNumber()]
                           .getDefiningOp<graph::ConstantOp>();
  }

  /// Rows whose pitch is not a multiple of 16 bytes cannot be read 16 bytes at
  /// once: measured three to four times slower for bf16 on an H200.
  void alignment(const kernel::FusionShape &shape) {
    const kernel::GemmShape &gemm = *shape.gemm;
    struct Dimension {
      char name;
      int64_t size, unit = 1; // unit: elements of 16 bytes
      std::vector<std::string> rows = {};
    };
    Dimension dims[] = {{'M', gemm.m}, {'N', gemm.n}, {'K', gemm.k}};
    auto &[m, n, k] = dims;
    auto add = [](Dimension &dim, int64_t rows, Type type, const char *what) {
      int64_t unit = 16 / kernel::getElementBytes(type);
      if (rows > 1 && dim.size % unit != 0) {
        dim.unit = std::max(dim.unit, unit);
        dim.rows.push_back(what);
      }
    };
    if (gemm.lhsStrideK == 1) {
      add(k, gemm.m, gemm.lhsType, "the left operand");
    } else if (gemm.lhsStrideM == 1) {
      add(m, gemm.k, gemm.lhsType, "the left operand");
    }
    if (isConstant(gemm.rhs)) {
      // Costs nothing.
    } else if (gemm.rhsStrideK == 1) {
      add(k, gemm.n, gemm.rhsType, "the right operand");
    } else if (gemm.rhsStrideN == 1) {
      add(n, gemm.k, gemm.rhsType, "the right operand");
    }
    for (Value result : ArrayRef(shape.results).take_front()) {
      add(n, gemm.m, getElementTypeOrSelf(result.getType()), "the result");
    }
    for (const Dimension &dim : dims) {
      if (!dim.rows.empty()) {
        say(llvm::formatv(
                "{0} = {1} is unaligned: rows of {2} are no multiple of 16 "
                "bytes, so they are copied to padded ones or accessed in "
                "narrow pieces; {0} = {3} in the model needs neither",
                dim.name, dim.size, join(dim.rows, " and "),
                (dim.size + dim.unit - 1) / dim.unit * dim.unit)
                .str());
      }
    }
  }

  /// Rows of lhs up to which the right operand's bytes take longer than the
  /// multiplications. Said of half as many: the rates are peaks.
  void smallM(const kernel::FusionShape &shape) {
    const kernel::GemmShape &gemm = *shape.gemm;
    if (profile.memoryGBs <= 0 || !gemm.batch.empty()) {
      return;
    }
    int64_t balance = int64_t(peakGflopsOnGpu(fusion, profile) *
                              double(kernel::getElementBytes(gemm.rhsType)) /
                              (2 * profile.memoryGBs));
    if (2 * gemm.m <= balance) {
      say(llvm::formatv("M = {0} is too small for the chip: up to M = {1} "
                        "reading the right operand takes longer than "
                        "multiplying by it, so a larger batch costs little",
                        gemm.m, balance)
              .str());
    }
  }

  void tf32(Operation *anchor) {
    bool isF32 = getElementTypeOrSelf(anchor->getOperand(0).getType()).isF32();
    double peak = peakGflopsOnGpu(fusion, profile);
    if (!isF32 || profile.allowTf32 || profile.tensorGflopsTf32 <= peak) {
      return;
    }
    // No arithmetic is the limit where bytes are.
    double microseconds = double(countFusionFlops(fusion)) / peak / 1e3;
    if (profile.memoryGBs > 0 &&
        double(countFusionBytes(fusion)) / profile.memoryGBs / 1e3 >
            microseconds) {
      return;
    }
    say(llvm::formatv("tf32 is left off: float32's precision allows at most "
                      "{0:F0} TFLOP/s, tf32 {1:F0} "
                      "(--float32-precision=tf32), bf16 {2:F0}",
                      peak / 1e3, profile.tensorGflopsTf32 / 1e3,
                      profile.tensorGflops16 / 1e3)
            .str());
  }

  bool isEstimated() {
    auto provenance = fusion->getAttrOfType<DictionaryAttr>("provenance");
    auto origin =
        provenance ? provenance.getAs<StringAttr>("origin") : StringAttr();
    return origin && origin.getValue() == "heuristic";
  }

  /// The option that leaves `source` out, which takes the whole fusion; empty
  /// for none.
  StringRef leftOutBy(const ImplementationSource &source, BackendLabel label,
                      bool isLibrary) {
    std::vector<BackendLabel> allowed = allowedBackends(fusion, options);
    if (!allowed.empty() && !llvm::is_contained(allowed, label)) {
      return toString(backendOptionOf(fusion));
    }
    if (!isEstimated()) {
      return ""; // it was measured what is deterministic or loses a NaN
    }
    if (options.deterministic && isLibrary) {
      return "--deterministic";
    }
    return options.propagateNan && !source.opsThatLoseNan(fusion).empty()
               ? "--propagate-nan"
               : "";
  }

  bool fusesUnderSameName(const LibraryBackend &library) {
    return llvm::any_of(target.libraries(), [&](const LibraryBackend *other) {
      return other->fusesEpilogue() && other->name() == library.name();
    });
  }

  /// Why more than one launch.
  void launches(const kernel::FusionShape &shape) {
    kernel::ChoiceAttr choice = fusion.getChoiceAttr();
    if (!choice || choice.getParts().size() < 2) {
      return;
    }
    std::vector<std::string> parts, taking, leftOut, refusals;
    auto addOnce = [](std::vector<std::string> &list, const Twine &name) {
      std::string text = name.str(); // a library may have several forms
      if (!llvm::is_contained(list, text)) {
        list.push_back(text);
      }
    };
    for (kernel::PartAttr part : choice.getParts()) {
      parts.push_back(part.getImplementation().getFamily().str());
    }
    auto ask = [&](const ImplementationSource &source, BackendLabel label,
                   bool isLibrary) {
      if (!source.isFor(shape.anchor)) {
        return;
      }
      if (auto reason = source.reject(fusion, profile)) {
        addOnce(refusals, source.name() + ": " + *reason);
        return;
      }
      StringRef option = leftOutBy(source, label, isLibrary);
      if (option.empty()) {
        addOnce(taking, source.name());
      } else {
        addOnce(leftOut, option + " leaves out " + source.name());
      }
    };
    for (const KernelFamily *family : target.families()) {
      // One launch of a last resort is no hint.
      if (!family->isLastResort() && !family->takesUserKernels() &&
          !family->isPlugin()) {
        ask(*family, BackendLabel::Generated, /*isLibrary=*/false);
      }
    }
    for (const LibraryBackend *library : target.libraries()) {
      if (library->fusesEpilogue()) {
        ask(*library, library->label(), /*isLibrary=*/true);
      } else if (llvm::is_contained(parts, library->name()) &&
                 !fusesUnderSameName(*library)) {
        say(library->name() + " fuses no pointwise ops: " +
            join(parts, " and ") + " are " + Twine(parts.size()) + " launches");
      }
    }
    if (!taking.empty()) {
      say(Twine(parts.size()) + " launches were chosen by " +
          (!isEstimated() ? "measuring"
           : isChecked    ? "the whole-model check"
                          : "estimate") +
          " over one of " + join(taking, " or "));
    } else if (!leftOut.empty()) {
      say("one launch is possible: " + Twine(llvm::join(leftOut, ", ")));
    } else if (!refusals.empty()) {
      say("one launch was refused by " + Twine(llvm::join(refusals, "; ")));
    }
    recomputation(shape);
  }

  /// Why fusing is no gain for a prologue, and where the ops would be free.
  void recomputation(const kernel::FusionShape &shape) {
    if (!shape.gemm || shape.prologue.empty()) {
      return;
    }
    std::vector<std::string> names;
    for (Operation *op : shape.prologue) {
      names.push_back(op->getName().stripDialect().str());
    }
    bool isLhs = !isa<BlockArgument>(shape.gemm->lhs);
    say(join(names, " and ") +
        " before the contraction: fused into it, it is computed again for "
        "every tile of " +
        (isLhs ? "columns" : "rows") +
        "; apart, it is a launch; at the end of the layer that makes the "
        "operand it would cost neither");
  }

  void untuned() {
    if (isEstimated() && !isChecked) {
      say(Twine("untuned: chosen by an estimate; ") +
          (canMeasure ? "--mode=max-autotune measures"
                      : "this machine has no such device to measure on"));
    }
  }

  kernel::FusionOp fusion;
  const Target &target;
  const CompileOptions &options;
  const bool canMeasure, isChecked;
  const DeviceProfile &profile;
  std::vector<std::string> &lines;
};

} // namespace

std::map<std::string, std::vector<std::string>>
collectHints(ModuleOp module, const Target &target,
             const CompileOptions &options, bool canMeasure,
             const std::set<std::string> &checked) {
  std::map<std::string, std::vector<std::string>> hints;
  for (auto function : module.getOps<func::FuncOp>()) {
    std::string name = function.getName().str();
    std::vector<std::string> &lines = hints[name];
    bool isChecked = checked.count(name) > 0;
    function.walk([&](kernel::FusionOp fusion) {
      Hints(fusion, target, options, canMeasure, isChecked, lines).collect();
    });
  }
  return hints;
}

} // namespace minic
