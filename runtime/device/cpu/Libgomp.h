// SPDX-License-Identifier: Apache-2.0
//
// Libgomp: GNU's OpenMP runtime, opened on demand. oneDNN runs on its threads,
// so a plan that calls oneDNN runs its own kernels on them too.

#ifndef MINIC_RUNTIME_DEVICE_CPU_LIBGOMP_H
#define MINIC_RUNTIME_DEVICE_CPU_LIBGOMP_H

#include "absl/status/statusor.h"

namespace minic::runtime {

/// Functions of libgomp.so.1; thread-safe.
struct Libgomp {
  void (*parallel)(void (*body)(void *), void *data, unsigned threads,
                   unsigned flags);
  int (*threadNumber)();
  int (*threadCount)();
  int (*maxThreads)();
  void (*setMaxThreads)(int threads);
  int (*pauseAll)(int kind); // null before GCC 9

  /// Opens it once per process and keeps it. FailedPrecondition with the
  /// system's reason where it cannot be opened.
  static absl::StatusOr<const Libgomp *> open();
};

/// The number of threads oneDNN's next calls from this thread use, while alive.
class MaxThreads {
public:
  MaxThreads(const Libgomp &gomp, int threads)
      : gomp(gomp), previous(gomp.maxThreads()) {
    gomp.setMaxThreads(threads);
  }
  ~MaxThreads() { gomp.setMaxThreads(previous); }
  MaxThreads(const MaxThreads &) = delete;
  MaxThreads &operator=(const MaxThreads &) = delete;

private:
  const Libgomp &gomp;
  int previous;
};

/// For measuring: keeps libgomp's threads of the calling thread while it lives.
/// They start at once, so that no first call waits for them. They end with it,
/// because they would spin for milliseconds beside what is measured next. No
/// effect for one thread or without libgomp.
class LibgompTeam {
public:
  explicit LibgompTeam(int threads);
  ~LibgompTeam();
  LibgompTeam(const LibgompTeam &) = delete;
  LibgompTeam &operator=(const LibgompTeam &) = delete;

private:
  const Libgomp *gomp_ = nullptr;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CPU_LIBGOMP_H
