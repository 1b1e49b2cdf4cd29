// SPDX-License-Identifier: Apache-2.0
//
// Text and counts of one fusion.

#include "compiler/pipeline/DescribeFusion.h"

#include "dialects/kernel/MainAnchor.h"
#include "passes/support/CountFlops.h"
#include "passes/support/FusionLabel.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace minic {

static void printShape(llvm::raw_ostream &os, Value value) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  if (shape.empty()) {
    os << "scalar";
  }
  llvm::interleave(shape, os, "x");
}

/// ", strides 2, pads 0 0 1 1": what is not the default.
static void printAttributes(llvm::raw_ostream &os, graph::Conv2dOp conv) {
  if (conv.getLayout() != graph::ImageLayout::NCHW) {
    os << ", " << graph::stringifyImageLayout(conv.getLayout());
  }
  auto numbers = [&](StringRef name, ArrayRef<int64_t> values, int64_t usual) {
    if (llvm::all_of(values, [&](int64_t x) { return x == usual; })) {
      return;
    }
    os << ", " << name << ' ';
    llvm::interleave(llvm::all_equal(values) ? values.take_front() : values, os,
                     " ");
  };
  numbers("strides", conv.getStrides(), 1);
  numbers("pads", conv.getPads(), 0);
  numbers("dilations", conv.getDilations(), 1);
  numbers("groups", int64_t(conv.getGroups()), 1);
}

std::string describeFusion(kernel::FusionOp fusion) {
  std::string text = labelOf(fusion);
  llvm::raw_string_ostream os(text);
  Operation *anchor = kernel::getMainAnchor(fusion);
  ValueRange shown = fusion.getInputs();
  if (anchor) {
    shown = anchor->getOperands().take_front(
        std::min<size_t>(anchor->getNumOperands(), 2));
  }
  os << '(';
  llvm::interleaveComma(shown, os, [&](Value value) { printShape(os, value); });
  if (auto conv = dyn_cast_if_present<graph::Conv2dOp>(anchor)) {
    printAttributes(os, conv);
  }
  auto result = cast<RankedTensorType>(fusion.getResultTypes().front());
  os << ") " << result.getElementType();
  return text;
}

std::string describeChoice(kernel::ChoiceAttr choice) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(
      choice.getParts(), os,
      [&](kernel::PartAttr part) {
        os << part.getImplementation().getFamily();
        for (NamedAttribute field : part.getImplementation().getSchedule()) {
          os << ' ' << field.getName().getValue() << '=';
          if (auto text = dyn_cast<StringAttr>(field.getValue())) {
            os << text.getValue();
          } else {
            field.getValue().print(os, /*elideType=*/true);
          }
        }
      },
      " + ");
  return text;
}

int64_t countFusionFlops(kernel::FusionOp fusion) {
  int64_t flops = 0;
  for (Operation *op : fusion.getBodyOps()) {
    flops += countFlops(op);
  }
  return flops;
}

/// What the body reads of an input: all of it, or the elements that gathers and
/// slices take where nothing else reads it.
static int64_t countInputBytes(BlockArgument input, RankedTensorType type) {
  int64_t all = kernel::getBytes(kernel::withoutLayout(type)), taken = 0;
  for (OpOperand &use : input.getUses()) {
    Operation *op = use.getOwner();
    if (use.getOperandNumber() != 0 ||
        !isa<graph::GatherOp, graph::GatherElementsOp, graph::SliceOp>(op)) {
      return all;
    }
    taken += kernel::getBytes(kernel::withoutLayout(
        cast<RankedTensorType>(op->getResult(0).getType())));
  }
  return std::min(all, taken);
}

int64_t countFusionBytes(kernel::FusionOp fusion) {
  int64_t bytes = 0;
  for (auto [input, type] : llvm::zip_equal(fusion.getBody().getArguments(),
                                            fusion.getInputs().getTypes())) {
    bytes += countInputBytes(input, cast<RankedTensorType>(type));
  }
  for (Type type : fusion.getResultTypes()) {
    bytes +=
        kernel::getBytes(kernel::withoutLayout(cast<RankedTensorType>(type)));
  }
  return bytes;
}

double peakGflopsOnGpu(kernel::FusionOp fusion, const DeviceProfile &profile) {
  double peak = profile.peakGflops;
  for (Operation *op : fusion.getBodyOps()) {
    // Attention is two products.
    bool isConvolution = graph::isConvolution(op);
    if (!graph::isContraction(op) && !isConvolution &&
        !isa<graph::AttentionOp>(op)) {
      continue;
    }
    bool isF32 = getElementTypeOrSelf(op->getOperand(0).getType()).isF32();
    peak = profile.productGflops(isF32);
    if (isF32 && !isConvolution) {
      // Split float32: three products of tf32 for one (docs/numerics.md).
      peak = std::max(peak, profile.tensorGflopsTf32 / 3);
    }
  }
  return peak;
}

} // namespace minic
