// SPDX-License-Identifier: Apache-2.0
//
// ThreadContexts: a program's Contexts, one for each thread that calls it and,
// on a GPU, for each stream that a thread uses, so that callers share nothing
// and runs that share an arena are ordered by their stream.

#ifndef MINIC_PYTHON_THREADCONTEXTS_H
#define MINIC_PYTHON_THREADCONTEXTS_H

#include "AlignedMemory.h"

#include <minic/minic.h>

#include <memory>
#include <mutex>
#include <vector>

namespace minic::python {

/// One Context, and memory for tensors that are aligned less than it wants.
struct ThreadContext {
  ThreadContext(const minic_program *program, minic_context_options options);
  ~ThreadContext();
  ThreadContext(const ThreadContext &) = delete;
  ThreadContext &operator=(const ThreadContext &) = delete;

  minic_context *context = nullptr;
  void *stream;
  std::vector<AlignedMemory> aligned; // by tensor; made when first needed
};

class ThreadContexts {
public:
  /// `options` are those of all Contexts but for their stream.
  ThreadContexts(const minic_program *program, minic_context_options options);

  /// The calling thread's for `stream`, created in its first call. It is
  /// destroyed when the thread ends or this is, whichever is first.
  std::shared_ptr<ThreadContext> here(void *stream);

  /// What runs of the calling thread did with bucket number `bucket`, of all
  /// streams together.
  minic_bucket_counters bucketCounters(size_t bucket) const;

  /// Waits for all runs of the calling thread on this program.
  void synchronize() const;
  /// The same for all programs.
  static void synchronizeAll();

  struct All;

private:
  const minic_program *program;
  minic_context_options options;
  std::shared_ptr<All> all;
};

} // namespace minic::python

#endif // MINIC_PYTHON_THREADCONTEXTS_H
