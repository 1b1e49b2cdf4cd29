// SPDX-License-Identifier: Apache-2.0
//
// plan-lower: from tensors to addresses and commands. It decides where tensors
// live (input, output, constant, buffer); what runs is the FusionLowering's.
// Anything but constants, views, implemented fusions and relayouts in a
// function is an error.

#include "passes/plan/Passes.h"

#include "dialects/graph/Dims.h"
#include "dialects/graph/InPlace.h"
#include "dialects/graph/Unsigned.h"
#include "dialects/graph/Views.h"
#include "dialects/kernel/OperandValues.h"
#include "passes/support/CountFlops.h"
#include "passes/support/FusionLabel.h"
#include "passes/support/InPlaceState.h"
#include "passes/support/KernelSymbol.h"
#include "passes/support/LaunchPerFusion.h"
#include "passes/support/PlanWriter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "plan-lower"

namespace minic::plan {
#define GEN_PASS_DEF_LOWERTOPLAN
#include "passes/plan/Passes.h.inc"
} // namespace minic::plan

using namespace mlir;
using namespace minic;
using namespace minic::plan;

/// `name`d dense tensors as a caller sees them; null with a diagnostic where
/// one has no fixed size.
static ArrayAttr getSpecs(func::FuncOp func, TypeRange types,
                          function_ref<std::string(unsigned)> nameOf,
                          int64_t alignment,
                          function_ref<bool(unsigned)> isUnsigned,
                          function_ref<IntegerAttr(unsigned)> updated) {
  SmallVector<Attribute> specs;
  for (auto [index, type] : llvm::enumerate(types)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() || tensor.getEncoding()) {
      func.emitError("unsupported: inputs and outputs must be dense tensors of "
                     "static shape, got ")
          << type << " for " << nameOf(index);
      return nullptr;
    }
    specs.push_back(TensorSpecAttr::get(
        func.getContext(), StringAttr::get(func.getContext(), nameOf(index)),
        isUnsigned(index) ? graph::asUnsigned(tensor) : tensor, alignment,
        updated(index)));
  }
  return ArrayAttr::get(func.getContext(), specs);
}

static int64_t countFlops(func::FuncOp func) {
  int64_t flops = 0;
  func.walk([&](Operation *op) { flops += minic::countFlops(op); });
  return flops;
}

namespace {

struct LowerToPlan : plan::impl::LowerToPlanBase<LowerToPlan> {
  using LowerToPlanBase::LowerToPlanBase;

  void runOnOperation() override {
    PlanSymbols symbols(getOperation(), target);
    auto funcs = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp func : funcs) {
      // Only public functions are entries; nothing calls the others.
      if (func.isPublic() && failed(lower(func, symbols))) {
        return signalPassFailure();
      }
      func.erase();
    }
    if (getOperation()->hasAttr(anonymousKernels)) {
      getOperation().walk([](LaunchOp launch) { launch.removeLabelAttr(); });
    }
    constants += symbols.constantCount();
    kernels += symbols.kernelCount();
  }

  FusionLowering *lowering = nullptr;

private:
  LogicalResult lower(func::FuncOp func, PlanSymbols &symbols) {
    OpBuilder builder(func);
    auto inputs = getSpecs(
        func, func.getArgumentTypes(),
        [&](unsigned index) {
          auto name = func.getArgAttrOfType<StringAttr>(index, "graph.name");
          return name ? name.str() : "arg" + std::to_string(index);
        },
        alignment,
        [&](unsigned index) {
          return bool(func.getArgAttr(index, graph::unsignedAttrName));
        },
        [](unsigned) { return IntegerAttr(); });
    auto outputs = getSpecs(
        func, func.getResultTypes(),
        [&](unsigned index) {
          auto name = func.getResultAttrOfType<StringAttr>(index, "graph.name");
          return name ? name.str() : "result" + std::to_string(index);
        },
        alignment,
        [&](unsigned index) {
          return bool(func.getResultAttr(index, graph::unsignedAttrName));
        },
        [&](unsigned index) {
          return func.getResultAttrOfType<IntegerAttr>(index,
                                                       graph::inPlaceAttrName);
        });
    if (!inputs || !outputs) {
      return failure();
    }
    FailureOr<BucketAttr> bucket = getBucket(func);
    if (failed(bucket)) {
      return failure();
    }
    auto function =
        FunctionOp::create(builder, func.getLoc(), func.getSymName(), inputs,
                           outputs, uint64_t(::countFlops(func)), *bucket);
    setValues(func, function);
    builder.createBlock(&function.getBody());
    SmallVector<StringRef> features(isa.begin(), isa.end());
    auto variant = VariantOp::create(
        builder, func.getLoc(), builder.getStringAttr(target),
        builder.getStrArrayAttr(features), builder.getI64IntegerAttr(threads),
        /*arena_bytes=*/nullptr, /*zeroed_bytes=*/nullptr, /*status=*/nullptr,
        /*sizes=*/nullptr, /*graph=*/nullptr, /*evidence=*/nullptr);
    builder.createBlock(&variant.getPrepare());
    builder.createBlock(&variant.getRun());
    PlanWriter writer(variant, symbols);
    return lowerBody(func, writer);
  }

  /// What graph.bucket of `func` and graph.dims of its arguments say; null
  /// where it was made for no sizes.
  static FailureOr<BucketAttr> getBucket(func::FuncOp func) {
    Attribute attribute = func->getAttr(graph::bucketAttrName);
    if (!attribute) {
      return BucketAttr();
    }
    auto bucket = dyn_cast<DictionaryAttr>(attribute);
    auto entry = bucket ? bucket.getAs<StringAttr>("entry") : StringAttr();
    auto sizes =
        bucket ? bucket.getAs<DictionaryAttr>("sizes") : DictionaryAttr();
    if (!entry || !sizes || sizes.empty()) {
      return func.emitError("expected ")
             << graph::bucketAttrName << " with entry and sizes, got "
             << attribute;
    }
    auto pads = bucket.getAs<DictionaryAttr>("pads");
    Builder builder(func.getContext());
    SmallVector<Attribute> dims;
    for (NamedAttribute size : sizes) {
      auto number = dyn_cast<IntegerAttr>(size.getValue());
      SmallVector<int64_t> places = findDim(func, size.getName());
      if (!number || places.empty()) {
        return func.emitError("expected an i64 and ")
               << graph::dimsAttrName
               << " of an argument for each dimension of "
               << graph::bucketAttrName << ", got " << attribute;
      }
      dims.push_back(BucketDimAttr::get(
          func.getContext(), size.getName(), number.getInt(),
          builder.getDenseI64ArrayAttr(places),
          pads ? pads.getAs<DenseI64ArrayAttr>(size.getName())
               : DenseI64ArrayAttr()));
    }
    FailureOr<ArrayAttr> fills = getFills(func);
    if (failed(fills)) {
      return failure();
    }
    return BucketAttr::get(func.getContext(), entry, builder.getArrayAttr(dims),
                           *fills);
  }

  /// What graph.fill of arguments says; null where none has one.
  static FailureOr<ArrayAttr> getFills(func::FuncOp func) {
    Builder builder(func.getContext());
    SmallVector<Attribute> fills;
    bool isAny = false;
    for (BlockArgument argument : func.getArguments()) {
      Attribute given =
          func.getArgAttr(argument.getArgNumber(), graph::fillAttrName);
      auto element = dyn_cast_or_null<TypedAttr>(given);
      auto type = cast<RankedTensorType>(argument.getType()).getElementType();
      if (given && (!element || element.getType() != type)) {
        return func.emitError("expected ")
               << graph::fillAttrName << " of argument "
               << argument.getArgNumber() << " to be a number of " << type
               << ", got " << given;
      }
      isAny |= bool(given);
      fills.push_back(given ? given : builder.getUnitAttr());
    }
    return isAny ? builder.getArrayAttr(fills) : ArrayAttr();
  }

  /// The arguments and axes that are called `name`, a pair each.
  static SmallVector<int64_t> findDim(func::FuncOp func, StringAttr name) {
    SmallVector<int64_t> places;
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      auto dims = func.getArgAttrOfType<ArrayAttr>(i, graph::dimsAttrName);
      if (!dims) {
        continue;
      }
      for (auto [axis, dim] : llvm::enumerate(dims)) {
        if (dim == name) {
          places.append({int64_t(i), int64_t(axis)});
        }
      }
    }
    return places;
  }

  /// What the arguments' `kernel.values` say, where any does: one per input.
  static void setValues(func::FuncOp func, FunctionOp function) {
    SmallVector<Attribute> values;
    bool isSaid = false;
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      Attribute said = func.getArgAttr(i, kernel::valuesAttrName);
      isSaid |= bool(said);
      values.push_back(said ? said : UnitAttr::get(func.getContext()));
    }
    if (isSaid) {
      function->setAttr(kernel::valuesAttrName,
                        ArrayAttr::get(func.getContext(), values));
    }
  }

  LogicalResult lowerBody(func::FuncOp func, PlanWriter &writer) {
    InPlaceState state(func);
    state.place(writer, [&](Value tensor, Value address) {
      writer.setAddress(tensor, address);
    });
    SmallVector<std::pair<Value, unsigned>> copied;
    auto results = func.getBody().front().getTerminator()->getOperands();
    for (auto [index, result] : llvm::enumerate(results)) {
      if (state.isUpdated(index)) {
        continue;
      }
      // What others may still read in the caller's memory is written last.
      if (func.getResultAttr(index, graph::inPlaceAttrName) ||
          !writer.placeInOutput(result, index)) {
        LDBG() << "output " << index << " is copied";
        copied.push_back({result, index});
      }
    }
    // Users first: a piece of a piece lies in the outermost.
    for (Operation &op : llvm::reverse(func.getBody().front())) {
      if (auto concat = dyn_cast<graph::ConcatOp>(op);
          concat && graph::isView(concat)) {
        writer.placePieces(concat);
      }
    }
    for (Operation *op : state.order()) {
      if (failed(lower(op, state, writer))) {
        return failure();
      }
    }
    OpBuilder &builder = writer.builder();
    for (auto [result, index] : copied) {
      auto output =
          OutputOp::create(builder, result.getLoc(),
                           AddressType::get(builder.getContext()), index);
      auto type = cast<RankedTensorType>(result.getType());
      CopyOp::create(builder, result.getLoc(), output, writer.addressOf(result),
                     kernel::getBytes(type), builder.getStringAttr("copy"),
                     DenseI32ArrayAttr());
      ++copies;
    }
    return success();
  }

  /// A copy of `bytes` at `source` in the arena.
  Value copyToArena(Location loc, Value source, int64_t bytes,
                    PlanWriter &writer) {
    OpBuilder &builder = writer.builder();
    Value buffer = writer.buffer(bytes);
    CopyOp::create(builder, loc, buffer, source, bytes,
                   builder.getStringAttr("copy of state"), DenseI32ArrayAttr());
    return buffer;
  }

  LogicalResult lower(Operation *op, const InPlaceState &state,
                      PlanWriter &writer) {
    SmallVector<std::pair<Value, Value>> saved;
    for (Value old : state.savedBefore(op)) {
      op->emitWarning(
          "a state is copied before it is updated in place, because "
          "what follows the update reads the old one");
      auto type = cast<RankedTensorType>(old.getType());
      saved.push_back({old, copyToArena(op->getLoc(), writer.addressOf(old),
                                        kernel::getBytes(type), writer)});
    }
    Block *run = writer.builder().getInsertionBlock();
    Operation *last = run->empty() ? nullptr : &run->back();
    if (failed(lower(op, writer))) {
      return failure();
    }
    for (auto it = last ? std::next(last->getIterator()) : run->begin();
         it != run->end(); ++it) {
      if (auto call = dyn_cast<CallOp>(*it)) {
        state.keepFrom(call, writer);
      }
    }
    for (auto [old, copy] : saved) {
      writer.setAddress(old, copy);
    }
    return success();
  }

  LogicalResult lower(Operation *op, PlanWriter &writer) {
    if (::isa<graph::ConstantOp>(op) || graph::getViewOffset(op)) {
      return success();
    }
    if (graph::isView(op)) {
      writer.copyPieces(cast<graph::ConcatOp>(op));
      return success();
    }
    auto fusion = dyn_cast<kernel::FusionOp>(op);
    if (fusion ? !fusion.getImpl() : !::isa<kernel::RelayoutOp>(op)) {
      return op->emitOpError("expects an implementation before it can be "
                             "planned, got none");
    }
    Block *run = writer.builder().getInsertionBlock();
    Operation *last = run->empty() ? nullptr : &run->back();
    LaunchPerFusion fixture;
    FusionLowering &source = lowering ? *lowering : fixture;
    if (failed(source.lower(op, writer))) {
      return failure();
    }
    // People find a command by the ops that it came from.
    auto label = StringAttr::get(op->getContext(), labelOf(op));
    auto begin = last ? std::next(last->getIterator()) : run->begin();
    for (Operation &added : llvm::make_range(begin, run->end())) {
      if (!::isa<LaunchOp, CallOp, CopyOp, FillOp>(added)) {
        continue;
      }
      added.setLoc(op->getLoc());
      if (!added.hasAttr("label")) {
        added.setAttr("label", label);
      }
    }
    return success();
  }
};

} // namespace

std::unique_ptr<Pass>
minic::plan::createLowerToPlan(FusionLowering &lowering,
                               LowerToPlanOptions options) {
  auto pass = std::make_unique<LowerToPlan>(std::move(options));
  pass->lowering = &lowering;
  return pass;
}
