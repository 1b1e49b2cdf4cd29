// SPDX-License-Identifier: Apache-2.0
//
// The ops write their own arithmetic, as in all of minic's kernels; here it is
// printed for another compiler, which inlines it into the user's loops.

#include "compiler/target/codegen/EpilogueText.h"

#include "compiler/target/codegen/KernelBuilder.h"
#include "dialects/kernel/FusionShape.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace minic {

namespace {

class EpilogueWriter {
public:
  EpilogueWriter(const KernelEpilogue &epilogue, CLanguage language)
      : kernel(epilogue.kernel), ops(epilogue.ops), inputs(epilogue.inputs),
        language(language), text(language), prefix(kernel.getEpilogue()->str()),
        shape(
            cast<RankedTensorType>(kernel.getResult(0).getType()).getShape()) {}

  llvm::Expected<std::string>
  write(llvm::function_ref<LogicalResult(ModuleOp)> lowerMath) {
    OwningOpRef<ModuleOp> module = build();
    if (!ops.empty() && failed(lowerMath(*module))) {
      return llvm::createStringError("internal error: its epilogue has no "
                                     "lowering");
    }
    std::string result = "#line 1 \"epilogue\"\n";
    llvm::raw_string_ostream os(result);
    os << ScalarText::prelude(language) << qualifiers() << "float minic_"
       << prefix << "(float value";
    for (size_t i = 0; i != shape.size(); ++i) {
      os << ", long long i" << i;
    }
    os << declareInputs() << ") {\n";
    auto function = *module->getOps<LLVM::LLVMFuncOp>().begin();
    text.name(function.getArgument(0), "value");
    for (auto [i, input] : llvm::enumerate(inputs)) {
      std::string name = "e" + std::to_string(i);
      text.name(function.getArgument(unsigned(i) + 1), name);
      readInput(os, i, input, name);
    }
    std::string unknown;
    Block &body = function.getBody().front();
    if (failed(text.print(body, os, unknown))) {
      return llvm::createStringError("its epilogue has '" + unknown +
                                     "', which has no text");
    }
    os << "  return " << text.nameOf(body.getTerminator()->getOperand(0))
       << ";\n}\n#define " << prefix << "(...) minic_" << prefix
       << "(__VA_ARGS__";
    for (size_t i = 0; i != inputs.size(); ++i) {
      os << ", " << pointer(i);
    }
    os << ")\n#define " << prefix << "_operands" << declareInputs() << '\n';
    return result;
  }

private:
  std::string pointer(size_t input) const {
    return prefix + "_" + std::to_string(input);
  }

  Type elementOf(unsigned input) const {
    auto fusion = kernel->getParentRegion();
    return cast<RankedTensorType>(fusion->getArgument(input).getType())
        .getElementType();
  }

  StringRef qualifiers() const {
    return language == CLanguage::C ? "static inline "
                                    : "__device__ __forceinline__ ";
  }

  std::string declareInputs() const {
    std::string list;
    for (auto [i, input] : llvm::enumerate(inputs)) {
      Type element = elementOf(input);
      // An i1 is a byte in memory.
      list += ", const " +
              (element.isInteger(1) ? "unsigned char" : text.typeName(element))
                  .str() +
              (language == CLanguage::C ? " *restrict " : " *__restrict__ ") +
              pointer(i);
    }
    return list;
  }

  /// Reads the element at the position, in compute type.
  void readInput(llvm::raw_ostream &os, size_t number, unsigned input,
                 StringRef name) {
    BlockArgument argument = kernel->getParentRegion()->getArgument(input);
    auto type = cast<RankedTensorType>(argument.getType());
    Type element = type.getElementType();
    auto map = kernel::BroadcastMap::get(type.getShape(), shape);
    std::string index;
    for (auto [i, stride] : llvm::enumerate(map.strides)) {
      if (stride != 0) {
        index += (index.empty() ? "i" : " + i") + std::to_string(i) +
                 (stride == 1 ? "" : " * " + std::to_string(stride));
      }
    }
    StringRef convert = element.isF16()        ? "minic_from_f16"
                        : element.isBF16()     ? "minic_from_bf16"
                        : element.isInteger(1) ? "0 != "
                                               : "";
    os << "  const " << text.typeName(KernelBuilder::computeType(element))
       << ' ' << name << " = " << convert << '(' << pointer(number) << '['
       << (index.empty() ? "0" : index) << "]);\n";
  }

  /// A function of the value and of what is read, as a module of its own.
  OwningOpRef<ModuleOp> build() {
    MLIRContext *context = kernel.getContext();
    context->loadDialect<LLVM::LLVMDialect>();
    OpBuilder b(context);
    Location loc = kernel.getLoc();
    OwningOpRef<ModuleOp> module = ModuleOp::create(b, loc);
    b.setInsertionPointToEnd(module->getBody());
    SmallVector<Type> types = {b.getF32Type()};
    for (unsigned input : inputs) {
      types.push_back(KernelBuilder::computeType(elementOf(input)));
    }
    auto function = LLVM::LLVMFuncOp::create(
        b, loc, "epilogue", LLVM::LLVMFunctionType::get(b.getF32Type(), types));
    b.setInsertionPointToEnd(function.addEntryBlock(b));
    llvm::DenseMap<Value, Value> values;
    values[kernel.getResult(0)] = function.getArgument(0);
    for (auto [i, input] : llvm::enumerate(inputs)) {
      values[kernel->getParentRegion()->getArgument(input)] =
          function.getArgument(unsigned(i) + 1);
    }
    for (Operation *op : ops) {
      auto operands = llvm::map_to_vector(
          op->getOperands(), [&](Value operand) { return values[operand]; });
      values[op->getResult(0)] =
          cast<graph::PointwiseOpInterface>(op).emitScalar(b, operands);
    }
    auto fusion = cast<kernel::FusionOp>(kernel->getParentOp());
    Value stored = fusion.getYield().getValues()[0];
    LLVM::ReturnOp::create(
        b, loc, ops.empty() ? function.getArgument(0) : values[stored]);
    return module;
  }

  graph::KernelOp kernel;
  const llvm::ArrayRef<Operation *> ops;
  const llvm::ArrayRef<unsigned> inputs;
  const CLanguage language;
  ScalarText text;
  const std::string prefix;
  const llvm::ArrayRef<int64_t> shape;
};

/// Whether `name` stands in `text`, not inside of another name.
bool saysName(StringRef text, StringRef name) {
  auto isPartOfName = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = text.find(name); at != StringRef::npos;
       at = text.find(name, at + 1)) {
    size_t end = at + name.size();
    if ((at == 0 || !isPartOfName(text[at - 1])) &&
        (end == text.size() || !isPartOfName(text[end]))) {
      return true;
    }
  }
  return false;
}

} // namespace

llvm::Expected<std::string>
writeEpilogue(const KernelEpilogue &epilogue, StringRef source,
              CLanguage language,
              llvm::function_ref<LogicalResult(ModuleOp)> lowerMath) {
  auto name = epilogue.kernel.getEpilogue();
  if (!name) {
    return std::string();
  }
  for (std::string expected : {name->str(), (*name + "_operands").str()}) {
    if (!saysName(source, expected)) {
      return llvm::createStringError("declares the epilogue '" + *name +
                                     "', and its source has no '" + expected +
                                     "'");
    }
  }
  return EpilogueWriter(epilogue, language).write(lowerMath);
}

} // namespace minic
