// SPDX-License-Identifier: Apache-2.0
//
// dispatch_bench: what picking a bucket adds to a call. Runs of an entry beside
// runs of the bucket's own function, which is what an artifact of that size
// alone would be, in turn; and runs that are padded.
//
// Both have prepared for their tensors, so that picking is all that differs; in
// the last column they have not, and graphs of a GPU follow to other tensors as
// each of them does.
//
//   cmake --build build/release --target dispatch_bench
//   build/release/bin/dispatch_bench tiny.minic [ROUNDS]

#include "runtime/device/DeviceBuffer.h"
#include "runtime/measure/Statistics.h"
#include "runtime/program/EntryContext.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>

using namespace minic::runtime;

namespace {

constexpr int runsOfSample = 2000;

template <typename T> T take(absl::StatusOr<T> value) {
  if (!value.ok()) {
    std::fprintf(stderr, "dispatch_bench: error: %s\n",
                 std::string(value.status().message()).c_str());
    std::exit(3);
  }
  return *std::move(value);
}

/// A context and tensors of one size.
class Caller {
public:
  /// `inPlace`: outputs have all of the bucket's sizes, so that those of a
  /// padded run need no copy.
  Caller(std::shared_ptr<const Entry> entry, const Entry::Found &found,
         bool inPlace = false)
      : context(take(EntryContext::create(entry, {}))) {
    const Program &bucket = *entry->buckets()[found.bucket];
    for (size_t i = 0; i < bucket.inputs().size(); ++i) {
      entry->inputDims(found, i, dims.emplace_back());
      add(bucket, bucket.inputs()[i], inputs);
    }
    for (size_t i = 0; i < bucket.outputs().size(); ++i) {
      entry->outputDims(found, i, dims.emplace_back());
      if (inPlace) {
        dims.back() = bucket.outputs()[i].dims;
      }
      add(bucket, bucket.outputs()[i], outputs);
    }
  }
  Caller(const Caller &) = delete;

  void prepare() {
    if (absl::Status status = context->prepare(inputs, outputs); !status.ok()) {
      take<int>(status);
    }
  }

  /// Nanoseconds of a run.
  double sample() {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < runsOfSample; ++i) {
      if (absl::Status status = context->run(inputs, outputs); !status.ok()) {
        take<int>(status);
      }
    }
    if (absl::Status status = context->synchronize(); !status.ok()) {
      take<int>(status);
    }
    std::chrono::duration<double, std::nano> passed =
        std::chrono::steady_clock::now() - start;
    return passed.count() / runsOfSample;
  }

private:
  void add(const Program &bucket, const TensorSpec &spec,
           std::vector<Tensor> &tensors) {
    memory.push_back(take(DeviceBuffer::create(
        bucket.executable().memory(), std::max<int64_t>(64, spec.bytes()))));
    // Pages that nobody wrote are all one page, which a cache holds.
    absl::Status status = bucket.executable().memory().fill(
        memory.back().data(), 0, memory.back().bytes());
    if (!status.ok()) {
      take<int>(status);
    }
    tensors.push_back(
        {memory.back().data(), spec.dtype, dims.back(), bucket.place()});
  }

  std::unique_ptr<EntryContext> context;
  std::deque<std::vector<int64_t>> dims; // tensors point into it
  std::vector<DeviceBuffer> memory;
  std::vector<Tensor> inputs, outputs;
};

/// Samples of two callers in turn.
struct Pairs {
  std::vector<double> alone, entry, more;

  Pairs(Caller &single, Caller &bucketed, int rounds) {
    for (int round = 0; round < rounds; ++round) {
      double a = 0, b = 0;
      if (round % 2) {
        a = single.sample();
        b = bucketed.sample();
      } else {
        b = bucketed.sample();
        a = single.sample();
      }
      alone.push_back(a);
      entry.push_back(b);
      more.push_back(b - a);
    }
  }
};

/// Runs of one row less than each bucket has, in turn with outputs copied and
/// written where they are.
void timePadded(const std::shared_ptr<const Entry> &entry, int rounds) {
  if (entry->dims().size() != 1 || !entry->isPadded()) {
    return;
  }
  std::printf("%24s %10s %10s\n", "padded by a row", "copied ns", "in place");
  for (size_t i = 0; i < entry->buckets().size(); ++i) {
    Entry::Found found;
    found.bucket = i;
    found.sizes[0] = entry->sizes(i)[0] - 1;
    bool isListed = found.sizes[0] < 1 ||
                    (i > 0 && entry->sizes(i - 1)[0] == found.sizes[0]);
    if (isListed) {
      continue;
    }
    Caller copied(entry, found), inPlace(entry, found, /*inPlace=*/true);
    std::vector<double> copiedNs, inPlaceNs;
    for (int round = 0; round < rounds; ++round) {
      copiedNs.push_back(copied.sample());
      inPlaceNs.push_back(inPlace.sample());
    }
    std::printf("%24s %10.1f %10.1f\n", entry->buckets()[i]->function(),
                median(copiedNs), median(inPlaceNs));
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: dispatch_bench FILE.minic [ROUNDS]\n");
    return 2;
  }
  int rounds = argc > 2 ? std::max(3, std::atoi(argv[2])) : 101;
  auto entry = take(Entry::load(argv[1]));
  std::printf("%24s %10s %10s %12s %s %s\n", "bucket", "alone ns", "entry ns",
              "more ns", "95 % interval", "not prepared: more ns");
  for (size_t i = 0; i < entry->buckets().size(); ++i) {
    ProgramOptions options;
    options.function = entry->buckets()[i]->function();
    auto alone = take(entry->loadFunction(options));
    Entry::Found found;
    found.bucket = i;
    std::copy_n(entry->sizes(i).begin(), entry->dims().size(),
                found.sizes.begin());
    Caller single(alone, Entry::Found{}), bucketed(entry, found);
    Pairs given(single, bucketed, rounds);
    single.prepare();
    bucketed.prepare();
    Pairs prepared(single, bucketed, rounds);
    Estimate added = estimateMedian(prepared.more);
    std::printf("%24s %10.1f %10.1f %12.1f [%.1f, %.1f] %12.1f\n",
                options.function.c_str(), median(prepared.alone),
                median(prepared.entry), added.value, added.low, added.high,
                median(given.more));
  }
  timePadded(entry, rounds);
  return 0;
}
