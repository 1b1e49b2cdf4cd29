// SPDX-License-Identifier: Apache-2.0
//
// AttentionRun: an attention kernel run by the interpreter.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_ATTENTION_ATTENTIONRUN_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_ATTENTION_ATTENTIONRUN_H

#include "compiler/target/OfferFusion.h"
#include "compiler/target/cuda/attention/AttentionFamily.h"
#include "compiler/target/cuda/attention/AttentionSchedule.h"
#include "test/unit/compiler/target/cuda/attention/AttentionCase.h"

namespace minic::cuda {

class AttentionRun {
public:
  explicit AttentionRun(const AttentionCase &c)
      : c(c), run(c.arguments(), c.results(), c.body()) {
    for (int64_t i = 0; i != run.inputs[0].elements(); ++i) {
      run.inputs[0].set(i, run.inputs[0].get(i) * c.spread);
    }
  }

  void by(const AttentionSchedule &schedule,
          const std::string &profile = "h200") {
    SCOPED_TRACE(run.fusion.getBodyOps()[0]->getName().getStringRef().str());
    Implementation offer = offerDense(run.fusion, "attention",
                                      toAttr(schedule, run.fusion.getContext()),
                                      toString(schedule));
    run.run(AttentionFamily(), offer, *getCudaProfile(profile));
    for (const KernelResources &kernel : run.resources) {
      EXPECT_EQ(kernel.spillBytes, 0) << offer.name;
      EXPECT_LE(kernel.registers, 255) << offer.name;
      EXPECT_FALSE(kernel.serializesWgmma) << offer.name;
    }
  }
  void check(const AttentionSchedule &schedule) {
    SCOPED_TRACE(c.op());
    ASSERT_NO_FATAL_FAILURE(by(schedule));
    ASSERT_NO_FATAL_FAILURE(ExpectedAttention(c, run).check());
  }

  AttentionCase c;
  InterpretedFusion run;
};

inline AttentionCase sized(int64_t rows, int64_t keys, int64_t depth,
                           int64_t valueDepth) {
  AttentionCase c;
  c.rows = rows;
  c.keys = keys;
  c.depth = depth;
  c.valueDepth = valueDepth;
  return c;
}

} // namespace minic::cuda

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_ATTENTION_ATTENTIONRUN_H
