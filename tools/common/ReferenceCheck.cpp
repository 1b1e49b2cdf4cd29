// SPDX-License-Identifier: Apache-2.0
//
// ReferenceCheck: runs `minic evaluate` on the inputs as files.

#include "tools/common/ReferenceCheck.h"

#include "runtime/measure/ExpectedOutputs.h"
#include "runtime/measure/NpyFile.h"
#include "runtime/measure/RootMeanSquare.h"
#include "tools/common/RunMinic.h"
#include "tools/common/TemporaryDirectory.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <vector>

namespace minic::tools {

using runtime::ExpectedOutput;

namespace {

absl::StatusOr<std::vector<ExpectedOutput>>
evaluate(const ReferenceRequest &request,
         absl::Span<const runtime::TensorSpec> specs,
         absl::Span<const runtime::Tensor> inputs) {
  absl::StatusOr<TemporaryDirectory> folder = TemporaryDirectory::create();
  if (!folder.ok()) {
    return folder.status();
  }
  std::string expected = folder->path() + "/expected";
  std::vector<std::string> arguments = {"evaluate", request.model,
                                        "--function=" + request.function,
                                        "--expected=" + expected};
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string path = absl::StrCat(folder->path(), "/", i, ".npy");
    if (absl::Status status = runtime::writeNpy(path, inputs[i]);
        !status.ok()) {
      return status;
    }
    arguments.push_back(absl::StrCat("--input=", specs[i].name, "=", path));
  }
  absl::Status status = runMinic("--check", arguments);
  return status.ok() ? runtime::readExpectedOutputs(expected) : status;
}

/// Prints the verdict on one output.
bool report(const ExpectedOutput &expected, const runtime::Tensor &output) {
  runtime::Comparison result = runtime::compare(expected, output.data);
  if (!result.matches) {
    absl::PrintF("check %s: WRONG: %s\n", expected.name, result.detail);
    return false;
  }
  absl::PrintF("check %s: ok, error at most %.3g of its tolerance, %.3g "
               "relative",
               expected.name, result.worst, result.maxRelativeError);
  if (!expected.rows.empty()) {
    absl::PrintF(" (%d of %d rows)", expected.rows.size(),
                 runtime::rowCount(expected.dims));
  }
  absl::PrintF("\n");
  runtime::RootMeanSquare whole =
      runtime::rootMeanSquare(expected, output.data);
  if (whole.isVacuous()) {
    absl::PrintF("check %s: vacuous, tolerances are %.3g of its RMS; the RMS "
                 "error is %.3g of it\n",
                 expected.name, whole.bound, whole.error);
  }
  return true;
}

absl::StatusOr<bool>
compareAll(const std::vector<ExpectedOutput> &expected,
           absl::Span<const runtime::TensorSpec> outputSpecs,
           absl::Span<const runtime::Tensor> outputs) {
  if (expected.size() != outputSpecs.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--check: the model has ", expected.size(),
                     " outputs where the artifact has ", outputSpecs.size()));
  }
  bool right = true;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (expected[i].dtype != outputSpecs[i].dtype ||
        expected[i].dims != outputSpecs[i].dims) {
      return absl::InvalidArgumentError(
          absl::StrCat("--check: output ", outputSpecs[i].name,
                       " has another shape or dtype in the model"));
    }
    right = report(expected[i], outputs[i]) && right;
  }
  return right;
}

} // namespace

absl::StatusOr<bool>
checkAgainstReference(const ReferenceRequest &request,
                      absl::Span<const runtime::TensorSpec> inputSpecs,
                      absl::Span<const runtime::Tensor> inputs,
                      absl::Span<const runtime::TensorSpec> outputSpecs,
                      absl::Span<const runtime::Tensor> outputs) {
  absl::StatusOr<std::vector<ExpectedOutput>> expected =
      evaluate(request, inputSpecs, inputs);
  if (!expected.ok()) {
    return expected.status();
  }
  return compareAll(*expected, outputSpecs, outputs);
}

absl::StatusOr<bool>
checkAgainstFile(const std::string &expectedPath,
                 absl::Span<const runtime::TensorSpec> outputSpecs,
                 absl::Span<const runtime::Tensor> outputs) {
  absl::StatusOr<std::vector<ExpectedOutput>> expected =
      runtime::readExpectedOutputs(expectedPath);
  if (!expected.ok()) {
    return expected.status();
  }
  return compareAll(*expected, outputSpecs, outputs);
}

} // namespace minic::tools
