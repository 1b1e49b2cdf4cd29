// SPDX-License-Identifier: Apache-2.0
//
// Translates the plan's descriptor into oneDNN's and runs it.

#include "runtime/device/cpu/OnednnMatmul.h"

#include "runtime/base/Log.h"
#include "runtime/base/Tensor.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace minic::runtime {

#define RETURN_IF_ERROR(expression)                                            \
  if (absl::Status status = (expression); !status.ok()) {                      \
    return status;                                                             \
  }

static absl::Status check(dnnl_status_t status, const char *what) {
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
  case DType::f16: // oneDNN 2 has it for GPUs only
  case DType::i1:
  case DType::i64:
    break;
  }
  return absl::UnimplementedError(
      absl::StrCat("oneDNN matmul of ", toString(dtype), " is not supported"));
}

static absl::StatusOr<dnnl_memory_desc_t>
describe(const OnednnLibrary &library, const format::TensorView &view) {
  absl::StatusOr<dnnl_data_type_t> type = dataType(view.dtype());
  if (!type.ok()) {
    return type.status();
  }
  dnnl_memory_desc_t descriptor;
  RETURN_IF_ERROR(check(library.dnnl_memory_desc_init_by_strides(
                            &descriptor, view.dims()->size(),
                            view.dims()->data(), *type, view.strides()->data()),
                        "describe a matmul operand"));
  return descriptor;
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

absl::Status OnednnMatmul::build(const format::OnednnMatmul &call,
                                 const Options &options) {
  const OnednnLibrary &dnnl = library_;
  auto operand = [&](int argument,
                     const format::TensorView &view) -> absl::Status {
    absl::StatusOr<dnnl_memory_desc_t> descriptor = describe(dnnl, view);
    if (descriptor.ok()) {
      operands_.push_back({argument, *descriptor, view.address(), nullptr});
    }
    return descriptor.status();
  };
  // In the order of oneDNN's descriptor: the first three are always there.
  RETURN_IF_ERROR(operand(DNNL_ARG_SRC, *call.lhs()));
  RETURN_IF_ERROR(operand(DNNL_ARG_WEIGHTS, *call.rhs()));
  RETURN_IF_ERROR(operand(DNNL_ARG_DST, *call.result()));
  if (call.bias()) {
    RETURN_IF_ERROR(operand(DNNL_ARG_BIAS, *call.bias()));
  }
  uint32_t rank = call.lhs()->dims()->size();
  bool noSum = call.lhs()->dims()->Get(rank - 1) == 0;
  if (noSum) {
    return absl::UnimplementedError(
        "oneDNN matmul over an inner dimension of 0 is not supported");
  }

  dnnl_post_ops_t postOps;
  RETURN_IF_ERROR(check(dnnl.dnnl_post_ops_create(&postOps), "fuse post-ops"));
  OnednnHandle<dnnl_post_ops_t> ownPostOps(postOps, dnnl.dnnl_post_ops_destroy);
  uint32_t count = call.post_ops() ? call.post_ops()->size() : 0;
  for (uint32_t i = 0; i < count; ++i) {
    const format::PostOpEntry *entry = call.post_ops()->Get(i);
    if (const auto *eltwise = entry->post_op_as_EltwisePostOp()) {
      RETURN_IF_ERROR(
          check(appendEltwise(dnnl, postOps, *eltwise), "fuse a post-op"));
      continue;
    }
    const auto *binary = entry->post_op_as_BinaryPostOp();
    RETURN_IF_ERROR(operand(DNNL_ARG_ATTR_MULTIPLE_POST_OP(i) | DNNL_ARG_SRC_1,
                            *binary->operand()));
    RETURN_IF_ERROR(check(
        dnnl.dnnl_post_ops_append_binary(postOps, algorithm(binary->kind()),
                                         &operands_.back().descriptor),
        "fuse a post-op"));
  }
  dnnl_primitive_attr_t attributes;
  RETURN_IF_ERROR(
      check(dnnl.dnnl_primitive_attr_create(&attributes), "set attributes"));
  OnednnHandle<dnnl_primitive_attr_t> ownAttributes(
      attributes, dnnl.dnnl_primitive_attr_destroy);
  RETURN_IF_ERROR(check(dnnl.dnnl_primitive_attr_set_scratchpad_mode(
                            attributes, dnnl_scratchpad_mode_user),
                        "set attributes"));
  RETURN_IF_ERROR(
      check(dnnl.dnnl_primitive_attr_set_post_ops(attributes, postOps),
            "set attributes"));

  dnnl_memory_desc_t rhs = operands_[1].descriptor;
  if (call.pack_rhs()) {
    RETURN_IF_ERROR(check(
        dnnl.dnnl_memory_desc_init_by_tag(&rhs, rhs.ndims, rhs.dims,
                                          rhs.data_type, dnnl_format_tag_any),
        "describe packed weights"));
  }
  dnnl_matmul_desc_t descriptor;
  RETURN_IF_ERROR(check(dnnl.dnnl_matmul_desc_init(
                            &descriptor, &operands_[0].descriptor, &rhs,
                            call.bias() ? &operands_[3].descriptor : nullptr,
                            &operands_[2].descriptor),
                        "describe this matmul"));
  MaxThreads limit(gomp_, threads_);
  dnnl_primitive_desc_t primitiveDesc;
  RETURN_IF_ERROR(
      check(dnnl.dnnl_primitive_desc_create(&primitiveDesc, &descriptor,
                                            attributes, dnnl.engine, nullptr),
            "do this matmul"));
  OnednnHandle<dnnl_primitive_desc_t> ownPrimitiveDesc(
      primitiveDesc, dnnl.dnnl_primitive_desc_destroy);
  dnnl_primitive_t primitive;
  RETURN_IF_ERROR(check(dnnl.dnnl_primitive_create(&primitive, primitiveDesc),
                        "make this matmul"));
  primitive_ = {primitive, dnnl.dnnl_primitive_destroy};
  scratch_ = *dnnl.dnnl_primitive_desc_query_md(primitiveDesc,
                                                dnnl_query_scratchpad_md, 0);
  scratchBytes_ = dnnl.dnnl_memory_desc_get_size(&scratch_);
  if (call.pack_rhs()) {
    return packRhs(operands_[1].descriptor,
                   *dnnl.dnnl_primitive_desc_query_md(primitiveDesc,
                                                      dnnl_query_weights_md, 0),
                   options.constants[call.rhs()->address()->index()] +
                       call.rhs()->address()->offset());
  }
  return absl::OkStatus();
}

absl::Status OnednnMatmul::packRhs(const dnnl_memory_desc_t &from,
                                   const dnnl_memory_desc_t &to,
                                   const std::byte *data) {
  const OnednnLibrary &dnnl = library_;
  if (dnnl.dnnl_memory_desc_equal(&from, &to)) {
    return absl::OkStatus(); // as the constant is
  }
  absl::StatusOr<AlignedBuffer> packed =
      AlignedBuffer::create(dnnl.dnnl_memory_desc_get_size(&to));
  if (!packed.ok()) {
    return packed.status();
  }
  dnnl_primitive_desc_t primitiveDesc;
  RETURN_IF_ERROR(
      check(dnnl.dnnl_reorder_primitive_desc_create(
                &primitiveDesc, &from, dnnl.engine, &to, dnnl.engine, nullptr),
            "pack weights"));
  OnednnHandle<dnnl_primitive_desc_t> ownPrimitiveDesc(
      primitiveDesc, dnnl.dnnl_primitive_desc_destroy);
  dnnl_primitive_t primitive;
  RETURN_IF_ERROR(check(dnnl.dnnl_primitive_create(&primitive, primitiveDesc),
                        "pack weights"));
  OnednnHandle<dnnl_primitive_t> ownPrimitive(primitive,
                                              dnnl.dnnl_primitive_destroy);
  dnnl_memory_t source, destination;
  // oneDNN only reads its source; its interface does not say so.
  RETURN_IF_ERROR(check(dnnl.dnnl_memory_create(&source, &from, dnnl.engine,
                                                const_cast<std::byte *>(data)),
                        "pack weights"));
  OnednnHandle<dnnl_memory_t> ownSource(source, dnnl.dnnl_memory_destroy);
  RETURN_IF_ERROR(check(
      dnnl.dnnl_memory_create(&destination, &to, dnnl.engine, packed->data()),
      "pack weights"));
  OnednnHandle<dnnl_memory_t> ownDestination(destination,
                                             dnnl.dnnl_memory_destroy);
  dnnl_stream_t stream;
  RETURN_IF_ERROR(check(
      dnnl.dnnl_stream_create(&stream, dnnl.engine, dnnl_stream_default_flags),
      "make a stream"));
  OnednnHandle<dnnl_stream_t> ownStream(stream, dnnl.dnnl_stream_destroy);
  dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, source},
                                 {DNNL_ARG_TO, destination}};
  RETURN_IF_ERROR(
      check(dnnl.dnnl_primitive_execute(primitive, stream, 2, arguments),
            "pack weights"));
  packedRhs_ = std::move(*packed);
  operands_[1].descriptor = to;
  operands_[1].data = packedRhs_.data();
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<OnednnMatmul>>
OnednnMatmul::create(const format::OnednnMatmul &call, const Options &options) {
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
  std::unique_ptr<OnednnMatmul> matmul(
      new OnednnMatmul(**library, **gomp, options.threads));
  if (absl::Status status = matmul->build(call, options); !status.ok()) {
    const format::TensorView &result = *call.result();
    return absl::Status(
        status.code(),
        absl::StrCat(status.message(), " (", toString(call.lhs()->dtype()),
                     " x ", toString(call.rhs()->dtype()), " -> ",
                     toString(result.dtype()), ", result [",
                     absl::StrJoin(*result.dims(), ", "), "])"));
  }
  return matmul;
}

absl::StatusOr<std::unique_ptr<OnednnMatmulCall>>
OnednnMatmulCall::create(const OnednnMatmul &matmul, std::byte *scratch) {
  const OnednnLibrary &dnnl = matmul.library_;
  std::unique_ptr<OnednnMatmulCall> call(new OnednnMatmulCall(matmul));
  if (!scratch) {
    absl::StatusOr<AlignedBuffer> buffer =
        AlignedBuffer::create(matmul.scratchBytes_);
    if (!buffer.ok()) {
      return buffer.status();
    }
    call->scratch_ = std::move(*buffer);
    scratch = call->scratch_.data();
  }
  dnnl_stream_t stream;
  RETURN_IF_ERROR(check(
      dnnl.dnnl_stream_create(&stream, dnnl.engine, dnnl_stream_default_flags),
      "make a stream"));
  call->stream_ = {stream, dnnl.dnnl_stream_destroy};
  auto add = [&](int argument, const dnnl_memory_desc_t &descriptor,
                 void *data) -> absl::Status {
    dnnl_memory_t memory;
    RETURN_IF_ERROR(
        check(dnnl.dnnl_memory_create(&memory, &descriptor, dnnl.engine, data),
              "describe an operand"));
    call->memories_.emplace_back(memory, dnnl.dnnl_memory_destroy);
    call->arguments_.push_back({argument, memory});
    return absl::OkStatus();
  };
  for (const OnednnMatmul::Operand &operand : matmul.operands()) {
    RETURN_IF_ERROR(add(operand.argument, operand.descriptor, operand.data));
  }
  RETURN_IF_ERROR(add(DNNL_ARG_SCRATCHPAD, matmul.scratch_, scratch));
  return call;
}

absl::Status OnednnMatmulCall::run(const Arg *pointers) {
  const OnednnLibrary &dnnl = matmul_.library_;
  for (size_t i = 0; i < matmul_.operands_.size(); ++i) {
    dnnl.dnnl_memory_set_data_handle(arguments_[i].memory, pointers[i].pointer);
  }
  MaxThreads limit(matmul_.gomp_, matmul_.threads_);
  return check(dnnl.dnnl_primitive_execute(matmul_.primitive_.get(),
                                           stream_.get(), arguments_.size(),
                                           arguments_.data()),
               "run a matmul");
}

} // namespace minic::runtime
