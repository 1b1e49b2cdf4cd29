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

#include <algorithm>
#include <functional>
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
  for (const auto &[name, size] : request.sizes) {
    arguments.push_back(absl::StrCat("--dim=", name, "=", size));
  }
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

/// Whether `dims` are `of`, or smaller where that may be.
bool isWithin(const std::vector<int64_t> &dims, const std::vector<int64_t> &of,
              bool isPadded) {
  if (!isPadded) {
    return dims == of;
  }
  return dims.size() == of.size() &&
         std::equal(dims.begin(), dims.end(), of.begin(), std::less_equal<>());
}

/// Row `row` of `dims`, as a row of `smaller`; -1 where that has none.
int64_t rowWithin(const std::vector<int64_t> &smaller,
                  const std::vector<int64_t> &dims, int64_t row) {
  int64_t result = 0, step = 1;
  for (size_t axis = dims.size(); axis-- > 1;) {
    int64_t index = row % dims[axis - 1];
    if (index >= smaller[axis - 1]) {
      return -1;
    }
    result += index * step;
    step *= smaller[axis - 1];
    row /= dims[axis - 1];
  }
  return result;
}

/// What `whole` says of the elements at the indices of `dims`; its first row is
/// always given.
ExpectedOutput crop(const ExpectedOutput &whole,
                    const std::vector<int64_t> &dims) {
  ExpectedOutput part;
  part.name = whole.name;
  part.dtype = whole.dtype;
  part.dims = dims;
  int64_t from = runtime::rowElements(whole.dims);
  int64_t length = runtime::rowElements(dims);
  int64_t count = from == 0 ? 0 : int64_t(whole.values.size()) / from;
  for (int64_t i = 0; i < count; ++i) {
    int64_t row = rowWithin(dims, whole.dims,
                            whole.rows.empty() ? i : whole.rows[size_t(i)]);
    if (row < 0) {
      continue;
    }
    part.rows.push_back(row);
    auto take = [&](const std::vector<double> &all, std::vector<double> &some) {
      if (!all.empty()) {
        auto first = all.begin() + i * from;
        some.insert(some.end(), first, first + length);
      }
    };
    take(whole.values, part.values);
    take(whole.tolerances, part.tolerances);
    take(whole.alternatives, part.alternatives);
  }
  if (int64_t(part.rows.size()) == runtime::rowCount(dims)) {
    part.rows.clear(); // all of them
  }
  return part;
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
           absl::Span<const runtime::Tensor> outputs, bool isPadded) {
  if (expected.size() != outputSpecs.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--check: the model has ", expected.size(),
                     " outputs where the artifact has ", outputSpecs.size()));
  }
  bool right = true;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (expected[i].dtype != outputSpecs[i].dtype ||
        !isWithin(outputSpecs[i].dims, expected[i].dims, isPadded)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--check: output ", outputSpecs[i].name,
                       " has another shape or dtype in the model"));
    }
    bool isWhole = expected[i].dims == outputSpecs[i].dims;
    right =
        report(isWhole ? expected[i] : crop(expected[i], outputSpecs[i].dims),
               outputs[i]) &&
        right;
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
  return compareAll(*expected, outputSpecs, outputs, request.isPadded);
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
  return compareAll(*expected, outputSpecs, outputs, /*isPadded=*/false);
}

} // namespace minic::tools
