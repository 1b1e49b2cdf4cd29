// SPDX-License-Identifier: Apache-2.0
//
// Contexts side by side in one arena.

#include "runtime/program/EntryContext.h"

#include "runtime/program/CaptureAhead.h"

namespace minic::runtime {

absl::StatusOr<std::unique_ptr<EntryContext>>
EntryContext::create(std::shared_ptr<const Entry> entry,
                     const ContextOptions &options) {
  std::unique_ptr<EntryContext> result(new EntryContext(entry));
  std::shared_ptr<const void> hold =
      entry->buckets().front()->executable().memory().hold();
  ContextOptions shared = options;
  bool isSized = entry->buckets().size() > 1 || entry->isPadded();
  shared.updatesGraphs = options.updatesGraphs.value_or(!isSized);
  uint64_t arenaBytes = entry->arenaBytes();
  // Behind an arena of its own: devices hand memory out in large pieces.
  bool isBehind = entry->isPadded() && !options.arena;
  if (isSized) {
    absl::StatusOr<Arena> arena = Arena::create(
        *entry->buckets().front(),
        arenaBytes + (isBehind ? Padding::bytes(*entry) : 0), options);
    if (!arena.ok()) {
      return arena.status();
    }
    result->arena_ = std::move(*arena);
    shared.arena = result->arena_.data();
    shared.arenaBytes = arenaBytes;
  }
  if (entry->isPadded()) {
    std::byte *behind = isBehind ? result->arena_.data() + arenaBytes : nullptr;
    absl::StatusOr<Padding> padding =
        Padding::create(entry, behind, options.staging);
    if (!padding.ok()) {
      return padding.status();
    }
    result->padding_ = std::move(*padding);
  }
  for (const std::shared_ptr<const Program> &bucket : entry->buckets()) {
    absl::StatusOr<std::unique_ptr<Context>> context =
        Context::create(bucket, shared);
    if (!context.ok()) {
      return context.status();
    }
    result->contexts_.push_back(std::move(*context));
  }
  if (entry->isPadded()) {
    result->sizeWords_ = SizeWords(*entry, result->arena_.data());
  }
  absl::Status captured = absl::OkStatus();
  if (isSized) {
    captured = captureAhead(*entry, result->contexts_,
                            entry->isPadded() ? &result->padding_ : nullptr,
                            result->sizeWords_, options.staging);
  }
  if (!captured.ok()) {
    return captured;
  }
  return result;
}

absl::Status EntryContext::run(absl::Span<const Tensor> inputs,
                               absl::Span<const Tensor> outputs) {
  if (inputs.size() != entry_->inputs().size()) {
    return contexts_.front()->run(inputs, outputs); // says so
  }
  Entry::Found found;
  absl::Status status = entry_->find(inputs, found);
  if (!status.ok()) {
    return status;
  }
  if (found.isPadded) {
    return runPadded(found, inputs, outputs);
  }
  Context &context = *contexts_[found.bucket];
  status = sizeWords_.write(found, context.execution());
  if (status.ok()) {
    status = context.run(inputs, outputs);
  }
  counters_[found.bucket].runs += status.ok();
  return status;
}

absl::Status EntryContext::prepare(absl::Span<const Tensor> inputs,
                                   absl::Span<const Tensor> outputs) {
  if (inputs.size() != entry_->inputs().size()) {
    return contexts_.front()->prepare(inputs, outputs); // says so
  }
  Entry::Found found;
  absl::Status status = entry_->find(inputs, found);
  if (status.ok() && found.isPadded) {
    return absl::InvalidArgumentError(
        "prepare: expected the sizes of a bucket, got sizes that are padded");
  }
  Context &context = *contexts_[found.bucket];
  if (status.ok()) {
    status = sizeWords_.write(found, context.execution());
  }
  return status.ok() ? context.prepare(inputs, outputs) : status;
}

absl::Status EntryContext::runPadded(const Entry::Found &found,
                                     absl::Span<const Tensor> inputs,
                                     absl::Span<const Tensor> outputs) {
  Context &context = *contexts_[found.bucket];
  Execution &execution = context.execution();
  absl::Status status = padding_.begin(found, inputs, outputs, execution);
  if (status.ok()) {
    status = sizeWords_.write(found, execution);
  }
  if (status.ok()) {
    status = context.run(padding_.inputs(), padding_.outputs());
  }
  // Results of clamped indices are results.
  if (status.ok() || absl::IsOutOfRange(status)) {
    status.Update(padding_.finish(outputs, execution));
  }
  if (status.ok()) {
    BucketCounters &counters = counters_[found.bucket];
    ++counters.runs;
    ++counters.paddedRuns;
    counters.paddedElements += padding_.paddedElements();
  }
  return status;
}

absl::Status EntryContext::setStream(void *stream) {
  for (const std::unique_ptr<Context> &context : contexts_) {
    if (absl::Status status = context->setStream(stream); !status.ok()) {
      return status;
    }
  }
  arena_.setStream(stream);
  return absl::OkStatus();
}

absl::Status EntryContext::synchronize() {
  absl::Status first;
  for (const std::unique_ptr<Context> &context : contexts_) {
    first.Update(context->synchronize());
  }
  return first;
}

GraphCounters EntryContext::graphCounters() const {
  GraphCounters sum;
  for (const std::unique_ptr<Context> &context : contexts_) {
    GraphCounters one = context->graphCounters();
    sum.instantiations += one.instantiations;
    sum.updates += one.updates;
    sum.replays += one.replays;
    sum.plainRuns += one.plainRuns;
  }
  return sum;
}

std::string EntryContext::graphRefusal() const {
  for (const std::unique_ptr<Context> &context : contexts_) {
    if (std::string refusal = context->graphRefusal(); !refusal.empty()) {
      return refusal;
    }
  }
  return {};
}

} // namespace minic::runtime
