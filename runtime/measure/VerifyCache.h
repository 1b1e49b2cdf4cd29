// SPDX-License-Identifier: Apache-2.0
//
// VerifyCache: what verifications of one problem's candidates hand on. Making
// up 19 million numbers and touching new pages for them and for results took
// longer than everything else about a candidate.

#ifndef MINIC_RUNTIME_MEASURE_VERIFYCACHE_H
#define MINIC_RUNTIME_MEASURE_VERIFYCACHE_H

#include "runtime/base/AlignedBuffer.h"
#include "runtime/base/Tensor.h"

#include "absl/status/statusor.h"

#include <map>
#include <string>
#include <vector>

namespace minic::runtime {

/// Memory of the host; one thread at a time.
class VerifyCache {
public:
  struct Input {
    AlignedBuffer values;
    uint64_t hash = 0; // XXH3_64bits of them
  };
  /// What fillRandom makes of `spec` and `seed`; until the next call.
  absl::StatusOr<const Input *> input(const TensorSpec &spec, uint64_t seed);

  /// A buffer of `bytes`, which holds anything.
  absl::StatusOr<AlignedBuffer> take(uint64_t bytes);
  /// Keeps `buffer` for later, within limits.
  void leave(AlignedBuffer buffer);

private:
  std::map<std::string, Input> inputs_;
  uint64_t inputBytes_ = 0;
  std::vector<AlignedBuffer> spares_; // left last at the end
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_VERIFYCACHE_H
