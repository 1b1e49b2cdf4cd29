// SPDX-License-Identifier: Apache-2.0
//
// Matching, estimating and lowering of ops along rows.

#include "compiler/target/cpu/onednn/OnednnRows.h"

#include "compiler/target/cpu/onednn/OnednnCallWriter.h"
#include "dialects/graph/ConstantBytes.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::cpu {

using kernel::FusionOp;

namespace {

/// How oneDNN sees the input: neighbouring dimensions that are treated alike
/// are one, since its kernels are made for few.
struct Folded {
  SmallVector<int64_t> dims;
  SmallVector<bool> isReduced; // of each
};

Folded fold(ArrayRef<int64_t> dims, llvm::function_ref<bool(size_t)> reduces) {
  Folded folded;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (!folded.dims.empty() && folded.isReduced.back() == reduces(i)) {
      folded.dims.back() *= dim;
    } else {
      folded.dims.push_back(dim);
      folded.isReduced.push_back(reduces(i));
    }
  }
  return folded;
}

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The only op of the body, which this backend may take.
struct Match {
  Operation *op;
  Value input, scale, bias; // the latter two may be null
  Folded folded;

  Type storage() const { return getElementTypeOrSelf(input); }
};

} // namespace

static bool isRowOp(Operation *op) {
  return llvm::isa_and_nonnull<graph::SoftmaxOp, graph::LayerNormOp,
                               graph::ReduceOp>(op);
}

bool OnednnRows::isFor(Operation *anchor) const { return isRowOp(anchor); }

static Folded foldInput(Operation *op) {
  ArrayRef<int64_t> dims = typeOf(op->getOperand(0)).getShape();
  if (auto norm = dyn_cast<graph::LayerNormOp>(op)) {
    // oneDNN asks for two dimensions; a norm of all elements has one row.
    int64_t axis = norm.getAxis();
    return {{llvm::product_of(dims.take_front(axis)),
             llvm::product_of(dims.drop_front(axis))},
            {false, true}};
  }
  if (auto reduce = dyn_cast<graph::ReduceOp>(op)) {
    return fold(dims, [&](size_t i) {
      return llvm::is_contained(reduce.getAxes(), int64_t(i));
    });
  }
  int64_t axis = cast<graph::SoftmaxOp>(op).getAxis();
  return fold(dims, [&](size_t i) { return int64_t(i) == axis; });
}

static FailureOr<Match> match(FusionOp fusion, std::string &reason) {
  auto fail = [&](const char *why) {
    reason = why;
    return failure();
  };
  SmallVector<Operation *> body = fusion.getBodyOps();
  if (body.size() != 1 || !isRowOp(body[0])) {
    return fail("other ops beside the one along rows");
  }
  Match match{body[0], body[0]->getOperand(0), {}, {}, foldInput(body[0])};
  if (auto norm = dyn_cast<graph::LayerNormOp>(match.op)) {
    match.scale = norm.getScale();
    match.bias = norm.getBias();
  }
  Type type = match.storage();
  if (!type.isF32() && !type.isBF16()) {
    return fail("oneDNN 2.6.3 has f32 and bf16 alone");
  }
  if (isa<graph::SoftmaxOp>(match.op) && type.isBF16()) {
    // 3x32768 in bf16: 353 of 98304 elements beyond the bound.
    return fail("oneDNN 2.6.3 rounds exponentials to bf16 before it divides by "
                "their sum");
  }
  for (Value parameter : {match.scale, match.bias}) {
    if (parameter && !getElementTypeOrSelf(parameter).isF32()) {
      return fail("oneDNN 2.6.3 has scale and bias of f32 alone");
    }
  }
  if (typeOf(match.input).getNumElements() == 0) {
    return fail("no elements");
  }
  if (isa<graph::ReduceOp>(match.op) && match.folded.dims.back() == 1) {
    return fail("oneDNN refuses a reduction of one element");
  }
  if (!match.folded.isReduced.back() || match.folded.dims.size() > 2) {
    // 512x1000 over its first dimension takes 16 ms on a core of a Xeon with
    // AMX, and 0.17 ms by the family rows.
    return fail("oneDNN 2.6.3 has its reference alone for rows whose elements "
                "are not contiguous");
  }
  return match;
}

std::optional<std::string>
OnednnRows::reject(FusionOp fusion, const DeviceProfile &profile) const {
  if (!profile.onednnProblem.empty()) {
    return profile.onednnProblem;
  }
  std::string reason;
  auto matched = match(fusion, reason);
  if (failed(matched)) {
    return reason;
  }
  if (matched->storage().isBF16() && profile.onednnGflops16 == 0) {
    return noBf16.str();
  }
  return std::nullopt;
}

/// As many operations as take as long: on a Xeon with AMX, one thread and f32,
/// softmax takes 0.57 ns an element (1024x1024), layer_norm 0.25 (512x768), a
/// sum 0.29; a column less than a vector of 16 takes a vector's time.
static double flopsOf(const Match &match) {
  int64_t columns = match.folded.dims.back();
  double elements = double(typeOf(match.input).getNumElements()) /
                    double(columns) * double(llvm::alignTo(columns, 16));
  return elements * (isa<graph::SoftmaxOp>(match.op) ? 90 : 40);
}

std::vector<Implementation>
OnednnRows::enumerate(FusionOp fusion, const DeviceProfile &profile) const {
  std::string reason;
  auto matched = match(fusion, reason);
  Implementation implementation = onednnImplementation(
      fusion, name(), {.flops = failed(matched) ? 0 : flopsOf(*matched)},
      profile);
  // Without measuring, kernels of minic's own go first: one call puts a whole
  // plan on libgomp's threads.
  implementation.estimateUs *= 4;
  return {implementation};
}

std::string OnednnRows::opsThatLoseNan(FusionOp fusion) const {
  std::string reason;
  auto matched = match(fusion, reason);
  if (failed(matched)) {
    return {};
  }
  if (auto reduce = dyn_cast<graph::ReduceOp>(matched->op)) {
    bool loses = reduce.getKind() == graph::ReduceKind::Max ||
                 reduce.getKind() == graph::ReduceKind::Min;
    return loses ? graph::stringifyReduceKind(reduce.getKind()).str() : "";
  }
  return isa<graph::SoftmaxOp>(matched->op) ? "softmax" : "";
}

LogicalResult OnednnRows::lower(FusionOp fusion,
                                plan::PlanBuilder &plan) const {
  if (failed(checkNoSchedule(fusion, name()))) {
    return failure();
  }
  std::string reason;
  auto matched = match(fusion, reason);
  if (failed(matched)) {
    return fusion.emitError(name()) << " cannot implement this: " << reason;
  }
  const auto &[op, input, scale, bias, folded] = *matched;
  auto reduce = dyn_cast<graph::ReduceOp>(op);
  auto norm = dyn_cast<graph::LayerNormOp>(op);
  OnednnCallWriter call(fusion, plan,
                        reduce ? "reduction"
                        : norm ? "layer_norm"
                               : "softmax");
  Type storage = matched->storage();
  call.read("input", input, storage, folded.dims,
            graph::denseStrides(folded.dims));
  for (auto [role, value] : {std::pair<StringRef, Value>{"scale", scale},
                             std::pair<StringRef, Value>{"bias", bias}}) {
    if (value) {
      call.read(role, value, getElementTypeOrSelf(value), folded.dims.back(),
                {1});
    }
  }
  SmallVector<int64_t> resultDims = folded.dims;
  if (reduce) {
    for (auto [dim, isReduced] :
         llvm::zip_equal(resultDims, folded.isReduced)) {
      dim = isReduced ? 1 : dim;
    }
    call.set("kind", graph::stringifyReduceKind(reduce.getKind()));
  } else if (norm) {
    call.setNumber("epsilon", norm.getEpsilon().convertToDouble());
  } else {
    call.set("axis", int64_t(llvm::find(folded.isReduced, true) -
                             folded.isReduced.begin()));
  }
  call.result({resultDims, graph::denseStrides(resultDims)},
              getElementTypeOrSelf(op->getResult(0)));
  call.write(name());
  return success();
}

} // namespace minic::cpu
