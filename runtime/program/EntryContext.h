// SPDX-License-Identifier: Apache-2.0
//
// EntryContext: one stream of runs of an Entry, of any of its sizes.

#ifndef MINIC_RUNTIME_PROGRAM_ENTRYCONTEXT_H
#define MINIC_RUNTIME_PROGRAM_ENTRYCONTEXT_H

#include "runtime/program/Arena.h"
#include "runtime/program/Context.h"
#include "runtime/program/Padding.h"
#include "runtime/program/SizeWords.h"

namespace minic::runtime {

/// What a context did with one bucket.
struct BucketCounters {
  int64_t runs = 0;
  int64_t paddedRuns = 0;     // of them: of smaller sizes
  int64_t paddedElements = 0; // that inputs of these lacked
};

/// A Context for each bucket, all in one arena. Where there are several, or a
/// padded one, everything that a run needs is made here, graphs included: a run
/// picks, and neither compiles nor captures.
/// Thread-compatible: one thread at a time.
class EntryContext {
public:
  static absl::StatusOr<std::unique_ptr<EntryContext>>
  create(std::shared_ptr<const Entry> entry, const ContextOptions &options);

  /// As Context::run, for the bucket of the inputs' sizes, or the next larger
  /// one where these are padded: outputs have the run's sizes then, and are
  /// copied, or the bucket's, and are written where they are.
  /// InvalidArgument where there is none. On a GPU copies in and out are
  /// enqueued on the stream, before and behind the run.
  absl::Status run(absl::Span<const Tensor> inputs,
                   absl::Span<const Tensor> outputs);
  /// As Context::prepare, for tensors of a bucket's own sizes. A padded run's
  /// are copied to tensors that stay, which the load prepared for.
  absl::Status prepare(absl::Span<const Tensor> inputs,
                       absl::Span<const Tensor> outputs);
  absl::Status setStream(void *stream);
  absl::Status synchronize();

  /// Of all buckets together.
  GraphCounters graphCounters() const;
  /// The first bucket's that has one.
  std::string graphRefusal() const;
  const BucketCounters &counters(size_t bucket) const {
    return counters_[bucket];
  }
  const Entry &entry() const { return *entry_; }

private:
  absl::Status runPadded(const Entry::Found &found,
                         absl::Span<const Tensor> inputs,
                         absl::Span<const Tensor> outputs);
  explicit EntryContext(std::shared_ptr<const Entry> entry)
      : entry_(std::move(entry)), counters_(entry_->buckets().size()) {}

  std::shared_ptr<const Entry> entry_;
  Arena arena_;
  std::vector<std::unique_ptr<Context>> contexts_;
  Padding padding_; // empty where nothing is padded
  SizeWords sizeWords_;
  std::vector<BucketCounters> counters_;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_PROGRAM_ENTRYCONTEXT_H
