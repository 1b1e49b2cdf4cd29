// SPDX-License-Identifier: Apache-2.0
//
// Engines match the operations one by one, in the order that the softmax of
// training has them; so the logarithm of a row's sum is there although nobody
// reads it: cuDNN 9.14 and 9.19 list no engine without it.

#include "runtime/device/cuda/cudnn/AttentionOperations.h"

#include "runtime/device/cuda/cudnn/GraphTensor.h"

#include "absl/base/casts.h"

#include <cstdint>
#include <limits>

namespace minic::runtime {

using Causal = CudnnProblem::Causal;

/// Kernels move whole vectors of 16 bytes and check neither strides nor
/// pointers: a head's elements must be contiguous, all else a multiple.
static absl::Status checkVectors(const CudnnTensor &tensor,
                                 const CudnnProblem &problem) {
  constexpr int64_t bytes = 16;
  int64_t elements = bytes / elementBytes(tensor.dtype);
  bool isGood = tensor.alignment % bytes == 0 &&
                tensor.dims[3] % elements == 0 && tensor.strides[3] == 1;
  for (size_t i = 0; i < 3; ++i) {
    isGood &= tensor.dims[i] == 1 ||
              (tensor.strides[i] != 0 && tensor.strides[i] % elements == 0);
  }
  return isGood ? absl::OkStatus()
                : absl::UnimplementedError(absl::StrCat(
                      "unsupported: cuDNN ", problem.describe(),
                      " of heads that are no contiguous vectors of 16 bytes"));
}

/// Indices are int32, and strides of scores int64.
static absl::Status checkScores(const CudnnProblem &problem) {
  int64_t rows = problem.lhs.dims[2], keys = problem.rhs.dims[2], count;
  bool isGood =
      rows <= INT32_MAX && keys <= INT32_MAX &&
      !__builtin_mul_overflow(rows * keys, problem.lhs.dims[1], &count) &&
      !__builtin_mul_overflow(count, problem.lhs.dims[0], &count);
  return isGood ? absl::OkStatus()
                : absl::UnimplementedError(
                      absl::StrCat("unsupported: cuDNN ", problem.describe(),
                                   " of more scores than 64 bits number"));
}

namespace {

/// Appends operations. Its tensors are numbered as CudnnProblem::tensors(),
/// then come scalars, which are given by value.
class AttentionBuilder {
public:
  explicit AttentionBuilder(const CudnnProblem &problem)
      : problem(problem), attention(*problem.attention),
        dims{problem.lhs.dims[0], problem.lhs.dims[1], problem.lhs.dims[2],
             problem.rhs.dims[2]} {}

  absl::Status build() {
    // The product's right factor is the key's transpose.
    CudnnTensor transposed = problem.rhs;
    std::swap(transposed.dims[2], transposed.dims[3]);
    std::swap(transposed.strides[2], transposed.strides[3]);
    std::vector<fe::Tensor> tensors; // in the order of the problem's
    for (const CudnnTensor *tensor : problem.tensors()) {
      absl::StatusOr<fe::Tensor> made =
          describeTensor(tensor == &problem.rhs ? transposed : *tensor,
                         int64_t(tensors.size()) + 1);
      if (!made.ok()) {
        return made.status();
      }
      tensors.push_back(*std::move(made));
    }
    absl::StatusOr<cudnnDataType_t> type = dataType(problem.lhs.dtype);
    if (!type.ok()) {
      return type.status();
    }
    nextScalar = int64_t(tensors.size()) + 1;
    fe::Tensor scores =
        product(tensors[0], tensors[1], scoresOf(CUDNN_DATA_FLOAT));
    scores = pointwise(CUDNN_POINTWISE_MUL, scores,
                       scalar(CUDNN_DATA_FLOAT, attention.scale));
    if (problem.addend) {
      scores = pointwise(CUDNN_POINTWISE_ADD, scores, tensors[3]);
    }
    if (attention.causal != Causal::none) {
      scores = leaveOut(scores);
    }
    product(softmax(scores, *type), tensors[2], std::move(tensors.back()));
    return absl::OkStatus();
  }

  GraphOperations graph;

private:
  //===--------------------------------------------------------------------===//
  // Tensors
  //===--------------------------------------------------------------------===//

  fe::Tensor virtualTensor(const std::vector<int64_t> &dims,
                           cudnnDataType_t type) {
    int64_t strides[] = {dims[1] * dims[2] * dims[3], dims[2] * dims[3],
                         dims[3], 1};
    return fe::TensorBuilder()
        .setDim(dims.size(), dims.data())
        .setStride(dims.size(), strides)
        .setId(nextVirtual++)
        .setAlignment(16)
        .setDataType(type)
        .setVirtual()
        .build();
  }
  fe::Tensor scoresOf(cudnnDataType_t type) {
    return virtualTensor(dims, type);
  }
  fe::Tensor rowsOf() {
    return virtualTensor({dims[0], dims[1], dims[2], 1}, CUDNN_DATA_FLOAT);
  }

  /// Of 4 bytes: a float or an int32.
  template <typename T> fe::Tensor scalar(cudnnDataType_t type, T value) {
    constexpr int64_t ones[] = {1, 1, 1, 1};
    graph.scalars.push_back({nextScalar, absl::bit_cast<uint32_t>(value)});
    return fe::TensorBuilder()
        .setDim(4, ones)
        .setStride(4, ones)
        .setId(nextScalar++)
        .setAlignment(16)
        .setDataType(type)
        .setByValue()
        .build();
  }

  //===--------------------------------------------------------------------===//
  // Operations, each of which returns what it writes
  //===--------------------------------------------------------------------===//

  fe::Tensor product(const fe::Tensor &lhs, const fe::Tensor &rhs,
                     fe::Tensor to) {
    auto descriptor =
        fe::MatMulDescBuilder().setComputeType(CUDNN_DATA_FLOAT).build();
    graph.operations.push_back(
        fe::OperationBuilder(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR)
            .setaMatDesc(lhs)
            .setbMatDesc(rhs)
            .setcMatDesc(to)
            .setmatmulDesc(descriptor)
            .build());
    return to;
  }

  fe::OperationBuilder pointwiseOperation() {
    return fe::OperationBuilder(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  }
  fe::PointWiseDesc mode(cudnnPointwiseMode_t mode,
                         cudnnDataType_t compute = CUDNN_DATA_FLOAT) {
    return fe::PointWiseDescBuilder()
        .setMode(mode)
        .setComputeType(compute)
        .build();
  }

  fe::Tensor unary(const fe::Tensor &x, fe::PointWiseDesc descriptor,
                   fe::Tensor to) {
    graph.operations.push_back(pointwiseOperation()
                                   .setxDesc(x)
                                   .setyDesc(to)
                                   .setpwDesc(descriptor)
                                   .build());
    return to;
  }
  fe::Tensor binary(const fe::Tensor &x, const fe::Tensor &other,
                    fe::PointWiseDesc descriptor, fe::Tensor to) {
    graph.operations.push_back(pointwiseOperation()
                                   .setxDesc(x)
                                   .setbDesc(other)
                                   .setyDesc(to)
                                   .setpwDesc(descriptor)
                                   .build());
    return to;
  }
  /// On scores.
  fe::Tensor pointwise(cudnnPointwiseMode_t which, const fe::Tensor &x,
                       const fe::Tensor &other) {
    return binary(x, other, mode(which), scoresOf(CUDNN_DATA_FLOAT));
  }

  fe::Tensor reduce(cudnnReduceTensorOp_t which, const fe::Tensor &x) {
    fe::Tensor to = rowsOf();
    auto descriptor = fe::ReductionDescBuilder()
                          .setComputeType(CUDNN_DATA_FLOAT)
                          .setReductionOp(which)
                          .build();
    graph.operations.push_back(
        fe::OperationBuilder(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR)
            .setxDesc(x)
            .setyDesc(to)
            .setreductionDesc(descriptor)
            .build());
    return to;
  }

  //===--------------------------------------------------------------------===//
  // Parts of attention
  //===--------------------------------------------------------------------===//

  /// A score's place along `axis`: 2 of its query, 3 of its key.
  fe::Tensor indexAlong(int64_t axis, const fe::Tensor &scores) {
    return unary(scores,
                 fe::PointWiseDescBuilder()
                     .setMode(CUDNN_POINTWISE_GEN_INDEX)
                     .setComputeType(CUDNN_DATA_FLOAT)
                     .setAxis(axis)
                     .build(),
                 scoresOf(CUDNN_DATA_INT32));
  }

  /// -infinity where the key is behind the query.
  fe::Tensor leaveOut(const fe::Tensor &scores) {
    fe::Tensor query = indexAlong(2, scores), key = indexAlong(3, scores);
    if (attention.causal == Causal::lowerRight) {
      auto shift = [&](cudnnPointwiseMode_t which, int64_t by) {
        query =
            binary(query, scalar(CUDNN_DATA_INT32, int32_t(by)),
                   mode(which, CUDNN_DATA_INT32), scoresOf(CUDNN_DATA_INT32));
      };
      shift(CUDNN_POINTWISE_ADD, dims[3]);
      shift(CUDNN_POINTWISE_SUB, dims[2]);
    }
    fe::Tensor takesPart =
        binary(query, key, mode(CUDNN_POINTWISE_CMP_GE, CUDNN_DATA_BOOLEAN),
               scoresOf(CUDNN_DATA_BOOLEAN));
    fe::Tensor lowest =
        scalar(CUDNN_DATA_FLOAT, -std::numeric_limits<float>::infinity());
    fe::Tensor to = scoresOf(CUDNN_DATA_FLOAT);
    graph.operations.push_back(
        pointwiseOperation()
            .setxDesc(scores)
            .setbDesc(lowest)
            .settDesc(takesPart)
            .setyDesc(to)
            .setpwDesc(mode(CUDNN_POINTWISE_BINARY_SELECT))
            .build());
    return to;
  }

  /// Of rows, rounded to `type` as the product takes them.
  fe::Tensor softmax(const fe::Tensor &scores, cudnnDataType_t type) {
    fe::Tensor greatest = reduce(CUDNN_REDUCE_TENSOR_MAX, scores);
    fe::Tensor powers =
        unary(pointwise(CUDNN_POINTWISE_SUB, scores, greatest),
              mode(CUDNN_POINTWISE_EXP), scoresOf(CUDNN_DATA_FLOAT));
    fe::Tensor sum = reduce(CUDNN_REDUCE_TENSOR_ADD, powers);
    fe::Tensor logarithm = unary(sum, mode(CUDNN_POINTWISE_LOG), rowsOf());
    binary(greatest, logarithm, mode(CUDNN_POINTWISE_ADD), rowsOf());
    return binary(powers, sum, mode(CUDNN_POINTWISE_DIV), scoresOf(type));
  }

  const CudnnProblem &problem;
  const CudnnProblem::Attention &attention;
  const std::vector<int64_t> dims; // of the scores: B, H, T, S
  int64_t nextVirtual = kFirstVirtual;
  int64_t nextScalar = 0;
};

} // namespace

absl::StatusOr<GraphOperations>
attentionOperations(const CudnnProblem &problem) {
  for (const CudnnTensor *tensor :
       {&problem.lhs, &problem.rhs, &problem.attention->value,
        &problem.result}) {
    if (absl::Status status = checkVectors(*tensor, problem); !status.ok()) {
      return status;
    }
  }
  if (absl::Status status = checkScores(problem); !status.ok()) {
    return status;
  }
  AttentionBuilder builder(problem);
  if (absl::Status status = builder.build(); !status.ok()) {
    return status;
  }
  return std::move(builder.graph);
}

} // namespace minic::runtime
