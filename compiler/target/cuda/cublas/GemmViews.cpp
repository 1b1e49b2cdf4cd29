// SPDX-License-Identifier: Apache-2.0
//
// Padding, and strides of operands that are padded.

#include "compiler/target/cuda/cublas/GemmViews.h"

#include "compiler/target/cuda/LaunchTime.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cuda {

using kernel::FusionOp;
using kernel::FusionShape;
using kernel::GemmShape;
using kernel::LayoutAttr;

// What vector accesses and TMA want of pitches.
static constexpr int64_t kPitchBytes = 16;
// A line of L2.
static constexpr int64_t kLineBytes = 128;
// From here on the rest of a last line is little of a row.
static constexpr int64_t kLongRowBytes = 1024;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// GemmPadding
//===----------------------------------------------------------------------===//

/// Elements of a row with its zeros. What is copied anyway gets rows of whole
/// lines: a tile's part of a row is 128 bytes, in one line then and not in two.
static int64_t padRow(int64_t elements, int64_t elementBytes) {
  int64_t bytes = elements * elementBytes;
  if (bytes % kPitchBytes == 0) {
    return elements;
  }
  int64_t unit = bytes < kLongRowBytes ? kPitchBytes : kLineBytes;
  return llvm::alignTo(bytes, unit) / elementBytes;
}

/// `argument` padded: its last dimension as padRow says, and K, whichever of
/// the last two it is, to `paddedK`. Null where that is dense.
static LayoutAttr pad(Value argument, bool kIsLast, int64_t paddedK) {
  RankedTensorType type = typeOf(argument);
  auto padded = llvm::to_vector(type.getShape());
  size_t rank = padded.size();
  padded[rank - 1] =
      padRow(padded[rank - 1], kernel::getElementBytes(type.getElementType()));
  if (!kIsLast) {
    padded[rank - 2] = paddedK;
  }
  if (ArrayRef<int64_t>(padded) == type.getShape()) {
    return {};
  }
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  return LayoutAttr::get(type.getContext(), order, {}, {}, padded);
}

FailureOr<GemmPadding> GemmPadding::get(const FusionShape &shape) {
  const GemmShape &gemm = *shape.gemm;
  int64_t elementBytes = kernel::getElementBytes(gemm.lhsType);
  // Below that a row would be mostly zeros.
  if (gemm.k * elementBytes < kPitchBytes || gemm.lhs == gemm.rhs) {
    return failure();
  }
  int64_t paddedK = padRow(gemm.k, elementBytes);
  GemmPadding padding;
  padding.lhs = pad(gemm.lhs, gemm.lhsStrideK == 1, paddedK);
  padding.rhs = pad(gemm.rhs, gemm.rhsStrideK == 1, paddedK);
  if ((!padding.lhs && !padding.rhs) ||
      (padding.lhs && !gemm.lhs.hasOneUse()) ||
      (padding.rhs && !gemm.rhs.hasOneUse())) {
    return failure();
  }
  return padding;
}

//===----------------------------------------------------------------------===//
// What libraries take, and how long
//===----------------------------------------------------------------------===//

std::optional<std::string> rejectProduct(const FusionShape &shape) {
  if (!shape.gemm) {
    return "no contraction";
  }
  const GemmShape &gemm = *shape.gemm;
  if (!shape.prologue.empty()) {
    return "ops before the contraction";
  }
  if (gemm.lhsType != gemm.rhsType ||
      !(gemm.lhsType.isF32() || gemm.lhsType.isF16() ||
        gemm.lhsType.isBF16())) {
    return "cuBLAS takes no such operand dtypes";
  }
  if (gemm.batchCount() * gemm.m * gemm.n * gemm.k == 0) {
    return "empty contraction";
  }
  // Both count batches by one stride.
  auto isOneStride = [&](ArrayRef<int64_t> strides) {
    int64_t stride = 0, inside = 1;
    for (size_t i = strides.size(); i-- > 0;) {
      if (gemm.batch[i] == 1) {
        continue;
      }
      if (inside != 1 && strides[i] != stride * inside) {
        return false;
      }
      stride = inside == 1 ? strides[i] : stride;
      inside *= gemm.batch[i];
    }
    return true;
  };
  if (!isOneStride(gemm.lhsBatchStrides) ||
      !isOneStride(gemm.rhsBatchStrides)) {
    return "batch dimensions that broadcast against each other";
  }
  return std::nullopt;
}

/// How much of a library's rate is left where rows lie `bytes` apart. On an
/// H200 8 left a quarter to 0.3 (2048x1280x3420 in bf16 against K padded to
/// 3424 or 3456). Of rows of an odd number of 16-bit elements less than an
/// eighth is left: eager execution took 72 us for a linear and relu of about
/// 800x1100x2700. Single elements are nothing to kernels of IEEE f32.
static double reachedOfPitch(int64_t bytes, bool isF32) {
  return bytes % 16 == 0 ? 1 : bytes % 8 == 0 || isF32 ? 0.3 : 0.12;
}

/// The same of a contraction's operands and result. Where rows of the result
/// are unaligned, cuBLASLt with an epilogue is slower than cuBLAS and kernels
/// for the rest: 184 us where eager execution took those 72.
static double reachedOfPitches(const FusionShape &shape, bool isPadded) {
  const GemmShape &gemm = *shape.gemm;
  bool isF32 = gemm.lhsType.isF32();
  int64_t elementBytes = kernel::getElementBytes(gemm.lhsType);
  double reached = 1;
  if (!isPadded && succeeded(GemmPadding::get(shape))) {
    auto ofOperand = [&](int64_t strideK, int64_t strideOther) {
      int64_t pitch = strideK == 1 ? strideOther : strideK;
      return reachedOfPitch(elementBytes * pitch, isF32);
    };
    reached = std::min(ofOperand(gemm.lhsStrideK, gemm.lhsStrideM),
                       ofOperand(gemm.rhsStrideK, gemm.rhsStrideN));
  }
  Type result = getElementTypeOrSelf(shape.results[0].getType());
  int64_t resultPitch = gemm.n * kernel::getElementBytes(result);
  if (!isF32 && gemm.m > 1 && resultPitch % 16 != 0) {
    reached = std::min(reached, reachedOfPitch(resultPitch, isF32)) *
              (shape.epilogue.empty() ? 1 : 0.4);
  }
  return reached;
}

double estimateProductUs(const FusionShape &shape, const DeviceProfile &profile,
                         bool isPadded) {
  const GemmShape &gemm = *shape.gemm;
  bool isF32 = gemm.lhsType.isF32();
  double peak = profile.productGflops(isF32);
  // Tiles of 128 x 128 elements (64 x 64 for f32, and where there are few) on
  // so many processors; what is left of the last wave is idle.
  double batch = double(gemm.batchCount());
  auto tiles = [&](int64_t edge) {
    return batch * double(llvm::divideCeil(gemm.m, edge)) *
           double(llvm::divideCeil(gemm.n, edge));
  };
  double sms = std::max(1, profile.smCount);
  int64_t edge = isF32 || tiles(128) < sms ? 64 : 128;
  double waves = std::ceil(tiles(edge) / sms);
  double tileFlops = 2.0 * double(edge * edge) * double(gemm.k);
  // Of the peak on an H200.
  double reached = 0.7 * reachedOfPitches(shape, isPadded);
  double computeUs =
      peak > 0 ? waves * tileFlops / (reached * peak / sms) * 1e-3 : 0;
  double elementBytes = double(kernel::getElementBytes(gemm.lhsType));
  double bytes =
      batch * elementBytes *
      (double(gemm.m) * double(gemm.k) + double(gemm.k) * double(gemm.n) +
       double(gemm.m) * double(gemm.n));
  double memoryUs =
      profile.memoryGBs > 0 ? bytes / profile.memoryGBs * 1e-3 : 0;
  return std::max(computeUs, memoryUs) + launchUs;
}

/// Whether `tensor`, an operand of a fusion or of a part of one, is a constant.
static bool isConstant(Value tensor) {
  while (auto argument = dyn_cast<BlockArgument>(tensor)) {
    auto fusion = dyn_cast<FusionOp>(argument.getOwner()->getParentOp());
    if (!fusion) {
      return false;
    }
    tensor = fusion.getInputs()[argument.getArgNumber()];
  }
  return bool(tensor.getDefiningOp<graph::ConstantOp>());
}

double estimatePaddingUs(FusionOp fusion, const FusionShape &shape,
                         const GemmPadding &padding,
                         const DeviceProfile &profile) {
  double us = 0;
  auto add = [&](Value argument, LayoutAttr layout) {
    auto number = cast<BlockArgument>(argument).getArgNumber();
    if (!layout || isConstant(fusion.getInputs()[number])) {
      return;
    }
    us += estimateCopyUs(double(kernel::getBytes(typeOf(argument))), profile);
  };
  add(shape.gemm->lhs, padding.lhs);
  add(shape.gemm->rhs, padding.rhs);
  return us;
}

//===----------------------------------------------------------------------===//
// ProductWriter
//===----------------------------------------------------------------------===//

int64_t ProductWriter::read(Value argument) {
  Value tensor = call.outer(argument);
  return call.address(call.planBuilder().addressOf(tensor), plan::Access::Read);
}

plan::TensorViewAttr ProductWriter::matrix(Value argument,
                                           ArrayRef<int64_t> batchStrides,
                                           int64_t rows, int64_t columns,
                                           int64_t rowStride,
                                           int64_t columnStride) {
  RankedTensorType type = typeOf(call.outer(argument));
  ArrayRef<int64_t> shape = type.getShape();
  LayoutAttr layout = kernel::getLayout(type);
  ArrayRef<int64_t> padded = layout ? layout.getPadded() : shape;
  // Strides are the dense operand's: of an element, of a row, or of matrices.
  int64_t denseRow = shape.back(), paddedRow = padded.back();
  int64_t denseMatrix = denseRow, paddedMatrix = paddedRow;
  if (shape.size() > 1) {
    denseMatrix *= shape[shape.size() - 2];
    paddedMatrix *= padded[shape.size() - 2];
  }
  auto inMemory = [&](int64_t stride) {
    if (!layout || stride <= 1) {
      return stride;
    }
    return stride == denseRow ? paddedRow : stride / denseMatrix * paddedMatrix;
  };
  SmallVector<int64_t> dims, strides;
  for (auto [dim, stride] :
       llvm::zip_equal(this->shape.gemm->batch, batchStrides)) {
    // An extent of 1 where the operand broadcasts.
    dims.push_back(stride == 0 ? 1 : dim);
    strides.push_back(stride == 0 ? paddedMatrix : inMemory(stride));
  }
  dims.append({rows, columns});
  strides.append({inMemory(rowStride), inMemory(columnStride)});
  return call.view(read(argument), type.getElementType(), dims, strides);
}

/// K in memory, zeros included: what both operands have where one is padded.
static int64_t kInMemory(const FusionShape &shape, FusionOp fusion) {
  const GemmShape &gemm = *shape.gemm;
  auto extent = [&](Value argument, bool kIsLast) {
    auto number = cast<BlockArgument>(argument).getArgNumber();
    LayoutAttr layout = kernel::getLayout(typeOf(fusion.getInputs()[number]));
    if (!layout) {
      return gemm.k;
    }
    ArrayRef<int64_t> padded = layout.getPadded();
    return kIsLast ? padded.back() : padded[padded.size() - 2];
  };
  return std::min(extent(gemm.lhs, gemm.lhsStrideK == 1),
                  extent(gemm.rhs, gemm.rhsStrideK == 1));
}

void ProductWriter::factors() {
  const GemmShape &gemm = *shape.gemm;
  int64_t k = kInMemory(shape, fusion);
  call.operand("lhs", matrix(gemm.lhs, gemm.lhsBatchStrides, gemm.m, k,
                             gemm.lhsStrideM, gemm.lhsStrideK));
  call.operand("rhs", matrix(gemm.rhs, gemm.rhsBatchStrides, k, gemm.n,
                             gemm.rhsStrideK, gemm.rhsStrideN));
}

void ProductWriter::columns(StringRef role, Value argument) {
  call.operand(role, call.view(read(argument),
                               getElementTypeOrSelf(argument.getType()),
                               {shape.gemm->n}, {1}));
}

plan::TensorViewAttr ProductWriter::dense(int64_t address, Type dtype) {
  const GemmShape &gemm = *shape.gemm;
  SmallVector<int64_t> dims(gemm.batch);
  dims.append({gemm.m, gemm.n});
  SmallVector<int64_t> strides(dims.size(), 1);
  for (size_t i = dims.size() - 1; i-- > 0;) {
    strides[i] = strides[i + 1] * dims[i + 1];
  }
  return call.view(address, dtype, dims, strides);
}

void ProductWriter::full(StringRef role, Value argument) {
  call.operand(role,
               dense(read(argument), getElementTypeOrSelf(argument.getType())));
}

void ProductWriter::result(StringRef role, unsigned index) {
  Value value = fusion.getResult(index);
  int64_t address =
      call.address(call.planBuilder().addressOf(value), plan::Access::Write);
  call.operand(role, dense(address, getElementTypeOrSelf(value.getType())));
}

} // namespace minic::cuda
