// SPDX-License-Identifier: Apache-2.0
//
// Text and counts of one fusion.

#include "compiler/DescribeFusion.h"

#include "passes/support/CountFlops.h"
#include "passes/support/FusionLabel.h"

using namespace mlir;

namespace minic {

static void printShape(llvm::raw_ostream &os, Value value) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  if (shape.empty()) {
    os << "scalar";
  }
  llvm::interleave(shape, os, "x");
}

std::string describeFusion(kernel::FusionOp fusion) {
  std::string text = labelOf(fusion);
  llvm::raw_string_ostream os(text);
  ValueRange shown = fusion.getInputs();
  for (Operation *op : fusion.getBodyOps()) {
    if (isa<graph::LinearOp, graph::MatmulOp>(op)) {
      shown = op->getOperands().take_front(2);
      break;
    }
  }
  os << '(';
  llvm::interleaveComma(shown, os, [&](Value value) { printShape(os, value); });
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

int64_t countFusionBytes(kernel::FusionOp fusion) {
  int64_t bytes = 0;
  for (Type type : llvm::concat<const Type>(fusion.getOperandTypes(),
                                            fusion.getResultTypes())) {
    bytes +=
        kernel::getBytes(kernel::withoutLayout(cast<RankedTensorType>(type)));
  }
  return bytes;
}

} // namespace minic
