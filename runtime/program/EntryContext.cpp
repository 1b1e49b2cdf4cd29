// SPDX-License-Identifier: Apache-2.0
//
// Contexts side by side in one arena.

#include "runtime/program/EntryContext.h"

namespace minic::runtime {

absl::StatusOr<std::unique_ptr<EntryContext>>
EntryContext::create(std::shared_ptr<const Entry> entry,
                     const ContextOptions &options) {
  std::unique_ptr<EntryContext> result(new EntryContext(entry));
  ContextOptions shared = options;
  if (entry->buckets().size() > 1) {
    absl::StatusOr<Arena> arena =
        Arena::create(*entry->buckets().front(), entry->arenaBytes(), options);
    if (!arena.ok()) {
      return arena.status();
    }
    result->arena_ = std::move(*arena);
    shared.arena = result->arena_.data();
    shared.arenaBytes = entry->arenaBytes();
  }
  for (const std::shared_ptr<const Program> &bucket : entry->buckets()) {
    absl::StatusOr<std::unique_ptr<Context>> context =
        Context::create(bucket, shared);
    if (!context.ok()) {
      return context.status();
    }
    result->contexts_.push_back(std::move(*context));
  }
  return result;
}

absl::Status EntryContext::run(absl::Span<const Tensor> inputs,
                               absl::Span<const Tensor> outputs) {
  absl::StatusOr<size_t> bucket = entry_->find(inputs);
  if (!bucket.ok()) {
    return bucket.status();
  }
  absl::Status status = contexts_[*bucket]->run(inputs, outputs);
  counters_[*bucket].runs += status.ok();
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
