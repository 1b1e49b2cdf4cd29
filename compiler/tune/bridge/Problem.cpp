// SPDX-License-Identifier: Apache-2.0
//
// Fusion to problem and back.

#include "compiler/tune/bridge/Problem.h"

#include "dialects/graph/BinaryTypes.h"
#include "dialects/graph/KernelOp.h"
#include "dialects/kernel/InPlace.h"
#include "dialects/kernel/OperandValues.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/raw_ostream.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace mlir;

namespace minic::tune {

/// Changes whenever the same fusion is printed differently.
static constexpr const char *formVersion = "problem 1\n";

static constexpr StringRef roleName = "kernel.role";

/// Body ops in the order in which a walk from the results meets them last.
static SmallVector<Operation *> canonicalOrder(kernel::FusionOp fusion) {
  Block *body = &fusion.getBody().front();
  llvm::SetVector<Operation *> order;
  struct Frame {
    Operation *op;
    unsigned operand = 0;
  };
  // An explicit stack: bodies may be deep.
  SmallVector<Frame> stack = {{body->getTerminator()}};
  while (!stack.empty()) {
    Frame &frame = stack.back();
    if (frame.operand == frame.op->getNumOperands()) {
      order.insert(frame.op);
      stack.pop_back();
      continue;
    }
    Operation *producer = frame.op->getOperand(frame.operand++).getDefiningOp();
    if (producer && producer->getBlock() == body && !order.contains(producer)) {
      stack.push_back({producer});
    }
  }
  order.pop_back(); // the terminator
  return order.takeVector();
}

void canonicalizeBody(kernel::FusionOp fusion) {
  Block *body = &fusion.getBody().front();
  SmallVector<Operation *> order = canonicalOrder(fusion);
  // Ops without use, if any, stay in front and keep their order.
  for (Operation *op : order) {
    op->moveBefore(body->getTerminator());
  }
}

OwningOpRef<ModuleOp> outlineProblem(kernel::FusionOp fusion,
                                     const ProblemSetting &setting) {
  MLIRContext *context = fusion.getContext();
  OpBuilder builder(context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  auto set = [&](StringRef name, Attribute value) {
    (*module)->setAttr(name, value);
  };
  set("kernel.target", builder.getStringAttr(setting.target));
  set("kernel.isa", builder.getStringAttr(setting.isa));
  set("kernel.threads", builder.getI64IntegerAttr(setting.threads));
  set("kernel.alignment", builder.getI64IntegerAttr(setting.alignment));
  set("kernel.residency",
      builder.getStringAttr(setting.cold ? "cold" : "warm"));
  set("kernel.float32_precision",
      builder.getStringAttr(setting.float32Precision));
  if (setting.propagateNan) {
    set("kernel.propagate_nan", builder.getUnitAttr());
  }
  if (setting.workspaceLimit > 0) {
    set("kernel.workspace_limit",
        builder.getI64IntegerAttr(setting.workspaceLimit));
  }

  Block *body = &fusion.getBody().front();
  llvm::SmallSetVector<BlockArgument, 8> used;
  for (Operation &op : *body) {
    for (Value operand : op.getOperands()) {
      if (auto argument = dyn_cast<BlockArgument>(operand)) {
        used.insert(argument);
      }
    }
  }
  SmallVector<Type> inputs = llvm::map_to_vector(
      used, [](BlockArgument argument) { return argument.getType(); });
  builder.setInsertionPointToEnd(module->getBody());
  auto function = func::FuncOp::create(
      builder, loc, "problem",
      builder.getFunctionType(inputs, fusion.getResultTypes()));
  Block *entry = function.addEntryBlock();
  IRMapping mapping;
  for (auto [index, argument] : llvm::enumerate(used)) {
    Operation *producer =
        fusion.getInputs()[argument.getArgNumber()].getDefiningOp();
    bool isConstant = isa_and_nonnull<graph::ConstantOp>(producer);
    function.setArgAttr(
        index, roleName,
        builder.getStringAttr(isConstant ? "constant" : "input"));
    if (auto values = kernel::deriveValues(argument)) {
      function.setArgAttr(index, kernel::valuesAttrName,
                          kernel::toAttribute(*values, context));
    }
    mapping.map(argument, entry->getArgument(index));
  }
  builder.setInsertionPointToEnd(entry);
  for (Operation &op : body->without_terminator()) {
    Operation *clone = builder.clone(op, mapping);
    clone->setLoc(loc);
    clone->setDiscardableAttrs(ArrayRef<NamedAttribute>());
    if (graph::updatesInPlace(&op)) { // another kernel, so another problem
      clone->setAttr(graph::inPlaceAttrName, builder.getUnitAttr());
    }
  }
  SmallVector<Value> results =
      llvm::map_to_vector(fusion.getYield().getValues(), [&](Value value) {
        return mapping.lookupOrDefault(value);
      });
  func::ReturnOp::create(builder, loc, results);
  return module;
}

std::string printProblem(ModuleOp problem) {
  // The text is the key: it stays what it was before types had a short form.
  graph::PrintAllBinaryTypes allTypes;
  std::string text;
  llvm::raw_string_ostream os(text);
  problem->print(os, OpPrintingFlags().useLocalScope());
  os << '\n';
  return text;
}

std::string printWithoutSources(ModuleOp problem) {
  OwningOpRef<ModuleOp> copy = problem.clone();
  copy->walk([](graph::KernelOp op) {
    for (StringRef name : graph::KernelOp::getAttributeNames()) {
      if (name != op.getTitleAttrName().getValue()) {
        op->removeAttr(name);
      }
    }
  });
  std::string text;
  llvm::raw_string_ostream os(text);
  copy->print(os, OpPrintingFlags().useLocalScope().printGenericOpForm());
  return text;
}

std::string problemKey(const std::string &text) {
  std::string hashed = formVersion + text;
  XXH128_hash_t hash = XXH3_128bits(hashed.data(), hashed.size());
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  static constexpr char digits[] = "0123456789abcdef";
  std::string key;
  for (unsigned char byte : canonical.digest) {
    key += digits[byte >> 4];
    key += digits[byte & 15];
  }
  return key;
}

/// The function of `problem`, checked; null with a diagnostic.
static func::FuncOp findFunction(ModuleOp problem) {
  auto function = problem.lookupSymbol<func::FuncOp>("problem");
  if (!function || function.isExternal() || !function.getBody().hasOneBlock()) {
    problem.emitError("is not a problem: expects a function @problem");
    return nullptr;
  }
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto role = function.getArgAttrOfType<StringAttr>(i, roleName);
    if (!role ||
        (role.getValue() != "input" && role.getValue() != "constant")) {
      function.emitError("is not a problem: expects kernel.role input or "
                         "constant on argument ")
          << i;
      return nullptr;
    }
  }
  return function;
}

FailureOr<ProblemSetting> readSetting(ModuleOp problem) {
  auto target = problem->getAttrOfType<StringAttr>("kernel.target");
  auto isa = problem->getAttrOfType<StringAttr>("kernel.isa");
  auto threads = problem->getAttrOfType<IntegerAttr>("kernel.threads");
  auto alignment = problem->getAttrOfType<IntegerAttr>("kernel.alignment");
  auto residency = problem->getAttrOfType<StringAttr>("kernel.residency");
  auto precision =
      problem->getAttrOfType<StringAttr>("kernel.float32_precision");
  if (!target || !isa || !threads || !alignment || !residency || !precision ||
      !threads.getType().isInteger(64) || !alignment.getType().isInteger(64)) {
    return problem.emitError("is not a problem: expects kernel.target, isa, "
                             "threads, alignment, residency and "
                             "float32_precision");
  }
  if ((target.getValue() != "cpu" && target.getValue() != "cuda") ||
      threads.getInt() < 1 || alignment.getInt() < 1) {
    return problem.emitError("unsupported: problem for target '")
           << target.getValue() << "' with " << threads.getInt()
           << " threads and alignment " << alignment.getInt();
  }
  auto workspace =
      problem->getAttrOfType<IntegerAttr>("kernel.workspace_limit");
  return ProblemSetting{target.getValue().str(),
                        isa.getValue().str(),
                        threads.getInt(),
                        alignment.getInt(),
                        residency.getValue() == "cold",
                        precision.getValue().str(),
                        problem->hasAttr("kernel.propagate_nan"),
                        workspace ? workspace.getInt() : 0};
}

/// Says which arguments the results of `main` update in place: those of its
/// only fusion.
static void markUpdates(func::FuncOp main, kernel::FusionOp fusion) {
  for (unsigned i = 0; i < fusion.getNumResults(); ++i) {
    std::optional<unsigned> input = kernel::getUpdatedInput(fusion, i);
    auto state = input ? dyn_cast<BlockArgument>(fusion.getInputs()[*input])
                       : BlockArgument();
    if (state) {
      main.setResultAttr(
          i, graph::inPlaceAttrName,
          OpBuilder(main).getI64IntegerAttr(state.getArgNumber()));
    }
  }
}

FailureOr<OwningOpRef<ModuleOp>> problemToModule(ModuleOp problem,
                                                 kernel::ChoiceAttr choice) {
  func::FuncOp function = findFunction(problem);
  if (!function) {
    return failure();
  }
  MLIRContext *context = problem.getContext();
  OpBuilder builder(context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> inputTypes;
  SmallVector<unsigned> inputs;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto role = function.getArgAttrOfType<StringAttr>(i, roleName);
    if (role.getValue() == "input") {
      inputs.push_back(i);
      inputTypes.push_back(function.getArgumentTypes()[i]);
    }
  }
  auto main = func::FuncOp::create(
      builder, loc, "main",
      builder.getFunctionType(inputTypes, function.getResultTypes()));
  Block *entry = main.addEntryBlock();
  builder.setInsertionPointToEnd(entry);
  auto nameOf = [](unsigned index) { return "arg" + std::to_string(index); };
  SmallVector<Value> operands(function.getNumArguments());
  for (auto [position, index] : llvm::enumerate(inputs)) {
    main.setArgAttr(position, "graph.name",
                    builder.getStringAttr(nameOf(index)));
    if (Attribute values = function.getArgAttr(index, kernel::valuesAttrName)) {
      main.setArgAttr(position, kernel::valuesAttrName, values);
    }
    operands[index] = entry->getArgument(position);
  }
  for (auto [index, operand] : llvm::enumerate(operands)) {
    if (!operand) {
      operand = graph::ConstantOp::create(
          builder, loc, function.getArgumentTypes()[index],
          FlatSymbolRefAttr::get(context, nameOf(index)),
          /*value=*/nullptr);
      if (Attribute values =
              function.getArgAttr(index, kernel::valuesAttrName)) {
        operand.getDefiningOp()->setAttr(kernel::valuesAttrName, values);
      }
    }
  }
  auto fusion =
      kernel::FusionOp::create(builder, loc, function.getResultTypes(),
                               operands, choice, /*impl=*/nullptr);
  func::ReturnOp::create(builder, loc, fusion.getResults());
  Block *body = builder.createBlock(&fusion.getBody());
  IRMapping mapping;
  for (BlockArgument argument : function.getArguments()) {
    mapping.map(argument, body->addArgument(argument.getType(), loc));
  }
  Operation *end = function.getBody().front().getTerminator();
  for (Operation &op : function.getBody().front().without_terminator()) {
    builder.clone(op, mapping);
  }
  kernel::YieldOp::create(
      builder, loc, llvm::map_to_vector(end->getOperands(), [&](Value value) {
        return mapping.lookupOrDefault(value);
      }));
  if (failed(fusion.verify())) {
    return failure();
  }
  markUpdates(main, fusion);
  return module;
}

} // namespace minic::tune
