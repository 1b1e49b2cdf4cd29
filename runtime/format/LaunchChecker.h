// SPDX-License-Identifier: Apache-2.0
//
// LaunchChecker: launches of generated kernels, by target.

#ifndef MINIC_RUNTIME_FORMAT_LAUNCHCHECKER_H
#define MINIC_RUNTIME_FORMAT_LAUNCHCHECKER_H

#include "runtime/format/MetadataChecker.h"

namespace minic::format {

/// The binary exists and is of the target's kind, extents and memory lie in
/// what the target has, parameters lie in their bases, tensor maps in those of
/// their addresses.
absl::Status checkLaunch(const Launch &launch, const Artifact &artifact,
                         const Variant &variant, const AddressSpace &space);

} // namespace minic::format

#endif // MINIC_RUNTIME_FORMAT_LAUNCHCHECKER_H
