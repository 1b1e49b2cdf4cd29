// SPDX-License-Identifier: Apache-2.0
//
// Verify: two poisoned, guarded runs and their comparison.

#include "runtime/measure/Verify.h"

#include "runtime/device/cpu/HostMemory.h"
#include "runtime/measure/GuardedTensors.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <cstring>

namespace minic::runtime {
namespace {

constexpr uint8_t poisons[2] = {0xff, 0xa5};

/// Matches expected outputs to the function's, in the function's order.
absl::StatusOr<std::vector<const ExpectedOutput *>>
matchExpected(const std::vector<TensorSpec> &specs,
              const std::vector<ExpectedOutput> &expected) {
  std::vector<const ExpectedOutput *> matched;
  for (const TensorSpec &spec : specs) {
    auto found =
        std::find_if(expected.begin(), expected.end(), [&](const auto &entry) {
          return entry.name == spec.name;
        });
    if (found == expected.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected outputs have none named '", spec.name, "'"));
    }
    if (found->dtype != spec.dtype || found->dims != spec.dims) {
      auto type = [](const std::vector<int64_t> &dims, DType dtype) {
        return absl::StrCat(absl::StrJoin(dims, "x"), "x", toString(dtype));
      };
      return absl::InvalidArgumentError(absl::StrCat(
          "expected output '", spec.name, "' is ",
          type(found->dims, found->dtype), " where the function has ",
          type(spec.dims, spec.dtype)));
    }
    matched.push_back(&*found);
  }
  return matched;
}

bool fits(const std::vector<TensorSpec> &specs, const OutputValues &values) {
  return std::equal(specs.begin(), specs.end(), values.begin(), values.end(),
                    [](const TensorSpec &spec, const AlignedBuffer &value) {
                      return uint64_t(spec.bytes()) == value.bytes();
                    });
}

absl::StatusOr<GuardedTensors>
createTensors(const VerifySubject &subject, uint64_t seed, VerifyCache &cache) {
  return GuardedTensors::create(subject.memory ? *subject.memory : hostMemory(),
                                {subject.inputs, subject.outputs,
                                 subject.arenaBytes, subject.zeroedBytes},
                                seed, cache);
}

absl::StatusOr<OutputValues> copyOutputs(const GuardedTensors &tensors) {
  OutputValues values;
  for (size_t i = 0; i < tensors.outputs().size(); ++i) {
    absl::StatusOr<AlignedBuffer> copy = tensors.copyOutput(i);
    if (!copy.ok()) {
      return copy.status();
    }
    values.push_back(std::move(*copy));
  }
  return values;
}

bool isFilledWith(const std::byte *element, int64_t bytes, uint8_t pattern) {
  return std::all_of(element, element + bytes, [=](std::byte byte) {
    return byte == std::byte(pattern);
  });
}

/// The first element that still holds each run's poison, or -1.
int64_t findUnwritten(const TensorSpec &spec, const std::byte *first,
                      const std::byte *second) {
  int64_t size = elementBytes(spec.dtype);
  for (int64_t i = 0; i < spec.elements(); ++i) {
    if (isFilledWith(first + i * size, size, poisons[0]) &&
        isFilledWith(second + i * size, size, poisons[1])) {
      return i;
    }
  }
  return -1;
}

/// One line on what no comparison of values would see, or "".
std::string findMalformed(const TensorSpec &spec, const std::byte *first,
                          const std::byte *second, bool &deterministic) {
  bool same =
      spec.bytes() == 0 || std::memcmp(first, second, spec.bytes()) == 0;
  deterministic = deterministic && same;
  // Different poisons, same bytes: everything was written.
  if (!same) {
    if (int64_t element = findUnwritten(spec, first, second); element >= 0) {
      return absl::StrCat("output ", spec.name, ": element ", element, " of ",
                          spec.elements(), " was not written");
    }
  }
  if (spec.dtype == DType::i1) {
    for (int64_t i = 0; i < spec.elements(); ++i) {
      if (first[i] > std::byte(1)) {
        return absl::StrCat("output ", spec.name, ": element ", i,
                            " of i1 holds ", int(first[i]));
      }
    }
  }
  return "";
}

void include(VerifyReply &reply, const Comparison &comparison) {
  reply.worst = std::max(reply.worst, comparison.worst);
  reply.maxAbsoluteError =
      std::max(reply.maxAbsoluteError, comparison.maxAbsoluteError);
  reply.maxRelativeError =
      std::max(reply.maxRelativeError, comparison.maxRelativeError);
  if (!comparison.matches && reply.status == VerifyStatus::ok) {
    reply.status = VerifyStatus::wrong;
    reply.detail = comparison.detail;
  }
}

VerifyReply failed(VerifyStatus status, std::string detail) {
  VerifyReply reply;
  reply.status = status;
  reply.detail = std::move(detail);
  return reply;
}

/// A run that failed says something of the function, unless the machine had too
/// little for it.
absl::StatusOr<VerifyReply> notRun(const absl::Status &status) {
  if (absl::IsResourceExhausted(status)) {
    return status;
  }
  return failed(VerifyStatus::error, std::string(status.message()));
}

} // namespace

absl::StatusOr<OutputValues> computeOutputs(const VerifySubject &subject,
                                            uint64_t seed, VerifyCache &cache) {
  absl::StatusOr<GuardedTensors> tensors = createTensors(subject, seed, cache);
  absl::Status status =
      tensors.ok() ? tensors->poison(0, /*isZeroed=*/false) : tensors.status();
  if (!status.ok()) {
    return status;
  }
  absl::StatusOr<VerifySubject::Run> run = subject.prepare(tensors->arena());
  if (!run.ok()) {
    return run.status();
  }
  status = (*run)(tensors->inputs(), tensors->outputs());
  if (!status.ok()) {
    return status;
  }
  return copyOutputs(*tensors);
}

absl::StatusOr<VerifyReply> verify(const VerifySubject &subject, uint64_t seed,
                                   const std::vector<ExpectedOutput> &expected,
                                   const OutputValues *trusted,
                                   VerifyCache &cache) {
  absl::StatusOr<std::vector<const ExpectedOutput *>> matched =
      matchExpected(subject.outputs, expected);
  if (!matched.ok()) {
    return matched.status();
  }
  if (trusted != nullptr && !fits(subject.outputs, *trusted)) {
    return absl::InvalidArgumentError(
        "the trusted run has other outputs than the function");
  }
  absl::StatusOr<GuardedTensors> tensors = createTensors(subject, seed, cache);
  absl::Status poisoned = tensors.ok()
                              ? tensors->poison(poisons[0], /*isZeroed=*/false)
                              : tensors.status();
  if (!poisoned.ok()) {
    return poisoned;
  }
  absl::StatusOr<VerifySubject::Run> run = subject.prepare(tensors->arena());
  if (!run.ok()) {
    return notRun(run.status());
  }
  OutputValues values[2];
  for (int i = 0; i < 2; ++i) {
    poisoned = tensors->poison(poisons[i], /*isZeroed=*/true);
    if (!poisoned.ok()) {
      return poisoned;
    }
    absl::Status status = (*run)(tensors->inputs(), tensors->outputs());
    if (!status.ok()) {
      return notRun(status);
    }
    absl::StatusOr<std::string> damage = tensors->damage();
    if (damage.ok() && damage->empty() && i == 1) {
      damage = tensors->changedInput(); // of either run
    }
    if (!damage.ok()) {
      return damage.status();
    }
    if (!damage->empty()) {
      return failed(VerifyStatus::wrong, *std::move(damage));
    }
    absl::StatusOr<OutputValues> copied = copyOutputs(*tensors);
    if (!copied.ok()) {
      return copied.status();
    }
    values[i] = *std::move(copied);
  }

  VerifyReply reply;
  reply.deterministic = true;
  for (size_t i = 0; i < subject.outputs.size(); ++i) {
    const std::byte *first = values[0][i].data(), *second = values[1][i].data();
    bool same = true;
    std::string malformed =
        findMalformed(subject.outputs[i], first, second, same);
    if (!malformed.empty()) {
      return failed(VerifyStatus::wrong, std::move(malformed));
    }
    reply.deterministic = reply.deterministic && same;
    for (const std::byte *data : {first, second}) {
      include(reply, compare(*(*matched)[i], data));
      if (trusted != nullptr) {
        include(reply,
                compareWithTrusted(*(*matched)[i], (*trusted)[i].data(), data));
      }
      if (same) {
        break; // comparing the same bytes again would say the same
      }
    }
  }
  for (OutputValues &run : values) {
    for (AlignedBuffer &buffer : run) {
      cache.leave(std::move(buffer));
    }
  }
  return reply;
}

} // namespace minic::runtime
