// SPDX-License-Identifier: Apache-2.0
//
// Which op a call is of, and running it.

#include "runtime/device/cpu/OnednnPrimitive.h"

#include "runtime/base/Tensor.h"
#include "runtime/device/cpu/OnednnBuilder.h"
#include "runtime/format/CallReader.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>

namespace minic::runtime {

#define RETURN_IF_ERROR(expression)                                            \
  if (absl::Status status = (expression); !status.ok()) {                      \
    return status;                                                             \
  }

using Create = absl::StatusOr<std::unique_ptr<OnednnPrimitive>> (*)(
    const format::Call &, OnednnBuilder);

/// Who makes the primitive of each op, and its operands as messages name them.
static constexpr struct {
  const char *op;
  Create create;
  const char *lhs, *rhs = nullptr;
} kOps[] = {{"matmul", createOnednnMatmul, "lhs", "rhs"},
            {"convolution", createOnednnConvolution, "input", "filter"},
            {"softmax", createOnednnSoftmax, "input"},
            {"layer_norm", createOnednnLayerNorm, "input"},
            {"reduction", createOnednnReduction, "input"}};

/// "f32 x f32 -> f32": dtypes of what the call reads and writes.
static std::string dtypesOf(const format::CallReader &reader, const char *lhs,
                            const char *rhs) {
  std::string text = toString(reader.view(lhs)->dtype());
  if (rhs) {
    absl::StrAppend(&text, " x ", toString(reader.view(rhs)->dtype()));
  }
  return absl::StrCat(text, " -> ", toString(reader.view("result")->dtype()));
}

absl::StatusOr<std::unique_ptr<OnednnPrimitive>>
OnednnPrimitive::create(const format::Call &call,
                        const OnednnOptions &options) {
  format::CallReader reader(call);
  const auto *op =
      std::find_if(std::begin(kOps), std::end(kOps), [&](const auto &each) {
        return reader.is("onednn", each.op);
      });
  if (op == std::end(kOps)) {
    return absl::UnimplementedError(
        absl::StrCat("unsupported: ", format::callName(call), " on a CPU"));
  }
  absl::StatusOr<OnednnBuilder> builder = OnednnBuilder::open(options);
  if (!builder.ok()) {
    return builder.status();
  }
  auto primitive = op->create(call, std::move(*builder));
  if (!primitive.ok()) {
    const format::TensorView &result = *reader.view("result");
    return absl::Status(
        primitive.status().code(),
        absl::StrCat(primitive.status().message(), " (", op->op, " of ",
                     dtypesOf(reader, op->lhs, op->rhs), ", result [",
                     absl::StrJoin(*result.dims(), ", "), "])"));
  }
  return primitive;
}

absl::StatusOr<std::unique_ptr<OnednnCall>>
OnednnCall::create(const OnednnPrimitive &primitive, std::byte *scratch) {
  const OnednnLibrary &dnnl = primitive.library_;
  std::unique_ptr<OnednnCall> call(new OnednnCall(primitive));
  if (!scratch) {
    absl::StatusOr<AlignedBuffer> buffer =
        AlignedBuffer::create(primitive.scratchBytes_);
    if (!buffer.ok()) {
      return buffer.status();
    }
    call->scratch_ = std::move(*buffer);
    scratch = call->scratch_.data();
  }
  dnnl_stream_t stream;
  RETURN_IF_ERROR(checkOnednn(
      dnnl.dnnl_stream_create(&stream, dnnl.engine, dnnl_stream_default_flags),
      "make a stream"));
  call->stream_ = {stream, dnnl.dnnl_stream_destroy};
  auto add = [&](int argument, const dnnl_memory_desc_t &descriptor,
                 void *data) -> absl::Status {
    dnnl_memory_t memory;
    RETURN_IF_ERROR(checkOnednn(
        dnnl.dnnl_memory_create(&memory, &descriptor, dnnl.engine, data),
        "describe an operand"));
    call->memories_.emplace_back(memory, dnnl.dnnl_memory_destroy);
    call->arguments_.push_back({argument, memory});
    return absl::OkStatus();
  };
  for (const OnednnPrimitive::Operand &operand : primitive.operands()) {
    RETURN_IF_ERROR(add(operand.argument, operand.descriptor, operand.data));
  }
  RETURN_IF_ERROR(add(DNNL_ARG_SCRATCHPAD, primitive.scratch_, scratch));
  return call;
}

absl::Status OnednnCall::run(const Arg *pointers) {
  const OnednnLibrary &dnnl = primitive_.library_;
  for (size_t i = 0; i < primitive_.operands_.size(); ++i) {
    dnnl.dnnl_memory_set_data_handle(arguments_[i].memory, pointers[i].pointer);
  }
  MaxThreads limit(primitive_.gomp_, primitive_.threads_);
  return checkOnednn(
      dnnl.dnnl_primitive_execute(primitive_.primitive_.get(), stream_.get(),
                                  arguments_.size(), arguments_.data()),
      "run a primitive");
}

} // namespace minic::runtime
