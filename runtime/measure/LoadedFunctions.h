// SPDX-License-Identifier: Apache-2.0
//
// LoadedFunctions: what a worker has loaded, by the names that its parent gave.

#ifndef MINIC_RUNTIME_MEASURE_LOADEDFUNCTIONS_H
#define MINIC_RUNTIME_MEASURE_LOADEDFUNCTIONS_H

#include "runtime/measure/Protocol.h"
#include "runtime/measure/RandomConstants.h"
#include "runtime/measure/TimedFunction.h"
#include "runtime/measure/TimedGpuFunction.h"
#include "runtime/measure/Verify.h"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace minic::runtime {

/// A function and what was made of it since.
struct LoadedFunction {
  std::shared_ptr<const Program> program;
  /// Made when first timed: the one for this program's place.
  std::optional<TimedFunction> timed;
  std::unique_ptr<TimedGpuFunction> timedGpu;
  /// What it computes for `trustedSeed`, made when first trusted.
  std::optional<OutputValues> trusted;
  uint64_t trustedSeed = 0;

  bool isOnGpu() const;
  absl::StatusOr<const OutputValues *> trustedOutputs(uint64_t seed,
                                                      VerifyCache &cache);
};

class LoadedFunctions {
public:
  absl::StatusOr<LoadReply> load(const LoadRequest &request);
  /// NotFound where nothing is loaded as `id`.
  absl::StatusOr<LoadedFunction *> find(const std::string &id);
  absl::Status unload(const std::string &id);
  /// Whether their device no longer answers, as after an illegal address.
  bool isDeviceLost() const;

private:
  /// A candidate's call is made when the library's algorithms are listed, when
  /// it is verified, and once more if it is a finalist. This many spares serve
  /// the algorithms of several problems; candidates take far more memory.
  static constexpr size_t mostSpares = 64;
  const std::shared_ptr<SparePool> libraryParts =
      std::make_shared<SparePool>(mostSpares);
  ConstantCache constants{uint64_t(1) << 30};
  std::map<std::string, LoadedFunction> loaded;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_LOADEDFUNCTIONS_H
