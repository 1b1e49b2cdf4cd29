// SPDX-License-Identifier: Apache-2.0
//
// Operands, post-ops and packing, common to all oneDNN primitives.

#include "runtime/device/cpu/OnednnBuilder.h"

#include "runtime/base/Log.h"
#include "runtime/base/Tensor.h"

#include "absl/strings/str_cat.h"

#include <cstring>

namespace minic::runtime {

#define RETURN_IF_ERROR(expression)                                            \
  if (absl::Status status = (expression); !status.ok()) {                      \
    return status;                                                             \
  }

absl::Status checkOnednn(dnnl_status_t status, const char *what) {
  switch (status) {
  case dnnl_success:
    return absl::OkStatus();
  case dnnl_unimplemented:
    return absl::UnimplementedError(
        absl::StrCat("oneDNN cannot ", what, " on this machine"));
  case dnnl_out_of_memory:
    return absl::ResourceExhaustedError(
        absl::StrCat("oneDNN has no memory to ", what));
  default:
    return absl::InternalError(
        absl::StrCat("oneDNN fails to ", what, ": status ", int(status)));
  }
}

static absl::StatusOr<dnnl_data_type_t> dataType(DType dtype) {
  switch (dtype) {
  case DType::f32:
    return dnnl_f32;
  case DType::bf16:
    return dnnl_bf16;
  case DType::i32:
    return dnnl_s32;
  case DType::i8:
    return dnnl_s8;
  case DType::u8:
    return dnnl_u8;
  case DType::f16: // oneDNN 2 has it for GPUs only
  case DType::i1:
  case DType::i64:
    break;
  }
  return absl::UnimplementedError(
      absl::StrCat("oneDNN on ", toString(dtype), " is not supported"));
}

static dnnl_alg_kind_t algorithm(format::EltwiseKind kind) {
  switch (kind) {
  case format::EltwiseKind::relu:
  case format::EltwiseKind::leaky_relu:
    return dnnl_eltwise_relu;
  case format::EltwiseKind::tanh:
    return dnnl_eltwise_tanh;
  case format::EltwiseKind::sigmoid:
    return dnnl_eltwise_logistic;
  case format::EltwiseKind::gelu_erf:
    return dnnl_eltwise_gelu_erf;
  case format::EltwiseKind::gelu_tanh:
    return dnnl_eltwise_gelu_tanh;
  case format::EltwiseKind::silu:
    return dnnl_eltwise_swish;
  case format::EltwiseKind::hard_swish:
    return dnnl_eltwise_hardswish;
  case format::EltwiseKind::clamp:
    return dnnl_eltwise_clip;
  case format::EltwiseKind::exp:
    return dnnl_eltwise_exp;
  case format::EltwiseKind::abs:
    return dnnl_eltwise_abs;
  case format::EltwiseKind::sqrt:
    return dnnl_eltwise_sqrt;
  case format::EltwiseKind::log:
    return dnnl_eltwise_log;
  case format::EltwiseKind::linear:
    return dnnl_eltwise_linear;
  }
  return dnnl_alg_kind_undef;
}

static dnnl_alg_kind_t algorithm(format::BinaryKindPostOp kind) {
  switch (kind) {
  case format::BinaryKindPostOp::add:
    return dnnl_binary_add;
  case format::BinaryKindPostOp::sub:
    return dnnl_binary_sub;
  case format::BinaryKindPostOp::mul:
    return dnnl_binary_mul;
  case format::BinaryKindPostOp::div:
    return dnnl_binary_div;
  case format::BinaryKindPostOp::max:
    return dnnl_binary_max;
  case format::BinaryKindPostOp::min:
    return dnnl_binary_min;
  }
  return dnnl_alg_kind_undef;
}

/// Appends oneDNN's form of an elementwise function of the plan.
static dnnl_status_t appendEltwise(const OnednnLibrary &library,
                                   dnnl_post_ops_t ops,
                                   const format::EltwisePostOp &op) {
  float alpha = op.alpha(), beta = op.beta();
  if (op.kind() == format::EltwiseKind::relu) {
    alpha = 0; // oneDNN's relu is the leaky one
  } else if (op.kind() == format::EltwiseKind::silu) {
    alpha = 1; // oneDNN's swish is x * sigmoid(alpha * x)
  }
  return library.dnnl_post_ops_append_eltwise(ops, 1.0f, algorithm(op.kind()),
                                              alpha, beta);
}

absl::StatusOr<OnednnBuilder>
OnednnBuilder::open(const OnednnOptions &options) {
  absl::StatusOr<const OnednnLibrary *> library = OnednnLibrary::open();
  if (!library.ok()) {
    return library.status();
  }
  absl::StatusOr<const Libgomp *> gomp = Libgomp::open();
  if (!gomp.ok()) {
    return gomp.status();
  }
  if (!options.plannedVersion.empty() &&
      options.plannedVersion != (*library)->version) {
    std::string message =
        absl::StrCat("the plan was made with oneDNN ", options.plannedVersion,
                     ", this machine has ", (*library)->version);
    if (options.strictVersion) {
      return absl::FailedPreconditionError(message);
    }
    logWarning(message);
  }
  return OnednnBuilder(
      options, std::unique_ptr<OnednnPrimitive>(
                   new OnednnPrimitive(**library, **gomp, options.threads)));
}

absl::StatusOr<dnnl_memory_desc_t>
OnednnBuilder::describe(const format::TensorView &view) {
  absl::StatusOr<dnnl_data_type_t> type = dataType(view.dtype());
  if (!type.ok()) {
    return type.status();
  }
  dnnl_memory_desc_t descriptor;
  RETURN_IF_ERROR(
      checkOnednn(library().dnnl_memory_desc_init_by_strides(
                      &descriptor, view.dims()->size(), view.dims()->data(),
                      *type, view.strides()->data()),
                  "describe an operand"));
  return descriptor;
}

absl::Status OnednnBuilder::addOperand(int argument,
                                       const format::TensorView &view) {
  absl::StatusOr<dnnl_memory_desc_t> descriptor = describe(view);
  return descriptor.ok() ? addOperand(argument, *descriptor, view)
                         : descriptor.status();
}

absl::Status OnednnBuilder::addOperand(int argument,
                                       const dnnl_memory_desc_t &descriptor,
                                       const format::TensorView &view) {
  primitive_->operands_.push_back(
      {argument, descriptor, view.address(), nullptr});
  return absl::OkStatus();
}

absl::StatusOr<dnnl_memory_desc_t> OnednnBuilder::anyLayout(size_t operand) {
  const dnnl_memory_desc_t &dense = descriptor(operand);
  dnnl_memory_desc_t any;
  RETURN_IF_ERROR(checkOnednn(
      library().dnnl_memory_desc_init_by_tag(
          &any, dense.ndims, dense.dims, dense.data_type, dnnl_format_tag_any),
      "describe packed weights"));
  return any;
}

absl::Status OnednnBuilder::addPostOps(const format::Call &call) {
  primitive_->plannedScratch_ = call.scratch();
  primitive_->plannedScratchBytes_ = call.scratch_bytes();
  const auto *entries = call.epilogue();
  const OnednnLibrary &dnnl = library();
  dnnl_post_ops_t postOps;
  RETURN_IF_ERROR(
      checkOnednn(dnnl.dnnl_post_ops_create(&postOps), "fuse post-ops"));
  OnednnHandle<dnnl_post_ops_t> ownPostOps(postOps, dnnl.dnnl_post_ops_destroy);
  uint32_t count = entries ? entries->size() : 0;
  for (uint32_t i = 0; i < count; ++i) {
    const format::PostOpEntry *entry = entries->Get(i);
    if (const auto *eltwise = entry->post_op_as_EltwisePostOp()) {
      RETURN_IF_ERROR(checkOnednn(appendEltwise(dnnl, postOps, *eltwise),
                                  "fuse a post-op"));
      continue;
    }
    const auto *binary = entry->post_op_as_BinaryPostOp();
    RETURN_IF_ERROR(
        addOperand(DNNL_ARG_ATTR_MULTIPLE_POST_OP(i) | DNNL_ARG_SRC_1,
                   *binary->operand()));
    RETURN_IF_ERROR(checkOnednn(dnnl.dnnl_post_ops_append_binary(
                                    postOps, algorithm(binary->kind()),
                                    &primitive_->operands_.back().descriptor),
                                "fuse a post-op"));
  }
  dnnl_primitive_attr_t attributes;
  RETURN_IF_ERROR(checkOnednn(dnnl.dnnl_primitive_attr_create(&attributes),
                              "set attributes"));
  attributes_ = {attributes, dnnl.dnnl_primitive_attr_destroy};
  RETURN_IF_ERROR(checkOnednn(dnnl.dnnl_primitive_attr_set_scratchpad_mode(
                                  attributes, dnnl_scratchpad_mode_user),
                              "set attributes"));
  RETURN_IF_ERROR(
      checkOnednn(dnnl.dnnl_primitive_attr_set_post_ops(attributes, postOps),
                  "set attributes"));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<OnednnPrimitive>>
OnednnBuilder::finish(const void *descriptor,
                      const format::TensorView *packedWeights,
                      const char *broken) {
  const OnednnLibrary &dnnl = library();
  MaxThreads limit(primitive_->gomp_, primitive_->threads_);
  dnnl_primitive_desc_t primitiveDesc;
  RETURN_IF_ERROR(checkOnednn(
      dnnl.dnnl_primitive_desc_create(&primitiveDesc, descriptor,
                                      attributes_.get(), dnnl.engine, nullptr),
      "do this"));
  OnednnHandle<dnnl_primitive_desc_t> ownPrimitiveDesc(
      primitiveDesc, dnnl.dnnl_primitive_desc_destroy);
  const char *name = "";
  if (broken &&
      dnnl.dnnl_primitive_desc_query(primitiveDesc, dnnl_query_impl_info_str, 0,
                                     &name) == dnnl_success &&
      std::strstr(name, broken)) {
    return absl::UnimplementedError(
        absl::StrCat("oneDNN would use its implementation ", name,
                     ", which computes wrong results"));
  }
  dnnl_primitive_t primitive;
  RETURN_IF_ERROR(checkOnednn(
      dnnl.dnnl_primitive_create(&primitive, primitiveDesc), "make this"));
  primitive_->primitive_ = {primitive, dnnl.dnnl_primitive_destroy};
  primitive_->scratch_ = *dnnl.dnnl_primitive_desc_query_md(
      primitiveDesc, dnnl_query_scratchpad_md, 0);
  primitive_->scratchBytes_ =
      dnnl.dnnl_memory_desc_get_size(&primitive_->scratch_);
  if (packedWeights) {
    const format::Address &address = *packedWeights->address();
    RETURN_IF_ERROR(
        pack(*dnnl.dnnl_primitive_desc_query_md(primitiveDesc,
                                                dnnl_query_weights_md, 0),
             options_->constants[address.index()] + address.offset()));
  }
  return std::move(primitive_);
}

absl::Status OnednnBuilder::pack(const dnnl_memory_desc_t &to,
                                 const std::byte *data) {
  const OnednnLibrary &dnnl = library();
  const dnnl_memory_desc_t from = descriptor(1);
  if (dnnl.dnnl_memory_desc_equal(&from, &to)) {
    return absl::OkStatus(); // as the constant is
  }
  absl::StatusOr<AlignedBuffer> packed =
      AlignedBuffer::create(dnnl.dnnl_memory_desc_get_size(&to));
  if (!packed.ok()) {
    return packed.status();
  }
  dnnl_primitive_desc_t primitiveDesc;
  RETURN_IF_ERROR(checkOnednn(
      dnnl.dnnl_reorder_primitive_desc_create(
          &primitiveDesc, &from, dnnl.engine, &to, dnnl.engine, nullptr),
      "pack weights"));
  OnednnHandle<dnnl_primitive_desc_t> ownPrimitiveDesc(
      primitiveDesc, dnnl.dnnl_primitive_desc_destroy);
  dnnl_primitive_t primitive;
  RETURN_IF_ERROR(checkOnednn(
      dnnl.dnnl_primitive_create(&primitive, primitiveDesc), "pack weights"));
  OnednnHandle<dnnl_primitive_t> ownPrimitive(primitive,
                                              dnnl.dnnl_primitive_destroy);
  dnnl_memory_t source, destination;
  // oneDNN only reads its source; its interface does not say so.
  RETURN_IF_ERROR(
      checkOnednn(dnnl.dnnl_memory_create(&source, &from, dnnl.engine,
                                          const_cast<std::byte *>(data)),
                  "pack weights"));
  OnednnHandle<dnnl_memory_t> ownSource(source, dnnl.dnnl_memory_destroy);
  RETURN_IF_ERROR(checkOnednn(
      dnnl.dnnl_memory_create(&destination, &to, dnnl.engine, packed->data()),
      "pack weights"));
  OnednnHandle<dnnl_memory_t> ownDestination(destination,
                                             dnnl.dnnl_memory_destroy);
  dnnl_stream_t stream;
  RETURN_IF_ERROR(checkOnednn(
      dnnl.dnnl_stream_create(&stream, dnnl.engine, dnnl_stream_default_flags),
      "make a stream"));
  OnednnHandle<dnnl_stream_t> ownStream(stream, dnnl.dnnl_stream_destroy);
  dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, source},
                                 {DNNL_ARG_TO, destination}};
  RETURN_IF_ERROR(
      checkOnednn(dnnl.dnnl_primitive_execute(primitive, stream, 2, arguments),
                  "pack weights"));
  primitive_->packedWeights_ = std::move(*packed);
  primitive_->operands_[1].descriptor = to;
  primitive_->operands_[1].data = primitive_->packedWeights_.data();
  return absl::OkStatus();
}

} // namespace minic::runtime
