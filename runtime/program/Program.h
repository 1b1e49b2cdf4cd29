// SPDX-License-Identifier: Apache-2.0
//
// Program: a loaded artifact, immutable and shared by threads.

#ifndef MINIC_RUNTIME_PROGRAM_PROGRAM_H
#define MINIC_RUNTIME_PROGRAM_PROGRAM_H

#include "runtime/base/SparePool.h"
#include "runtime/base/Tensor.h"
#include "runtime/format/Digest.h"

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace minic::runtime {

class Device;
class Executable;

/// Lends an external constant in its layout: constant.bytes bytes, 64-byte
/// aligned, which nobody changes while they are held (null for zero bytes).
/// Memory that `device` allocated for constants of its device `deviceIndex` is
/// loaded fastest.
using ConstantProvider =
    std::function<absl::StatusOr<std::shared_ptr<const std::byte>>(
        const format::Constant &constant, const Device &device,
        int deviceIndex)>;

struct ProgramOptions {
  /// A function, or an entry, of which it is the first.
  std::string function = "main";
  /// Picks the variant with this thread count; 0: the artifact's first variant
  /// that this machine can run.
  int threads = 0;
  /// Required if the artifact has external constants.
  ConstantProvider constants;
  /// Fail instead of asking a library's heuristic when its version differs.
  bool strictLibraries = false;
  /// Index of the GPU, as the driver counts them; a CPU has none.
  int device = 0;
  /// Any other file is InvalidArgument before anything else of it is read.
  std::optional<format::Digest> expectedDigest = std::nullopt;
  /// For callers that load the same library calls often: keeps the parts that
  /// took long to make. Null: nothing outlives the Program.
  std::shared_ptr<SparePool> spares = nullptr;
  /// The caller will only ask Executable::algorithms. So a library call whose
  /// algorithm is open need not get one ready, and may refuse to run.
  bool onlyListsAlgorithms = false;
  /// The function stands for a part of a longer one and is to be measured as it
  /// would run there: its kernels are loaded as those with neighbours are.
  bool isPart = false;
};

/// Thread-safe after load. Holds the mapped file, the loaded kernels, library
/// primitives with their packed weights, and persistent memory.
class Program {
public:
  /// Maps and checks `path`. InvalidArgument or DataLoss for a bad file,
  /// FailedPrecondition where this machine lacks a CPU feature, GPU or library,
  /// NotFound for a missing file, function or thread count.
  static absl::StatusOr<std::shared_ptr<const Program>>
  load(const std::string &path, const ProgramOptions &options = {});

  /// The same from memory, which is copied.
  static absl::StatusOr<std::shared_ptr<const Program>>
  loadBytes(absl::Span<const std::byte> bytes,
            const ProgramOptions &options = {});

  /// Another function of the same artifact, or another plan of this one. The
  /// mapped file is shared, and so is every constant that it uses and that
  /// this one, or one of `siblings` of the same artifact, has on the same
  /// device already. Either may be destroyed first. `options.constants` is not
  /// called: external constants are shared, too.
  absl::StatusOr<std::shared_ptr<const Program>> loadFunction(
      const ProgramOptions &options,
      absl::Span<const std::shared_ptr<const Program>> siblings = {}) const;

  ~Program();
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  const std::vector<TensorSpec> &inputs() const;
  const std::vector<TensorSpec> &outputs() const;
  /// Its name in the artifact. Lives as long as the program.
  const char *function() const;
  /// The device that runs it and holds the caller's tensors.
  DevicePlace place() const;
  /// The loaded kernels; also allocates device memory and records runs.
  const Executable &executable() const;
  /// Bytes of the arena a Context needs, 64-byte aligned (GPU: 256).
  uint64_t arenaBytes() const;
  int threads() const;
  /// True where `run` calls a library (which may allocate).
  bool callsLibrary() const;
  /// Floating-point operations of one run.
  uint64_t flops() const;
  /// Why it was compiled as it is, the JSON of compiler/explain/Evidence.h; ""
  /// for none. Lives as long as the program.
  const char *evidence() const;

  struct Impl;
  const Impl &impl() const { return *impl_; }

private:
  explicit Program(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_PROGRAM_PROGRAM_H
