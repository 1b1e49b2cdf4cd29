// SPDX-License-Identifier: Apache-2.0
//
// The product and pointwise operations.

#include "runtime/device/cuda/cudnn/GraphOperations.h"

#include "runtime/device/cuda/cudnn/AttentionOperations.h"
#include "runtime/device/cuda/cudnn/GraphTensor.h"

namespace minic::runtime {

/// cuDNN's form of an elementwise function of the plan.
static absl::StatusOr<fe::PointWiseDesc>
describeActivation(const CudnnProblem::Activation &activation) {
  fe::PointWiseDescBuilder builder;
  builder.setComputeType(CUDNN_DATA_FLOAT);
  switch (activation.kind) {
  case format::EltwiseKind::relu:
    builder.setMode(CUDNN_POINTWISE_RELU_FWD);
    break;
  case format::EltwiseKind::leaky_relu:
    builder.setMode(CUDNN_POINTWISE_RELU_FWD)
        .setReluLowerClipSlope(activation.alpha);
    break;
  case format::EltwiseKind::clamp:
    builder.setMode(CUDNN_POINTWISE_RELU_FWD)
        .setReluLowerClip(activation.alpha)
        .setReluUpperClip(activation.beta);
    break;
  case format::EltwiseKind::tanh:
    builder.setMode(CUDNN_POINTWISE_TANH_FWD);
    break;
  case format::EltwiseKind::sigmoid:
    builder.setMode(CUDNN_POINTWISE_SIGMOID_FWD);
    break;
  case format::EltwiseKind::gelu_erf:
    builder.setMode(CUDNN_POINTWISE_GELU_FWD);
    break;
  case format::EltwiseKind::gelu_tanh:
    builder.setMode(CUDNN_POINTWISE_GELU_APPROX_TANH_FWD);
    break;
  case format::EltwiseKind::silu:
    builder.setMode(CUDNN_POINTWISE_SWISH_FWD);
    break;
  case format::EltwiseKind::exp:
    builder.setMode(CUDNN_POINTWISE_EXP);
    break;
  case format::EltwiseKind::abs:
    builder.setMode(CUDNN_POINTWISE_ABS);
    break;
  case format::EltwiseKind::sqrt:
    builder.setMode(CUDNN_POINTWISE_SQRT);
    break;
  case format::EltwiseKind::log:
    builder.setMode(CUDNN_POINTWISE_LOG);
    break;
  default:
    return absl::UnimplementedError(
        absl::StrCat("unsupported: cuDNN has no ",
                     format::EnumNameEltwiseKind(activation.kind)));
  }
  return builder.build();
}

namespace {

/// Appends operations, each on what the one before it computes.
class GraphBuilder {
public:
  explicit GraphBuilder(const CudnnProblem &problem) : problem(problem) {}

  absl::Status build() {
    // What is still to be appended decides who writes the result.
    pending = int(problem.addend.has_value()) + int(problem.bias.has_value()) +
              int(problem.activation.has_value());
    if (absl::Status status = appendProduct(); !status.ok()) {
      return status;
    }
    // The order that cuDNN's own fused kernels are made for.
    for (const std::optional<CudnnTensor> *operand :
         {&problem.addend, &problem.bias}) {
      if (*operand) {
        if (absl::Status status = appendAdd(**operand); !status.ok()) {
          return status;
        }
      }
    }
    return problem.activation ? appendActivation() : absl::OkStatus();
  }

  std::vector<fe::Operation> operations;

private:
  /// What the next operation writes: the result, or a value of the graph's own.
  absl::StatusOr<fe::Tensor> output() {
    if (pending-- == 0) {
      return describeTensor(problem.result, int64_t(problem.tensors().size()));
    }
    const CudnnTensor &like = problem.result;
    return fe::TensorBuilder()
        .setDim(like.dims.size(), like.dims.data())
        .setStride(like.strides.size(), like.strides.data())
        .setId(kFirstVirtual + pending)
        .setAlignment(16)
        .setDataType(CUDNN_DATA_FLOAT)
        .setVirtual()
        .build();
  }

  absl::Status appendProduct() {
    absl::StatusOr<fe::Tensor> lhs = describeTensor(problem.lhs, nextId++);
    absl::StatusOr<fe::Tensor> rhs = describeTensor(problem.rhs, nextId++);
    absl::StatusOr<fe::Tensor> to = output();
    for (const auto *tensor : {&lhs, &rhs, &to}) {
      if (!tensor->ok()) {
        return tensor->status();
      }
    }
    if (problem.convolution) {
      const CudnnProblem::Convolution &conv = *problem.convolution;
      int64_t spatial = int64_t(conv.strides.size());
      auto descriptor = fe::ConvDescBuilder_v8()
                            .setComputeType(CUDNN_DATA_FLOAT)
                            .setMathMode(CUDNN_CROSS_CORRELATION)
                            .setSpatialDimCount(spatial)
                            .setSpatialStride(spatial, conv.strides.data())
                            .setPrePadding(spatial, conv.padsBegin.data())
                            .setPostPadding(spatial, conv.padsEnd.data())
                            .setDilation(spatial, conv.dilations.data())
                            .build();
      operations.push_back(
          fe::OperationBuilder(
              CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR)
              .setxDesc(*lhs)
              .setwDesc(*rhs)
              .setyDesc(*to)
              .setcDesc(descriptor)
              .setAlpha(1.0f)
              .setBeta(0.0f)
              .build());
    } else {
      auto descriptor =
          fe::MatMulDescBuilder().setComputeType(CUDNN_DATA_FLOAT).build();
      operations.push_back(
          fe::OperationBuilder(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR)
              .setaMatDesc(*lhs)
              .setbMatDesc(*rhs)
              .setcMatDesc(*to)
              .setmatmulDesc(descriptor)
              .build());
    }
    current.emplace(*std::move(to));
    return absl::OkStatus();
  }

  absl::Status appendAdd(const CudnnTensor &addend) {
    absl::StatusOr<fe::Tensor> other = describeTensor(addend, nextId++);
    absl::StatusOr<fe::Tensor> to = output();
    if (!other.ok() || !to.ok()) {
      return other.ok() ? to.status() : other.status();
    }
    auto descriptor = fe::PointWiseDescBuilder()
                          .setMode(CUDNN_POINTWISE_ADD)
                          .setComputeType(CUDNN_DATA_FLOAT)
                          .build();
    operations.push_back(
        fe::OperationBuilder(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR)
            .setxDesc(*current)
            .setbDesc(*other)
            .setyDesc(*to)
            .setpwDesc(descriptor)
            .build());
    current.emplace(*std::move(to));
    return absl::OkStatus();
  }

  absl::Status appendActivation() {
    absl::StatusOr<fe::PointWiseDesc> descriptor =
        describeActivation(*problem.activation);
    absl::StatusOr<fe::Tensor> to = output();
    if (!descriptor.ok() || !to.ok()) {
      return to.ok() ? descriptor.status() : to.status();
    }
    operations.push_back(
        fe::OperationBuilder(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR)
            .setxDesc(*current)
            .setyDesc(*to)
            .setpwDesc(*descriptor)
            .build());
    return absl::OkStatus();
  }

  const CudnnProblem &problem;
  int pending = 0;
  int64_t nextId = 1; // in the order of CudnnProblem::tensors()
  std::optional<fe::Tensor> current;
};

} // namespace

absl::StatusOr<GraphOperations> graphOperations(const CudnnProblem &problem) {
  if (problem.attention) {
    return attentionOperations(problem);
  }
  GraphBuilder builder(problem);
  if (absl::Status status = builder.build(); !status.ok()) {
    return status;
  }
  return GraphOperations{std::move(builder.operations), {}};
}

} // namespace minic::runtime
