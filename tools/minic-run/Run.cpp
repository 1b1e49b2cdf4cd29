// SPDX-License-Identifier: Apache-2.0
//
// Load, run, summarize, check, write.

#include "tools/minic-run/Run.h"

#include "runtime/measure/ElementReader.h"
#include "runtime/measure/NpyFile.h"
#include "runtime/measure/RandomConstants.h"
#include "runtime/measure/Statistics.h"
#include "runtime/program/EntryContext.h"
#include "tools/common/CommandLine.h"
#include "tools/common/DeviceTensors.h"
#include "tools/common/ModelInputs.h"
#include "tools/common/ReferenceCheck.h"
#include "tools/minic-run/ChooseBucket.h"
#include "tools/minic-run/PadTensors.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <chrono>
#include <cmath>
#include <limits>

namespace minic::tools {

using runtime::Entry;
using runtime::EntryContext;
using runtime::Program;
using runtime::Tensor;
using runtime::TensorSpec;

namespace {

/// "output y: 256x10xf32, min -1.5, max 2, mean 0.1"
std::string summarize(const TensorSpec &spec, const Tensor &tensor) {
  double smallest = std::numeric_limits<double>::infinity();
  double largest = -smallest, sum = 0;
  int64_t nans = 0, elements = spec.elements();
  for (int64_t i = 0; i < elements; ++i) {
    double value = runtime::readElement(tensor.data, spec.dtype, i);
    if (std::isnan(value)) {
      ++nans;
      continue;
    }
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
    sum += value;
  }
  std::string text =
      absl::StrCat("output ", spec.name, ": ", typeText(spec.dims, spec.dtype));
  if (elements > nans) {
    absl::StrAppendFormat(&text, ", min %.6g, max %.6g, mean %.6g", smallest,
                          largest, sum / double(elements - nans));
  }
  if (nans > 0) {
    absl::StrAppend(&text, ", ", nans, " NaN");
  }
  return text;
}

absl::Status runRepeatedly(EntryContext &context, const Program &program,
                           DeviceTensors &inputs, const DeviceTensors &outputs,
                           int repeat) {
  std::vector<double> milliseconds;
  for (int i = 0; i < repeat; ++i) {
    // State that runs update is what it was before the first: all are alike.
    absl::Status shared = inputs.shareInPlace(program, outputs);
    if (!shared.ok()) {
      return shared;
    }
    auto start = std::chrono::steady_clock::now();
    absl::Status status = context.run(inputs.tensors(), outputs.tensors());
    status.Update(context.synchronize());
    if (!status.ok()) {
      return status;
    }
    milliseconds.push_back(std::chrono::duration<double, std::milli>(
                               std::chrono::steady_clock::now() - start)
                               .count());
  }
  if (repeat > 1) {
    absl::PrintF("%d runs: median %.4g ms, fastest %.4g ms\n", repeat,
                 runtime::median(milliseconds),
                 runtime::quantile(milliseconds, 0));
  }
  return absl::OkStatus();
}

void printStats(const EntryContext &context, const Program &program) {
  runtime::GraphCounters counters = context.graphCounters();
  absl::PrintF("ran on %s; graph: %d instantiations, %d updates, %d replays, "
               "%d plain runs\n",
               runtime::toString(program.place()), counters.instantiations,
               counters.updates, counters.replays, counters.plainRuns);
  if (std::string reason = context.graphRefusal(); !reason.empty()) {
    absl::PrintF("graph refused: %s\n", reason);
  }
  const Entry &entry = context.entry();
  for (size_t i = 0; i < entry.buckets().size() && !entry.dims().empty(); ++i) {
    const runtime::BucketCounters &bucket = context.counters(i);
    absl::PrintF("bucket %s: %d runs, %d of them padded by %d elements\n",
                 describeSizes(entry, entry.sizes(i)), bucket.runs,
                 bucket.paddedRuns, bucket.paddedElements);
  }
}

int64_t elementsOf(const std::vector<TensorSpec> &specs) {
  int64_t elements = 0;
  for (const TensorSpec &spec : specs) {
    elements += spec.elements();
  }
  return elements;
}

/// Inputs and outputs of the program that `found` runs, of the run's sizes.
struct RunSpecs {
  RunSpecs(const Entry &entry, const Entry::Found &found)
      : inputs(entry.buckets()[found.bucket]->inputs()),
        outputs(entry.buckets()[found.bucket]->outputs()) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      entry.inputDims(found, i, inputs[i].dims);
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      entry.outputDims(found, i, outputs[i].dims);
    }
  }
  std::vector<TensorSpec> inputs, outputs;
};

/// Against a model of the run's sizes, or what the artifact carries: that has
/// the bucket's.
absl::StatusOr<bool> check(const RunOptions &options, const Entry &entry,
                           const Entry::Found &found, const RunSpecs &specs,
                           absl::Span<const Tensor> inputs,
                           absl::Span<const Tensor> outputs) {
  ReferenceRequest request;
  request.model = options.model.empty() ? options.artifact : options.model;
  const Program &program = *entry.buckets()[found.bucket];
  request.function = program.function();
  bool isOfAllSizes =
      !entry.dims().empty() && !absl::EndsWith(request.model, ".minic");
  if (isOfAllSizes) {
    request.function = options.function;
    for (size_t i = 0; i < entry.dims().size(); ++i) {
      request.sizes[entry.dims()[i].name] = found.sizes[i];
    }
  } else if (found.isPadded) {
    absl::StatusOr<ModelTensors> padded = padTensors(entry, found, inputs);
    if (!padded.ok()) {
      return padded.status();
    }
    request.isPadded = true;
    return checkAgainstReference(request, program.inputs(), padded->tensors,
                                 specs.outputs, outputs);
  }
  return checkAgainstReference(request, specs.inputs, inputs, specs.outputs,
                               outputs);
}

absl::StatusOr<ExitCode> tryRun(const RunOptions &options,
                                std::shared_ptr<const void> *loaded) {
  runtime::ProgramOptions programOptions;
  programOptions.function = options.function;
  programOptions.threads = options.threads;
  programOptions.device = options.device;
  programOptions.strictLibraries = options.strictLibraries;
  programOptions.expectedDigest = options.expectedDigest;
  programOptions.constants = runtime::randomConstants(options.seed);
  absl::StatusOr<std::shared_ptr<const Entry>> entry =
      Entry::load(options.artifact, programOptions);
  if (!entry.ok()) {
    return entry.status();
  }
  if (loaded) {
    *loaded = *entry;
  }
  absl::StatusOr<std::vector<std::string>> inputFiles =
      assignFiles(options.inputs, (*entry)->inputs(), "input");
  if (!inputFiles.ok()) {
    return inputFiles.status();
  }
  absl::StatusOr<Entry::Found> found =
      chooseBucket(**entry, options.sizes, *inputFiles, options.bf16);
  if (!found.ok()) {
    return found.status();
  }
  const Program &program = *(*entry)->buckets()[found->bucket];
  RunSpecs specs(**entry, *found);
  const std::vector<TensorSpec> &inputSpecs = specs.inputs;
  const std::vector<TensorSpec> &outputSpecs = specs.outputs;
  absl::StatusOr<std::vector<std::string>> outputFiles =
      assignFiles(options.outputs, outputSpecs, "output");
  if (!outputFiles.ok()) {
    return outputFiles.status();
  }
  absl::StatusOr<ModelTensors> inputs =
      readInputs(inputSpecs, *inputFiles, options.bf16, options.seed);
  if (!inputs.ok()) {
    return inputs.status();
  }
  for (size_t i = 0; i < inputSpecs.size(); ++i) {
    absl::PrintF("input %s: %s, %s\n", inputSpecs[i].name,
                 typeText(inputSpecs[i].dims, inputSpecs[i].dtype),
                 (*inputFiles)[i].empty()
                     ? absl::StrCat("random (seed ", options.seed, ")")
                     : (*inputFiles)[i]);
  }
  if (found->isPadded) {
    absl::PrintF("%s is padded to %s: %d elements more\n",
                 describeSizes(**entry, found->sizes),
                 describeSizes(**entry, (*entry)->sizes(found->bucket)),
                 elementsOf(program.inputs()) - elementsOf(inputSpecs));
  }
  absl::StatusOr<ModelTensors> outputs = allocateTensors(outputSpecs);
  if (!outputs.ok()) {
    return outputs.status();
  }
  runtime::ContextOptions contextOptions;
  contextOptions.graph = options.graph;
  absl::StatusOr<std::unique_ptr<EntryContext>> context =
      EntryContext::create(*entry, contextOptions);
  if (!context.ok()) {
    return context.status();
  }
  absl::StatusOr<DeviceTensors> deviceInputs =
      DeviceTensors::create(program, inputSpecs, inputs->tensors);
  if (!deviceInputs.ok()) {
    return deviceInputs.status();
  }
  absl::StatusOr<DeviceTensors> deviceOutputs =
      DeviceTensors::create(program, outputSpecs, outputs->tensors);
  if (!deviceOutputs.ok()) {
    return deviceOutputs.status();
  }
  absl::Status status = runRepeatedly(**context, program, *deviceInputs,
                                      *deviceOutputs, options.repeat);
  // Results of clamped indices are results; they are shown, and not written.
  absl::Status outside = absl::IsOutOfRange(status) ? status : absl::OkStatus();
  if (status.ok() || !outside.ok()) {
    status = deviceOutputs->copyBack();
  }
  if (!status.ok()) {
    return status;
  }
  if (options.stats) {
    printStats(**context, program);
  }
  for (size_t i = 0; i < outputSpecs.size(); ++i) {
    absl::PrintF("%s\n", summarize(outputSpecs[i], outputs->tensors[i]));
  }
  absl::StatusOr<bool> right = true;
  if (options.check) {
    right = check(options, **entry, *found, specs, inputs->tensors,
                  outputs->tensors);
  } else if (!options.expected.empty()) {
    right = checkAgainstFile(options.expected, outputSpecs, outputs->tensors);
  }
  if (!right.ok()) {
    return right.status();
  }
  if (*right && !outside.ok()) {
    return outside;
  }
  for (size_t i = 0; i < outputSpecs.size(); ++i) {
    if ((*outputFiles)[i].empty()) {
      continue;
    }
    absl::Status status =
        runtime::writeNpy((*outputFiles)[i], outputs->tensors[i]);
    if (!status.ok()) {
      return status;
    }
  }
  return *right ? ExitCode::Success : ExitCode::Mismatch;
}

} // namespace

int run(const RunOptions &options, std::shared_ptr<const void> *loaded) {
  absl::StatusOr<ExitCode> code = tryRun(options, loaded);
  return code.ok() ? static_cast<int>(*code) : fail("minic-run", code.status());
}

} // namespace minic::tools
