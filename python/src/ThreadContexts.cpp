// SPDX-License-Identifier: Apache-2.0
//
// A program lists its Contexts, a thread those that it may use. Both lists name
// the same objects, and whoever ends first takes them along.

#include "ThreadContexts.h"

#include "Failure.h"

#include <algorithm>

namespace minic::python {

struct ThreadContexts::All {
  std::mutex mutex;
  std::vector<std::shared_ptr<ThreadContext>> contexts;
};

namespace {

struct Entry {
  const ThreadContexts::All *program; // for comparison; it may be gone
  std::weak_ptr<ThreadContexts::All> all;
  std::weak_ptr<ThreadContext> context;
  void *stream;
};

struct ThisThread {
  std::vector<Entry> entries;

  ~ThisThread() {
    for (Entry &entry : entries) {
      std::shared_ptr<ThreadContext> mine = entry.context.lock();
      std::shared_ptr<ThreadContexts::All> all = entry.all.lock();
      if (!mine || !all) {
        continue;
      }
      std::lock_guard<std::mutex> lock(all->mutex);
      auto &contexts = all->contexts;
      contexts.erase(std::remove(contexts.begin(), contexts.end(), mine),
                     contexts.end());
    }
  }

  void forgetExpired() {
    entries.erase(
        std::remove_if(entries.begin(), entries.end(),
                       [](const Entry &e) { return e.context.expired(); }),
        entries.end());
  }
};

} // namespace

static thread_local ThisThread thisThread;

ThreadContext::ThreadContext(const minic_program *program,
                             minic_context_options options)
    : stream(options.stream), aligned(minic_program_input_count(program) +
                                      minic_program_output_count(program)) {
  check(minic_context_create(program, &options, &context));
}

ThreadContext::~ThreadContext() {
  // A run on a GPU may be on its way.
  minic_context_synchronize(context);
  minic_context_destroy(context);
}

ThreadContexts::ThreadContexts(const minic_program *program,
                               minic_context_options options)
    : program(program), options(options), all(std::make_shared<All>()) {}

std::shared_ptr<ThreadContext> ThreadContexts::here(void *stream) {
  for (const Entry &entry : thisThread.entries) {
    if (entry.program == all.get() && entry.stream == stream) {
      if (std::shared_ptr<ThreadContext> found = entry.context.lock()) {
        return found;
      }
    }
  }
  thisThread.forgetExpired();
  minic_context_options mine = options;
  mine.stream = stream;
  auto made = std::make_shared<ThreadContext>(program, mine);
  {
    std::lock_guard<std::mutex> lock(all->mutex);
    all->contexts.push_back(made);
  }
  thisThread.entries.push_back({all.get(), all, made, stream});
  return made;
}

minic_bucket_counters ThreadContexts::bucketCounters(size_t bucket) const {
  minic_bucket_counters sum = MINIC_BUCKET_COUNTERS_INIT;
  for (const Entry &entry : thisThread.entries) {
    std::shared_ptr<ThreadContext> mine = entry.context.lock();
    if (!mine || entry.program != all.get()) {
      continue;
    }
    minic_bucket_counters one = MINIC_BUCKET_COUNTERS_INIT;
    check(minic_context_bucket_counters(mine->context, bucket, &one));
    sum.runs += one.runs;
    sum.padded_runs += one.padded_runs;
    sum.padded_elements += one.padded_elements;
  }
  return sum;
}

template <typename Wanted> static void synchronizeIf(const Wanted &isWanted) {
  for (const Entry &entry : thisThread.entries) {
    std::shared_ptr<ThreadContext> mine = entry.context.lock();
    if (mine && isWanted(entry)) {
      check(minic_context_synchronize(mine->context));
    }
  }
}

void ThreadContexts::synchronize() const {
  synchronizeIf([&](const Entry &entry) { return entry.program == all.get(); });
}

void ThreadContexts::synchronizeAll() {
  synchronizeIf([](const Entry &) { return true; });
}

} // namespace minic::python
