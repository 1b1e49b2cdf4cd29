// SPDX-License-Identifier: Apache-2.0
//
// Directories, functions and variants; ReadCommands does the commands.

#include "compiler/emit/ReadPlan.h"

#include "compiler/emit/ReadCommands.h"
#include "dialects/kernel/OperandValues.h"
#include "dialects/plan/DTypes.h"
#include "dialects/plan/Plan.h"
#include "runtime/format/Packer.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>
#include <numeric>

using namespace mlir;

namespace minic {

static ArrayRef<int64_t> toArray(const flatbuffers::Vector<int64_t> *values) {
  return values ? ArrayRef<int64_t>(values->data(), values->size())
                : ArrayRef<int64_t>();
}

static RankedTensorType tensorType(const format::Constant &constant,
                                   MLIRContext *context) {
  kernel::LayoutAttr layout;
  if (const format::Layout *table = constant.layout()) {
    layout = kernel::LayoutAttr::get(
        context, toArray(table->order()), toArray(table->block_dims()),
        toArray(table->block_sizes()), toArray(table->padded()));
  }
  return RankedTensorType::get(toArray(constant.dims()),
                               plan::fromDType(constant.dtype(), context),
                               layout);
}

/// Packing the numbers 1..n tells where each element went; 0 is padding.
static std::vector<char> unpack(RankedTensorType type, const std::byte *packed,
                                int64_t elementBytes) {
  kernel::LayoutAttr layout = kernel::getLayout(type);
  runtime::BlockedLayout blocked;
  blocked.order = layout.getOrder().vec();
  blocked.blockDims = layout.getBlockDims().vec();
  blocked.blockSizes = layout.getBlockSizes().vec();
  blocked.padded = layout.getPadded().vec();
  std::vector<int64_t> numbers(type.getNumElements());
  std::iota(numbers.begin(), numbers.end(), 1);
  std::vector<int64_t> places(blocked.elements());
  runtime::pack(numbers.data(),
                absl::MakeConstSpan(type.getShape().data(), type.getRank()),
                sizeof(int64_t), blocked, places.data());
  std::vector<char> dense(numbers.size() * elementBytes);
  for (auto [i, number] : llvm::enumerate(places)) {
    if (number > 0) {
      std::memcpy(dense.data() + (number - 1) * elementBytes,
                  packed + i * elementBytes, elementBytes);
    }
  }
  return dense;
}

static ElementsAttr bytesAttr(RankedTensorType type, ArrayRef<char> bytes,
                              StringRef name) {
  auto handle =
      DenseResourceElementsHandle::getManagerInterface(type.getContext())
          .insert(name, HeapAsmResourceBlob::allocateAndCopyWithAlign(
                            bytes, /*align=*/64, /*dataIsMutable=*/false));
  return DenseResourceElementsAttr::get(type, handle);
}

/// Null for nothing.
static Attribute readValues(const format::Values *values,
                            MLIRContext *context) {
  if (!values) {
    return nullptr;
  }
  return kernel::toAttribute({static_cast<kernel::ValuesKind>(values->kind()),
                              values->lower(), values->upper()},
                             context);
}

static void readConstant(const format::ArtifactReader &artifact, uint32_t index,
                         bool withValues, OpBuilder &builder) {
  const format::Constant &constant =
      *artifact.metadata().constants()->Get(index);
  RankedTensorType type = tensorType(constant, builder.getContext());
  StringRef name = constant.name()->c_str();
  ElementsAttr value;
  if (withValues && !constant.external()) {
    const std::byte *bytes = artifact.constant(index).data();
    RankedTensorType dense = kernel::withoutLayout(type);
    if (kernel::getLayout(type)) {
      value = bytesAttr(
          dense,
          unpack(type, bytes, kernel::getElementBytes(type.getElementType())),
          name);
    } else {
      value = bytesAttr(dense,
                        {reinterpret_cast<const char *>(bytes),
                         static_cast<size_t>(constant.bytes())},
                        name);
    }
  }
  auto op = plan::ConstantOp::create(builder, builder.getUnknownLoc(), name,
                                     type, value);
  if (Attribute values = readValues(constant.values(), builder.getContext())) {
    op->setAttr(kernel::valuesAttrName, values);
  }
}

static void readBinary(const format::ArtifactReader &artifact, uint32_t index,
                       OpBuilder &builder) {
  const format::Binary &binary = *artifact.metadata().binaries()->Get(index);
  absl::Span<const std::byte> bytes = artifact.binary(index);
  auto type = RankedTensorType::get({static_cast<int64_t>(bytes.size())},
                                    builder.getI8Type());
  plan::BinaryOp::create(
      builder, builder.getUnknownLoc(), binarySymbol(index),
      format::EnumNameBinaryKind(binary.kind()), binary.arch()->c_str(),
      bytesAttr(type,
                {reinterpret_cast<const char *>(bytes.data()), bytes.size()},
                binarySymbol(index)));
}

static ArrayAttr readSpecs(
    const flatbuffers::Vector<flatbuffers::Offset<format::TensorSpec>> &specs,
    OpBuilder &builder) {
  SmallVector<Attribute> attributes;
  for (const format::TensorSpec *spec : specs) {
    attributes.push_back(plan::TensorSpecAttr::get(
        builder.getContext(), builder.getStringAttr(spec->name()->c_str()),
        RankedTensorType::get(
            toArray(spec->dims()),
            plan::fromDType(spec->dtype(), builder.getContext())),
        spec->alignment(),
        spec->in_place() ? builder.getI64IntegerAttr(*spec->in_place())
                         : IntegerAttr()));
  }
  return builder.getArrayAttr(attributes);
}

static plan::PointerChangesAttr
readPointerChanges(const format::PointerChanges *changes, OpBuilder &builder) {
  if (!changes) {
    return {};
  }
  return plan::PointerChangesAttr::get(
      builder.getContext(), changes->stage(), changes->runs_before_update(),
      builder.getF64FloatAttr(changes->stage_us()),
      builder.getF64FloatAttr(changes->launch_us()),
      builder.getF64FloatAttr(changes->stage_call_us()),
      builder.getF64FloatAttr(changes->launch_call_us()),
      builder.getF64FloatAttr(changes->update_us()));
}

static plan::GraphVerdictAttr
readGraphVerdict(const format::GraphVerdict *graph, OpBuilder &builder) {
  if (!graph) {
    return {};
  }
  return plan::GraphVerdictAttr::get(
      builder.getContext(), static_cast<plan::Replay>(graph->replay()),
      builder.getF64FloatAttr(graph->graph_us()),
      builder.getF64FloatAttr(graph->stream_us()),
      builder.getF64FloatAttr(graph->graph_call_us()),
      builder.getF64FloatAttr(graph->stream_call_us()),
      builder.getF64FloatAttr(graph->when_idle_us()),
      builder.getF64FloatAttr(graph->when_idle_call_us()),
      builder.getF64FloatAttr(graph->run_us()),
      readPointerChanges(graph->pointer_changes(), builder));
}

/// Null where there are none.
static ArrayAttr readSizeWords(const format::Variant &variant,
                               plan::BucketAttr bucket, Builder &builder) {
  if (!variant.sizes() || variant.sizes()->size() == 0 || !bucket) {
    return {};
  }
  SmallVector<Attribute> words;
  for (const format::SizeWord *word : *variant.sizes()) {
    auto dim = cast<plan::BucketDimAttr>(bucket.getDims()[word->dim()]);
    words.push_back(plan::SizeWordAttr::get(builder.getContext(), dim.getName(),
                                            int64_t(word->offset())));
  }
  return builder.getArrayAttr(words);
}

static void readVariant(const format::Artifact &artifact,
                        const format::Variant &variant, plan::BucketAttr bucket,
                        OpBuilder &builder) {
  SmallVector<StringRef> isa;
  if (variant.isa()) {
    for (const flatbuffers::String *feature : *variant.isa()) {
      isa.push_back(feature->c_str());
    }
  }
  auto op = plan::VariantOp::create(
      builder, builder.getUnknownLoc(), variant.target()->c_str(),
      builder.getStrArrayAttr(isa), variant.threads(),
      builder.getI64IntegerAttr(variant.arena_bytes()),
      variant.zeroed_bytes() ? builder.getI64IntegerAttr(variant.zeroed_bytes())
                             : IntegerAttr(),
      variant.status() ? builder.getI64IntegerAttr(*variant.status())
                       : IntegerAttr(),
      readSizeWords(variant, bucket, builder),
      readGraphVerdict(variant.graph(), builder),
      variant.evidence() ? builder.getStringAttr(variant.evidence()->c_str())
                         : StringAttr());
  if (variant.live_bytes()) {
    op->setAttr("plan.live_bytes",
                builder.getI64IntegerAttr(variant.live_bytes()));
  }
  for (auto [region, commands] :
       {std::pair(&op.getPrepare(), variant.prepare()),
        std::pair(&op.getRun(), variant.run())}) {
    OpBuilder inner = OpBuilder::atBlockEnd(&region->emplaceBlock());
    if (commands) {
      readCommands(artifact, variant.arena_bytes(), *commands, inner);
    }
  }
}

/// Of `entry`, for each input of `function`; null where there are none.
static ArrayAttr readFills(const format::Entry &entry,
                           const format::Function &function, Builder &builder) {
  if (!entry.fills() || entry.fills()->size() == 0) {
    return {};
  }
  SmallVector<Attribute> fills(function.inputs()->size(),
                               builder.getUnitAttr());
  for (const format::InputFill *fill : *entry.fills()) {
    Type type = plan::fromDType(function.inputs()->Get(fill->input())->dtype(),
                                builder.getContext());
    APInt bits(type.getIntOrFloatBitWidth(), fill->element(),
               /*isSigned=*/false, /*implicitTrunc=*/true);
    auto floating = dyn_cast<FloatType>(type);
    fills[fill->input()] =
        floating ? Attribute(FloatAttr::get(
                       type, APFloat(floating.getFloatSemantics(), bits)))
                 : IntegerAttr::get(type, bits);
  }
  return builder.getArrayAttr(fills);
}

/// Of function number `index`; null where it is of no entry.
static plan::BucketAttr readBucket(const format::Artifact &artifact,
                                   uint32_t index, Builder &builder) {
  if (!artifact.entries()) {
    return {};
  }
  for (const format::Entry *entry : *artifact.entries()) {
    for (const format::Bucket *bucket : *entry->buckets()) {
      if (bucket->function() != index) {
        continue;
      }
      SmallVector<Attribute> dims;
      for (auto [dim, size] :
           llvm::zip_equal(*entry->dims(), *bucket->sizes())) {
        SmallVector<int64_t> places;
        for (const format::DimPlace *place : *dim->places()) {
          places.append({place->input(), place->axis()});
        }
        dims.push_back(plan::BucketDimAttr::get(
            builder.getContext(), builder.getStringAttr(dim->name()->c_str()),
            size, builder.getDenseI64ArrayAttr(places),
            dim->result_axes()
                ? builder.getDenseI64ArrayAttr(SmallVector<int64_t>(
                      dim->result_axes()->begin(), dim->result_axes()->end()))
                : DenseI64ArrayAttr()));
      }
      return plan::BucketAttr::get(
          builder.getContext(), builder.getStringAttr(entry->name()->c_str()),
          builder.getArrayAttr(dims),
          readFills(*entry, *artifact.functions()->Get(index), builder));
    }
  }
  return {};
}

OwningOpRef<ModuleOp> readPlan(const format::ArtifactReader &artifact,
                               MLIRContext &context, bool withValues) {
  context.loadDialect<plan::PlanDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  const format::Artifact &metadata = artifact.metadata();
  for (uint32_t i = 0; i < metadata.constants()->size(); ++i) {
    readConstant(artifact, i, withValues, builder);
  }
  for (uint32_t i = 0; i < metadata.binaries()->size(); ++i) {
    readBinary(artifact, i, builder);
  }
  for (uint32_t index = 0; index < metadata.functions()->size(); ++index) {
    const format::Function *function = metadata.functions()->Get(index);
    auto op = plan::FunctionOp::create(
        builder, builder.getUnknownLoc(), function->name()->c_str(),
        readSpecs(*function->inputs(), builder),
        readSpecs(*function->outputs(), builder), function->flops(),
        readBucket(metadata, index, builder));
    SmallVector<Attribute> values;
    bool isSaid = false;
    for (const format::TensorSpec *spec : *function->inputs()) {
      Attribute said = readValues(spec->values(), &context);
      isSaid |= bool(said);
      values.push_back(said ? said : builder.getUnitAttr());
    }
    if (isSaid) {
      op->setAttr(kernel::valuesAttrName, builder.getArrayAttr(values));
    }
    OpBuilder inner = OpBuilder::atBlockEnd(&op.getBody().emplaceBlock());
    for (const format::Variant *variant : *function->variants()) {
      readVariant(metadata, *variant, op.getBucketAttr(), inner);
    }
  }
  return module;
}

} // namespace minic
