// SPDX-License-Identifier: Apache-2.0
//
// Lets Debian's Abseil archives be linked into a shared library. They are
// compiled for programs (-fPIE): code that defines a thread_local cannot go
// into a shared library. Two objects do so below absl::Status: cordz_functions,
// which picks Cords to sample for a profiler, and sysinfo, which the profiler's
// mutex needs. minic never turns that profiler on. With these definitions,
// which sample nothing, neither object is linked.

#include "absl/strings/internal/cordz_info.h"
#include "absl/synchronization/mutex.h"

#include <limits>

#ifdef ABSL_INTERNAL_CORDZ_ENABLED
namespace absl {
ABSL_NAMESPACE_BEGIN

void Mutex::AssertHeld() const {}

namespace cord_internal {

// A Cord counts it down to 1 before it asks whether to be sampled.
ABSL_CONST_INIT thread_local int64_t cordz_next_sample =
    std::numeric_limits<int64_t>::max();
bool cordz_should_profile_slow() { return false; }

// No Cord has a CordzInfo, so nothing else calls these.
void CordzInfo::TrackCord(InlineData &, MethodIdentifier) {}
void CordzInfo::MaybeTrackCordImpl(InlineData &, const InlineData &,
                                   MethodIdentifier) {}
void CordzInfo::Untrack() {}
void CordzInfo::Lock(MethodIdentifier) {}
void CordzInfo::Unlock() {}

} // namespace cord_internal
ABSL_NAMESPACE_END
} // namespace absl
#endif
