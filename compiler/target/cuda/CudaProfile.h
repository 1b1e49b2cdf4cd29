// SPDX-License-Identifier: Apache-2.0
//
// Device profiles of NVIDIA GPUs.

#ifndef MINIC_COMPILER_TARGET_CUDA_CUDAPROFILE_H
#define MINIC_COMPILER_TARGET_CUDA_CUDAPROFILE_H

#include "compiler/target/DeviceProfile.h"

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace minic::cuda {

/// The devices that have a built-in profile, for messages: "a100, h100, h200,
/// ...".
std::string profileNames();

/// The facts of a device by name ("h200"), whether or not one is here; none
/// where the name is unknown. It generates for the device's own architecture.
std::optional<DeviceProfile> getCudaProfile(llvm::StringRef name);

/// The facts of a device of architecture `arch`; the strongest that has a
/// profile, within what `arch` allows.
std::optional<DeviceProfile> getArchProfile(llvm::StringRef arch);

/// "sm_80", "sm_90", "sm_90a" and so on to compute capability times ten; none
/// for an architecture that minic does not generate code for (all below sm_80).
std::optional<int> parseArch(llvm::StringRef arch);

/// The architecture to generate for on a device of this compute capability:
/// "sm_90a" for 90, "sm_80" for 80.
std::string archOf(int smVersion);

/// Sets what `arch` decides: cpu, features, smVersion. "compute_80" means PTX
/// of sm_80's instructions. False where it is unknown.
bool setArch(DeviceProfile &profile, llvm::StringRef arch);

/// Lowers shared memory and threads to what all devices have that can run the
/// code generated for `profile`: those of its architecture, and for PTX all
/// later ones.
void limitToArch(DeviceProfile &profile);

/// LLVM's features for `profile.cpu`: the PTX version that all ops need.
std::string llvmFeatures(const DeviceProfile &profile);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_CUDAPROFILE_H
