// SPDX-License-Identifier: Apache-2.0
//
// What a check of a whole model says of itself, as requests and options.

#include "compiler/tune/model/PlanLoading.h"

namespace minic::tune {

absl::StatusOr<runtime::LoadReply> loadPlan(const WholeModelInputs &inputs,
                                            Worker &worker,
                                            const std::string &id,
                                            const std::string &path) {
  runtime::LoadRequest load;
  load.id = id;
  load.path = path;
  load.function = inputs.function;
  load.device = inputs.deviceIndex;
  WorkerAnswer answer = worker.ask(load, inputs.timeoutSeconds);
  if (answer.fate != WorkerAnswer::Fate::Answered) {
    return failureOf(answer, id);
  }
  return std::get<runtime::LoadReply>(answer.reply);
}

PlanContest::Options contestOptions(const WholeModelInputs &inputs,
                                    double maxSeconds) {
  PlanContest::Options options;
  options.onGpu = inputs.onGpu;
  options.roundUs = inputs.roundUs;
  options.timeoutSeconds = inputs.timeoutSeconds;
  options.rounds = inputs.rounds;
  options.rounds.maxSeconds = maxSeconds;
  return options;
}

} // namespace minic::tune
