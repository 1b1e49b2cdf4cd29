// SPDX-License-Identifier: Apache-2.0
//
// WeightBandwidth: how fast weights arrive, for estimates.

#ifndef MINIC_COMPILER_TARGET_CPU_WEIGHTBANDWIDTH_H
#define MINIC_COMPILER_TARGET_CPU_WEIGHTBANDWIDTH_H

#include "compiler/target/DeviceProfile.h"

namespace minic::cpu {

/// Whether a core waits for what comes from L3 as for memory: one of Emerald
/// Rapids gets 20 GB/s from either.
bool waitsForL3(const DeviceProfile &profile);

/// Whether `bytes` that one thread reads lie in its L2 since the call before.
bool lieInL2(const DeviceProfile &profile, double bytes);

/// GB/s at which `workers` threads together stream `bytes` of weights, of which
/// each reads `ofWorker`, from the caches that have room for them since the
/// call before.
double weightBandwidthGBs(const DeviceProfile &profile, double bytes,
                          int workers, double ofWorker);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_WEIGHTBANDWIDTH_H
