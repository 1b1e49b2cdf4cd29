// SPDX-License-Identifier: Apache-2.0
//
// Syntax and verification of structure and addresses; commands are
// CommandOps.cpp's. What takes more than one op to check is
// passes/plan/VerifyPlan.cpp's.

#include "dialects/plan/Plan.h"

#include "mlir/IR/OpImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::plan {

/// A region of exactly one block, also where it is empty.
static ParseResult parseBlock(OpAsmParser &parser, Region &region) {
  if (parser.parseRegion(region)) {
    return failure();
  }
  if (region.empty()) {
    region.emplaceBlock();
  }
  return success();
}

static void printBlock(OpAsmPrinter &printer, Operation *, Region &region) {
  printer.printRegion(region, /*printEntryBlockArgs=*/true,
                      /*printBlockTerminators=*/true,
                      /*printEmptyBlock=*/false);
}

/// Bytes at which a caller's or the arena's memory can be asked to start.
static LogicalResult verifyAlignment(Operation *op, int64_t alignment) {
  if (alignment <= 0 || !llvm::isPowerOf2_64(alignment)) {
    return op->emitOpError("expects an alignment that is a power of two, got ")
           << alignment;
  }
  return success();
}

/// An output updated in place is of its input's type.
static LogicalResult verifyInPlace(FunctionOp op, TensorSpecAttr spec,
                                   StringRef what) {
  IntegerAttr index = spec.getInPlace();
  if (!index) {
    return success();
  }
  if (what == "input") {
    return op.emitOpError("expects in_place of outputs only, got it of input '")
           << spec.getName().getValue() << "'";
  }
  int64_t count = op.getInputs().size();
  if (index.getInt() < 0 || index.getInt() >= count) {
    return op.emitOpError("expects in_place of output '")
           << spec.getName().getValue() << "' to be one of " << count
           << " inputs, got " << index.getInt();
  }
  auto input = cast<TensorSpecAttr>(op.getInputs()[index.getInt()]);
  if (input.getType() != spec.getType()) {
    return op.emitOpError("expects output '")
           << spec.getName().getValue() << "' in place of input '"
           << input.getName().getValue() << "' to be " << input.getType()
           << ", got " << spec.getType();
  }
  return success();
}

/// Each of the result axes has the dimension's size.
static LogicalResult verifyResultAxes(FunctionOp op, BucketDimAttr dim) {
  DenseI64ArrayAttr axes = dim.getResultAxes();
  if (!axes) {
    return success();
  }
  if (axes.size() != int64_t(op.getOutputs().size())) {
    return op.emitOpError("expects an axis of ")
           << dim.getName() << " for each of " << op.getOutputs().size()
           << " outputs, got " << axes.size();
  }
  for (auto [axis, output] :
       llvm::zip_equal(axes.asArrayRef(), op.getOutputs())) {
    auto type = cast<TensorSpecAttr>(output).getType();
    if (axis < -1 || axis >= type.getRank() ||
        (axis >= 0 && type.getDimSize(axis) != dim.getSize())) {
      return op.emitOpError("expects axis ")
             << axis << " of an output to have the " << dim.getSize()
             << " elements of " << dim.getName();
    }
  }
  return success();
}

/// One for each input: a number of its element type, or unit.
static LogicalResult verifyFills(FunctionOp op) {
  ArrayAttr fills = op.getBucketAttr().getFills();
  if (!fills) {
    return success();
  }
  if (fills.size() != op.getInputs().size()) {
    return op.emitOpError("expects a fill or unit for each of ")
           << op.getInputs().size() << " inputs, got " << fills.size();
  }
  for (auto [fill, input] : llvm::zip_equal(fills, op.getInputs())) {
    Type type = cast<TensorSpecAttr>(input).getType().getElementType();
    bool isNumber = isa<IntegerAttr, FloatAttr>(fill) &&
                    cast<TypedAttr>(fill).getType() == type;
    if (!isNumber && !isa<UnitAttr>(fill)) {
      return op.emitOpError("expects a fill of ") << type << ", got " << fill;
    }
  }
  return success();
}

/// Each dimension has its size at each of its places.
static LogicalResult verifyBucket(FunctionOp op) {
  if (failed(verifyFills(op))) {
    return failure();
  }
  for (Attribute attribute : op.getBucketAttr().getDims()) {
    auto dim = dyn_cast<BucketDimAttr>(attribute);
    if (!dim) {
      return op.emitOpError("expects #plan.bucket_dim in its bucket, got ")
             << attribute;
    }
    ArrayRef<int64_t> places = dim.getPlaces();
    if (places.empty() || places.size() % 2 != 0) {
      return op.emitOpError("expects pairs of an input and an axis for ")
             << dim.getName();
    }
    if (failed(verifyResultAxes(op, dim))) {
      return failure();
    }
    for (; !places.empty(); places = places.drop_front(2)) {
      int64_t input = places[0], axis = places[1];
      bool exists = input >= 0 && input < int64_t(op.getInputs().size());
      auto type = exists ? cast<TensorSpecAttr>(op.getInputs()[input]).getType()
                         : RankedTensorType();
      if (!type || axis < 0 || axis >= type.getRank() ||
          type.getDimSize(axis) != dim.getSize()) {
        return op.emitOpError("expects axis ")
               << axis << " of input " << input << " to have the "
               << dim.getSize() << " elements of " << dim.getName();
      }
    }
  }
  return success();
}

LogicalResult FunctionOp::verify() {
  for (auto [what, specs] :
       {std::pair("input", getInputs()), std::pair("output", getOutputs())}) {
    llvm::SmallDenseSet<StringAttr> names;
    for (auto [index, attribute] : llvm::enumerate(specs)) {
      auto spec = dyn_cast<TensorSpecAttr>(attribute);
      if (!spec) {
        return emitOpError("expects a #plan.tensor_spec for ")
               << what << ' ' << index << ", got " << attribute;
      }
      if (!spec.getType().hasStaticShape() || spec.getType().getEncoding()) {
        return emitOpError("expects a dense tensor of static shape for ")
               << what << " '" << spec.getName().getValue() << "', got "
               << spec.getType();
      }
      if (failed(verifyInPlace(*this, spec, what))) {
        return failure();
      }
      if (!names.insert(spec.getName()).second) {
        return emitOpError("expects ")
               << what << " names that differ, got '"
               << spec.getName().getValue() << "' twice";
      }
      if (failed(verifyAlignment(*this, spec.getAlignment()))) {
        return failure();
      }
    }
  }
  if (int64_t(getFlops()) < 0) {
    return emitOpError("expects flops of 0 or more, got ")
           << int64_t(getFlops());
  }
  if (getBucketAttr() && failed(verifyBucket(*this))) {
    return failure();
  }
  for (Operation &op : getBody().front()) {
    if (!isa<VariantOp>(op)) {
      return op.emitOpError("is not allowed in a plan.function");
    }
  }
  return success();
}

LogicalResult VariantOp::verify() {
  if (int64_t(getThreads()) < 1) {
    return emitOpError("expects 1 thread or more, got ")
           << int64_t(getThreads());
  }
  auto arena = getArenaBytes();
  if (arena && (int64_t(*arena) < 0 || *arena % 64 != 0)) {
    return emitOpError("expects arena_bytes that are a multiple of 64, got ")
           << int64_t(*arena);
  }
  int64_t zeroed = getZeroedBytes().value_or(0);
  auto isWord = [&](int64_t offset) {
    return offset >= 0 && offset % 4 == 0 && offset <= zeroed - 4;
  };
  if (auto status = getStatus(); status && !isWord(int64_t(*status))) {
    return emitOpError("expects a status word at a multiple of 4 within ")
           << zeroed << " zeroed bytes, got " << int64_t(*status);
  }
  auto words =
      getSizes() ? getSizes()->getAsRange<SizeWordAttr>()
                 : ArrayAttr::get(getContext(), {}).getAsRange<SizeWordAttr>();
  for (SizeWordAttr word : words) {
    if (!isWord(word.getOffset())) {
      return emitOpError("expects a word of a size at a multiple of 4 within ")
             << zeroed << " zeroed bytes, got " << word.getOffset();
    }
  }
  return success();
}

LogicalResult ConstantOp::verify() {
  auto type = dyn_cast<RankedTensorType>(getType());
  if (!type || !type.hasStaticShape()) {
    return emitOpError("expects a tensor of static shape, got ") << getType();
  }
  if (getValueAttr() &&
      getValueAttr().getType() != kernel::withoutLayout(type)) {
    return emitOpError("expects a dense value of type ")
           << kernel::withoutLayout(type) << ", got "
           << getValueAttr().getType();
  }
  return success();
}

LogicalResult KernelOp::verify() {
  Block &body = getBody().front();
  if (!llvm::hasSingleElement(body) ||
      !isa<kernel::FusionOp, kernel::RelayoutOp>(body.front())) {
    return emitOpError("expects one kernel.fusion or kernel.relayout in it");
  }
  if (auto fusion = dyn_cast<kernel::FusionOp>(body.front());
      fusion && !fusion.getImpl()) {
    return emitOpError("expects a kernel.fusion with impl in it");
  }
  if (getEntries().empty()) {
    return emitOpError("expects one entry or more, got none");
  }
  return success();
}

LogicalResult BinaryOp::verify() {
  if (!llvm::is_contained({"elf_shared_object", "cubin", "ptx"}, getKind())) {
    return emitOpError("expects the kind elf_shared_object, cubin or ptx, got ")
           << getKind();
  }
  if (!getData().getElementType().isInteger(8)) {
    return emitOpError("expects data of i8, got ")
           << getData().getElementType();
  }
  return success();
}

void LaunchOp::build(OpBuilder &builder, OperationState &state,
                     StringAttr entry, ArrayRef<int64_t> grid,
                     ValueRange addresses, ArrayRef<Attribute> access,
                     StringAttr label, Value scratch, int64_t scratchBytes) {
  build(builder, state, entry, builder.getDenseI64ArrayAttr(grid), addresses,
        builder.getArrayAttr(access), builder.getDenseI64ArrayAttr({}), scratch,
        builder.getI64IntegerAttr(scratchBytes), /*binary=*/FlatSymbolRefAttr(),
        /*block=*/builder.getDenseI64ArrayAttr({}),
        /*cluster=*/builder.getDenseI64ArrayAttr({}),
        /*shared_bytes=*/builder.getI64IntegerAttr(0),
        /*programmatic=*/UnitAttr(), /*tensor_maps=*/ArrayAttr(), label,
        /*depends=*/DenseI32ArrayAttr());
}

LogicalResult BufferOp::verify() {
  if (int64_t(getBytes()) < 0) {
    return emitOpError("expects 0 bytes or more, got ") << int64_t(getBytes());
  }
  if (failed(verifyAlignment(*this, getAlignment()))) {
    return failure();
  }
  if (auto offset = getOffset();
      offset && (int64_t(*offset) < 0 || *offset % getAlignment() != 0)) {
    return emitOpError("expects an offset that is a multiple of ")
           << getAlignment() << ", got " << int64_t(*offset);
  }
  if (getStatus() && !getZeroed()) {
    return emitOpError("expects a status word to be zeroed");
  }
  if (getSizeOf() && (!getZeroed() || getStatus() || getBytes() != 4)) {
    return emitOpError("expects a word of a size to be 4 zeroed bytes and no "
                       "status word");
  }
  return success();
}

LogicalResult ViewOp::verify() {
  if (int64_t(getOffset()) < 0) {
    return emitOpError("expects an offset of 0 or more, got ")
           << int64_t(getOffset());
  }
  return success();
}

template <typename Op> static LogicalResult verifyIndex(Op op) {
  if (int64_t(op.getIndex()) < 0) {
    return op.emitOpError("expects an index of 0 or more, got ")
           << int64_t(op.getIndex());
  }
  return success();
}
LogicalResult InputOp::verify() { return verifyIndex(*this); }
LogicalResult OutputOp::verify() { return verifyIndex(*this); }

} // namespace minic::plan

#define GET_OP_CLASSES
#include "dialects/plan/PlanOps.cpp.inc"
