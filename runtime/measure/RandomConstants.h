// SPDX-License-Identifier: Apache-2.0
//
// RandomConstants: values for the external constants of problems, where only
// speed and the agreement with the reference count.

#ifndef MINIC_RUNTIME_MEASURE_RANDOMCONSTANTS_H
#define MINIC_RUNTIME_MEASURE_RANDOMCONSTANTS_H

#include "runtime/program/Program.h"

#include <map>
#include <memory>
#include <string>

namespace minic::runtime {

/// fillRandom(scaleByFanIn = true) under the constant's name and `seed`, packed
/// into the constant's layout, in new memory.
ConstantProvider randomConstants(uint64_t seed);

/// Keeps what randomConstants filled, up to `capacity` bytes, because
/// candidates of one problem have the same constants and filling takes longer
/// than running. A device that copies constants gets the same memory for all of
/// them, and so does another for those of at most `mostShared` bytes, about
/// what fits into L2: how fast these are read depends on where they lie, and
/// runs that are timed find them there anyway, from the runs before. Of larger
/// ones each gets a copy: a candidate must not find its weights in a cache
/// because its predecessor has read them. One thread at a time; outlives its
/// providers.
class ConstantCache {
public:
  explicit ConstantCache(uint64_t capacity, uint64_t mostShared = uint64_t(4)
                                                                  << 20)
      : capacity(capacity), mostShared(mostShared) {}
  ConstantProvider provider(uint64_t seed);

private:
  const uint64_t capacity, mostShared;
  uint64_t used = 0;
  std::map<std::string, std::shared_ptr<const std::byte>> filled;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_RANDOMCONSTANTS_H
