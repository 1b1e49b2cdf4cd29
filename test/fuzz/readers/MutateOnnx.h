// SPDX-License-Identifier: Apache-2.0
//
// Changes of an ONNX model that leave it a message: other ops, operands,
// attributes, shapes, dtypes, values.

#ifndef MINIC_TEST_FUZZ_READERS_MUTATEONNX_H
#define MINIC_TEST_FUZZ_READERS_MUTATEONNX_H

#include "third_party/onnx/onnx.pb.h"

#include <random>

namespace minic::fuzz {

/// One change, or none where the model lacks what it would change.
void mutate(onnx::ModelProto &model, std::mt19937 &random);

/// Adds nodes and tensors of `other`, whose names then mean those of `model`.
void addFrom(const onnx::ModelProto &other, onnx::ModelProto &model,
             std::mt19937 &random);

} // namespace minic::fuzz

#endif // MINIC_TEST_FUZZ_READERS_MUTATEONNX_H
