// SPDX-License-Identifier: Apache-2.0
//
// Functions, variants, commands and directories.

#include "compiler/emit/PlanToMetadata.h"
#include "dialects/kernel/OperandValues.h"
#include "dialects/plan/DTypes.h"

#include "compiler/emit/CommandToMetadata.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include "llvm/Support/Alignment.h"

using namespace mlir;

namespace minic {

static constexpr uint64_t sectionAlignment = 64;

/// None where `attribute` is null or says nothing.
static std::unique_ptr<format::ValuesT> toValues(Attribute attribute) {
  std::optional<kernel::OperandValues> values =
      kernel::toOperandValues(attribute);
  if (!values) {
    return nullptr;
  }
  auto table = std::make_unique<format::ValuesT>();
  table->kind = static_cast<format::ValuesKind>(values->kind);
  table->lower = values->lower;
  table->upper = values->upper;
  return table;
}

static LogicalResult addConstant(plan::ConstantOp op, PlanMetadata &result) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  std::optional<format::DType> dtype =
      type ? plan::toDType(type.getElementType()) : std::nullopt;
  if (!dtype) {
    return op.emitOpError("expects a tensor of a supported dtype");
  }
  auto constant = std::make_unique<format::ConstantT>();
  constant->name = op.getSymName().str();
  constant->dtype = *dtype;
  constant->dims = type.getShape().vec();
  if (kernel::LayoutAttr layout = kernel::getLayout(type)) {
    constant->layout = std::make_unique<format::LayoutT>();
    constant->layout->order = layout.getOrder().vec();
    constant->layout->block_dims = layout.getBlockDims().vec();
    constant->layout->block_sizes = layout.getBlockSizes().vec();
    constant->layout->padded = layout.getPadded().vec();
  }
  constant->bytes = kernel::getBytes(type);
  constant->external = !op.getValue();
  if (constant->external) {
    constant->values = toValues(op->getAttr(kernel::valuesAttrName));
  }
  if (!constant->external) {
    constant->offset = llvm::alignTo(result.constantsBytes, sectionAlignment);
    result.constantsBytes = constant->offset + constant->bytes;
  }
  result.artifact.constants.push_back(std::move(constant));
  result.constants.push_back(op);
  return success();
}

static LogicalResult addBinary(plan::BinaryOp op, PlanMetadata &result) {
  auto binary = std::make_unique<format::BinaryT>();
  auto kind =
      llvm::StringSwitch<std::optional<format::BinaryKind>>(op.getKind())
          .Case("elf_shared_object", format::BinaryKind::elf_shared_object)
          .Case("cubin", format::BinaryKind::cubin)
          .Case("ptx", format::BinaryKind::ptx)
          .Default(std::nullopt);
  if (!kind) {
    return op.emitOpError("has unknown kind ") << op.getKind();
  }
  binary->kind = *kind;
  binary->arch = op.getArch().str();
  binary->offset = llvm::alignTo(result.binariesBytes, sectionAlignment);
  binary->bytes = op.getData().getNumElements();
  result.binariesBytes = binary->offset + binary->bytes;
  result.artifact.binaries.push_back(std::move(binary));
  result.binaries.push_back(op);
  return success();
}

static LogicalResult
addSpecs(plan::FunctionOp function, ArrayAttr specs,
         std::vector<std::unique_ptr<format::TensorSpecT>> &out) {
  for (Attribute attribute : specs) {
    auto spec = dyn_cast<plan::TensorSpecAttr>(attribute);
    std::optional<format::DType> dtype =
        spec ? plan::toDType(spec.getType().getElementType()) : std::nullopt;
    if (!dtype) {
      return function.emitOpError("expects #plan.tensor_spec of a supported "
                                  "dtype, got ")
             << attribute;
    }
    auto table = std::make_unique<format::TensorSpecT>();
    table->name = spec.getName().str();
    table->dtype = *dtype;
    table->dims = spec.getType().getShape().vec();
    table->alignment = spec.getAlignment();
    if (spec.getInPlace()) {
      table->in_place = spec.getInPlace().getInt();
    }
    out.push_back(std::move(table));
  }
  return success();
}

/// What `kernel.values` of the function says of its inputs.
static LogicalResult addValues(plan::FunctionOp function,
                               format::FunctionT &table) {
  auto values = function->getAttrOfType<ArrayAttr>(kernel::valuesAttrName);
  if (!values) {
    return success();
  }
  if (values.size() != table.inputs.size()) {
    return function.emitOpError("expects ")
           << kernel::valuesAttrName << " for each of its "
           << table.inputs.size() << " inputs, got " << values.size();
  }
  for (auto [input, attribute] : llvm::zip_equal(table.inputs, values)) {
    input->values = toValues(attribute);
  }
  return success();
}

static std::unique_ptr<format::PointerChangesT>
toMetadata(plan::PointerChangesAttr changes) {
  auto table = std::make_unique<format::PointerChangesT>();
  table->stage = changes.getStage();
  table->runs_before_update = changes.getRunsBeforeUpdate();
  table->stage_us = changes.getStageUs().getValueAsDouble();
  table->launch_us = changes.getLaunchUs().getValueAsDouble();
  table->stage_call_us = changes.getStageCallUs().getValueAsDouble();
  table->launch_call_us = changes.getLaunchCallUs().getValueAsDouble();
  table->update_us = changes.getUpdateUs().getValueAsDouble();
  return table;
}

/// By the numbers that dimensions have in the entry, which are the bucket's.
static LogicalResult addSizeWords(plan::VariantOp op, plan::BucketAttr bucket,
                                  format::VariantT &variant) {
  auto dims = bucket ? bucket.getDims() : ArrayAttr();
  for (auto word : op.getSizesAttr().getAsRange<plan::SizeWordAttr>()) {
    auto found = llvm::find_if(
        dims ? dims.getValue() : ArrayRef<Attribute>(), [&](Attribute dim) {
          return cast<plan::BucketDimAttr>(dim).getName() == word.getDim();
        });
    if (!dims || found == dims.end()) {
      return op.emitOpError("has a word for the size of ")
             << word.getDim() << ", which is no dimension of its bucket";
    }
    auto table = std::make_unique<format::SizeWordT>();
    table->dim = found - dims.begin();
    table->offset = word.getOffset();
    variant.sizes.push_back(std::move(table));
  }
  llvm::sort(variant.sizes,
             [](const auto &a, const auto &b) { return a->dim < b->dim; });
  return success();
}

static LogicalResult addVariant(plan::VariantOp op, plan::BucketAttr bucket,
                                const SymbolIndices &symbols,
                                format::FunctionT &function) {
  auto variant = std::make_unique<format::VariantT>();
  variant->target = op.getTarget().str();
  for (StringRef feature : op.getIsa().getAsValueRange<StringAttr>()) {
    variant->isa.push_back(feature.str());
  }
  variant->threads = op.getThreads();
  variant->arena_bytes = op.getArenaBytes().value_or(0);
  variant->zeroed_bytes = op.getZeroedBytes().value_or(0);
  if (auto live = op->getAttrOfType<IntegerAttr>("plan.live_bytes")) {
    variant->live_bytes = live.getInt();
  }
  if (op.getStatus()) {
    variant->status = *op.getStatus();
  }
  if (op.getSizes() && failed(addSizeWords(op, bucket, *variant))) {
    return failure();
  }
  if (plan::GraphVerdictAttr graph = op.getGraphAttr()) {
    variant->graph = std::make_unique<format::GraphVerdictT>();
    variant->graph->replay = static_cast<format::Replay>(graph.getReplay());
    variant->graph->graph_us = graph.getGraphUs().getValueAsDouble();
    variant->graph->stream_us = graph.getStreamUs().getValueAsDouble();
    variant->graph->graph_call_us = graph.getGraphCallUs().getValueAsDouble();
    variant->graph->stream_call_us = graph.getStreamCallUs().getValueAsDouble();
    variant->graph->when_idle_us = graph.getWhenIdleUs().getValueAsDouble();
    variant->graph->when_idle_call_us =
        graph.getWhenIdleCallUs().getValueAsDouble();
    variant->graph->run_us = graph.getRunUs().getValueAsDouble();
    if (plan::PointerChangesAttr changes = graph.getPointerChanges()) {
      variant->graph->pointer_changes = toMetadata(changes);
    }
  }
  if (op.getEvidence()) {
    variant->evidence = op.getEvidence()->str();
  }
  if (failed(addCommands(op.getPrepare(), symbols, variant->prepare)) ||
      failed(addCommands(op.getRun(), symbols, variant->run))) {
    return failure();
  }
  function.variants.push_back(std::move(variant));
  return success();
}

static LogicalResult addFunction(plan::FunctionOp op,
                                 const SymbolIndices &symbols,
                                 PlanMetadata &result) {
  auto function = std::make_unique<format::FunctionT>();
  function->name = op.getSymName().str();
  function->flops = op.getFlops();
  if (failed(addSpecs(op, op.getInputs(), function->inputs)) ||
      failed(addSpecs(op, op.getOutputs(), function->outputs)) ||
      failed(addValues(op, *function))) {
    return failure();
  }
  for (Operation &inner : op.getBody().front()) {
    auto variant = dyn_cast<plan::VariantOp>(inner);
    if (!variant) {
      return inner.emitOpError("is not a variant");
    }
    if (failed(addVariant(variant, op.getBucketAttr(), symbols, *function))) {
      return failure();
    }
  }
  result.artifact.functions.push_back(std::move(function));
  return success();
}

/// The bits of a fill, from the lowest on.
static uint64_t bitsOf(Attribute fill) {
  return isa<FloatAttr>(fill)
             ? cast<FloatAttr>(fill).getValue().bitcastToAPInt().getZExtValue()
             : cast<IntegerAttr>(fill).getValue().getZExtValue();
}

/// Adds function number `index` to the entry that it is a form of.
static LogicalResult addToEntry(plan::FunctionOp op, uint32_t index,
                                format::ArtifactT &artifact) {
  plan::BucketAttr attribute = op.getBucketAttr();
  auto entry = llvm::find_if(artifact.entries, [&](const auto &each) {
    return each->name == attribute.getEntry().getValue();
  });
  if (entry == artifact.entries.end()) {
    artifact.entries.push_back(std::make_unique<format::EntryT>());
    entry = std::prev(artifact.entries.end());
    (*entry)->name = attribute.getEntry().str();
    for (auto dim : attribute.getDims().getAsRange<plan::BucketDimAttr>()) {
      auto table = std::make_unique<format::EntryDimT>();
      table->name = dim.getName().str();
      ArrayRef<int64_t> places = dim.getPlaces();
      for (; !places.empty(); places = places.drop_front(2)) {
        auto place = std::make_unique<format::DimPlaceT>();
        place->input = places[0];
        place->axis = places[1];
        table->places.push_back(std::move(place));
      }
      if (DenseI64ArrayAttr axes = dim.getResultAxes()) {
        table->result_axes.assign(axes.asArrayRef().begin(),
                                  axes.asArrayRef().end());
      }
      (*entry)->dims.push_back(std::move(table));
    }
    ArrayAttr fills = attribute.getFills();
    for (auto [input, fill] :
         llvm::enumerate(fills ? fills.getValue() : ArrayRef<Attribute>())) {
      if (!isa<UnitAttr>(fill)) {
        auto table = std::make_unique<format::InputFillT>();
        table->input = input;
        table->element = bitsOf(fill);
        (*entry)->fills.push_back(std::move(table));
      }
    }
  }
  auto bucket = std::make_unique<format::BucketT>();
  bucket->function = index;
  if (attribute.getDims().size() != (*entry)->dims.size()) {
    return op.emitOpError("expects the dimensions of its entry");
  }
  for (auto [dim, known] :
       llvm::zip_equal(attribute.getDims().getAsRange<plan::BucketDimAttr>(),
                       (*entry)->dims)) {
    if (dim.getName().getValue() != known->name) {
      return op.emitOpError("expects the dimensions of its entry");
    }
    bucket->sizes.push_back(dim.getSize());
  }
  (*entry)->buckets.push_back(std::move(bucket));
  return success();
}

FailureOr<PlanMetadata> planToMetadata(ModuleOp module) {
  PlanMetadata result;
  SymbolIndices symbols;
  for (Operation &op : *module.getBody()) {
    LogicalResult added = success();
    if (auto constant = dyn_cast<plan::ConstantOp>(op)) {
      symbols.constants[constant.getSymNameAttr()] = result.constants.size();
      added = addConstant(constant, result);
    } else if (auto binary = dyn_cast<plan::BinaryOp>(op)) {
      symbols.binaries[binary.getSymNameAttr()] = result.binaries.size();
      added = addBinary(binary, result);
    } else if (!isa<plan::FunctionOp>(op)) {
      added = op.emitOpError("is not part of a finished plan");
    }
    if (failed(added)) {
      return failure();
    }
  }
  for (auto function : module.getOps<plan::FunctionOp>()) {
    uint32_t index = result.artifact.functions.size();
    if (failed(addFunction(function, symbols, result)) ||
        (function.getBucketAttr() &&
         failed(addToEntry(function, index, result.artifact)))) {
      return failure();
    }
  }
  for (auto &entry : result.artifact.entries) {
    llvm::sort(entry->buckets, [](const auto &a, const auto &b) {
      return a->sizes < b->sizes;
    });
  }
  return result;
}

} // namespace minic
