// SPDX-License-Identifier: Apache-2.0
//
// L2 and memory as multiples of what one core gets from memory, about 25 GB/s.
// Measured on two cores of Zen 5: one reads 204 GB/s from L2, 78 to 90 from L3
// and 31 from memory, both together 40 from memory. One core of Emerald Rapids
// reads 2.1 MB of weights, as much as its L2 has, at 62 GB/s, and 4.2 MB at 19.

#include "compiler/target/cpu/WeightBandwidth.h"

namespace minic::cpu {

bool waitsForL3(const DeviceProfile &profile) {
  return profile.l3GBs < profile.memoryGBs;
}

bool lieInL2(const DeviceProfile &profile, double bytes) {
  return bytes <= (waitsForL3(profile) ? 1.1 : 0.5) * double(profile.l2Bytes);
}

double weightBandwidthGBs(const DeviceProfile &profile, double bytes,
                          int workers, double ofWorker) {
  if (lieInL2(profile, ofWorker)) {
    return profile.memoryGBs * 6 * workers;
  }
  if (bytes <= 0.5 * double(profile.l3Bytes)) {
    return profile.l3GBs * workers;
  }
  return profile.memoryGBs * (workers > 1 ? 1.6 : 1.2);
}

} // namespace minic::cpu
