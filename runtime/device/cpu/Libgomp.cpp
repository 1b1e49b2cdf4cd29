// SPDX-License-Identifier: Apache-2.0
//
// dlopen of libgomp.so.1.

#include "runtime/device/cpu/Libgomp.h"

#include "absl/strings/str_cat.h"

#include <dlfcn.h>

namespace minic::runtime {

static absl::StatusOr<const Libgomp *> openOnce() {
  void *library = dlopen("libgomp.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot open libgomp.so.1: ", dlerror()));
  }
  static Libgomp gomp;
  auto bind = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(
        dlsym(library, name));
    return function != nullptr;
  };
  if (!bind(gomp.parallel, "GOMP_parallel") ||
      !bind(gomp.threadNumber, "omp_get_thread_num") ||
      !bind(gomp.threadCount, "omp_get_num_threads") ||
      !bind(gomp.maxThreads, "omp_get_max_threads") ||
      !bind(gomp.setMaxThreads, "omp_set_num_threads")) {
    return absl::FailedPreconditionError(
        absl::StrCat("libgomp.so.1 is not usable: ", dlerror()));
  }
  bind(gomp.pauseAll, "omp_pause_resource_all");
  return &gomp;
}

absl::StatusOr<const Libgomp *> Libgomp::open() {
  static const absl::StatusOr<const Libgomp *> gomp = openOnce();
  return gomp;
}

LibgompTeam::LibgompTeam(int threads) {
  if (threads == 1) {
    return;
  }
  if (absl::StatusOr<const Libgomp *> gomp = Libgomp::open(); gomp.ok()) {
    gomp_ = *gomp;
    gomp_->parallel([](void *) {}, nullptr, threads, 0);
  }
}

LibgompTeam::~LibgompTeam() {
  constexpr int soft = 1; // omp_pause_soft
  if (gomp_ && gomp_->pauseAll) {
    gomp_->pauseAll(soft);
  }
}

} // namespace minic::runtime
