// SPDX-License-Identifier: Apache-2.0
//
// What all families' estimates share.

#include "compiler/target/cuda/gemm/GemmTime.h"

#include "compiler/target/cuda/BodyEvaluator.h"
#include "compiler/target/cuda/LaunchTime.h"

#include <cmath>

namespace minic::cuda {

/// Microseconds. In a row of launches that overlap one that copies 1.18 MB
/// takes 1.09 (docs/measurements/2026-11-28-launches.md); those that do not
/// overlap take 1.6 to 2.5. All of these families have it, so it only decides
/// between them and others (docs/measurements/2026-11-28-constants.md).
constexpr double launch = 1.0;
/// What two meetings of a cluster take, and what a block reads of the others'
/// shared memory in a cycle. Fitted on an H200: 128x768x3072 in bf16 takes 5.3
/// us in clusters of four 64x64 tiles, whose blocks do the work of 4.2 us.
constexpr double kClusterUs = 1.0, kClusterBytesPerCycle = 30;
/// The part of a device that clusters of more than two blocks fill: they do not
/// leave the part of it (GPC) that they begin in. On an H100 30 clusters of
/// four blocks or 15 of eight run at once, with a block an SM, on 120 of 132
/// SMs (cuOccupancyMaxActiveClusters). On an H200 512x768x3072 took 16.8 us as
/// 32 clusters of four; 96 such blocks with as much of K took 6.0 where none
/// met.
constexpr double kClusterShare = 0.9;

/// Of weights that stream: the memory's rate over what copies reach, and what
/// it takes until it is reached: microseconds times bytes under way on an SM.
/// Of one row on an H200, in bf16: 33.5 MB took 10.3 us with 84 KB under way
/// and 9.2 with 168, 117 MB 29.8 and 27.6, 77 MB 19.1 with 120, 525 MB 119.5
/// with 108.
constexpr double kStreamedShare = 1.035, kRampBytesUs = 190e3;

/// Of a block that is alone on its SM and reads residuals: what it does not
/// hide of the shorter of products and memory, of what results and residuals
/// are of its bytes. Such a block waits for residuals while nothing multiplies:
/// a 1x1 convolution with 128x256 tiles (25088x512x128 in bf16) took 25 us on
/// an H200, for which its memory is 17 and its products are 9.
constexpr double kResidualApart = 0.5;

bool streamsWeights(const kernel::GemmShape &gemm) {
  constexpr double streamed = 24e6;
  return gemm.m <= 16 && gemm.batch.empty() &&
         double(gemm.n) * double(gemm.k) *
                 gemm.rhsType.getIntOrFloatBitWidth() / 8 >=
             streamed;
}

/// How much longer pieces of rows of so many bytes take: 1x2048x128256 took
/// 119, 119 to 122 and 128 to 199 us with 256, 128 and 64 bytes, 1x14336x4096
/// 28 and 34 to 36 with the first two.
static double pieceFactor(int64_t bytes) {
  return bytes >= 256 ? 1 : bytes >= 128 ? 1.04 : 1.15;
}

double GemmTime::microseconds() const {
  if (geometry_.blocks() == 0) {
    return 0;
  }
  double sms = std::max(profile_.smCount, 1);
  double hertz = std::max(profile_.clockMHz, 500.0) * 1e6;
  double blocks = double(geometry_.blocks());
  double perSm = double(blocksPerSm_);
  double usable = sms, resident = sms * perSm;
  if (schedule_.clustered && schedule_.splitK > 2) {
    double split = double(schedule_.splitK);
    auto fill = [&](double blocksAtOnce) {
      return std::max(std::floor(kClusterShare * blocksAtOnce / split), 1.0) *
             split;
    };
    usable = fill(sms), resident = fill(resident);
  }
  double waves = std::floor(blocks / resident);
  double cycles = waves * waveCycles(perSm);
  double rest = blocks - waves * resident;
  if (rest > 0) {
    cycles += waveCycles(std::min(std::ceil(rest / usable), perSm));
  }
  double memory = memorySeconds();
  // What copies from L2 do not hide; of weights that stream they are the same
  // bytes.
  double apart = streamsWeights(geometry_.gemm) ? 0.02 : 0.15;
  if (geometry_.readsRows && !overlapsEpilogues()) {
    apart += kResidualApart / perSm * rowsShare();
  }
  double seconds = std::max(cycles / hertz, memory) +
                   apart * std::min(cycles / hertz, memory);
  double time = 1e6 * seconds + launch + splitMicroseconds();
  if (streamsWeights(geometry_.gemm)) {
    time += kRampBytesUs / bytesUnderWay();
  }
  if (double bytes = geometry_.relaidBytes();
      bytes > 0 && (schedule_.padLhs || geometry_.image)) {
    // A kernel that copies lhs, or images, comes first.
    time += estimateCopyUs(bytes, profile_);
  }
  return time;
}

double GemmTime::multiplyAddsPerCycle(double gflops) const {
  return gflops * 1e9 / 2 /
         (profile_.clockMHz * 1e6 * std::max(profile_.smCount, 1));
}

/// Of an SM, for each element of windows that threads load one by one: 0.85 to
/// 1.4 where images have three channels of bf16 (8x112x112x3 with 7x7 taps on
/// an H200, tiles of 64 rows of conv_sm90 and conv_sm80).
constexpr double kGatherCycles = 0.9;

double GemmTime::copyCycles(double l2BytesPerCycle) const {
  double cycles = double(stageBytes_) / l2BytesPerCycle;
  for (const GemmOperand *operand : {&geometry_.lhs, &geometry_.rhs}) {
    // Narrow copies are bound by their number.
    bool isRhs = operand == &geometry_.rhs;
    int64_t rows = isRhs ? schedule_.bn : schedule_.bm;
    bool isImage = geometry_.image && geometry_.imageIsRhs == isRhs;
    bool gathers = isImage && geometry_.image->gathers;
    if (gathers) {
      cycles += double(rows * schedule_.bk) * kGatherCycles;
      continue;
    }
    rows /= !isImage && operand->hasWideEvenRows() ? 2 : 1;
    int64_t access = operand->accessBytes;
    cycles += double(rows * geometry_.rowBytes) / l2BytesPerCycle *
              (16.0 / double(access) - 1) * 0.5;
  }
  return cycles;
}

double GemmTime::prologueCycles() const {
  double cycles = 0;
  for (bool isRhs : {false, true}) {
    const auto &prologue = geometry_.prologue(isRhs);
    if (!prologue) {
      continue;
    }
    double elements =
        double((isRhs ? schedule_.bn : schedule_.bm) * schedule_.bk);
    double bytes = double(geometry_.elementBytes);
    for (const StagedMatrix &staged : prologue->staged) {
      bytes += double(staged.operand.elementBytes());
    }
    double addresses = 24.0 / double(prologue->lanes);
    double instructions =
        double(BodyEvaluator::instructionCount(prologue->ops)) + 3 + addresses +
        2.0 * double(prologue->direct.size());
    cycles += elements * (instructions / 128 + bytes / sharedBytesPerCycle);
  }
  return cycles;
}

double GemmTime::rowsShare() const {
  return double(geometry_.gemm.m) * double(geometry_.gemm.n) *
         double(geometry_.bytesPerSum) / memoryBytes();
}

double GemmTime::memoryBytes() const {
  double bytes = 0;
  for (const GemmOperand *matrix : copied_) {
    bool isImage = geometry_.image && matrix->value == geometry_.imageValue();
    // Windows overlap.
    double elements = isImage ? double(geometry_.image->elements) /
                                    double(geometry_.raster.batches)
                              : double(matrix->rows) * double(geometry_.gemm.k);
    bytes += elements * double(matrix->elementBytes());
  }
  return bytes + double(geometry_.gemm.m) * double(geometry_.gemm.n) *
                     double(geometry_.bytesPerSum);
}

/// The time that the device's memory needs. What is under way at once must
/// cover its latency.
double GemmTime::memorySeconds() const {
  bool streams = streamsWeights(geometry_.gemm);
  double reached = streams ? kStreamedShare / pieceFactor(geometry_.rowBytes)
                           : 0.9 * std::min(1.0, bytesUnderWay() / 40e3);
  return memoryBytes() * double(geometry_.raster.batches) /
         (1e9 * reached * std::max(profile_.memoryGBs, 1.0));
}

double GemmTime::bytesUnderWay() const {
  double perSm =
      std::min(double(blocksPerSm_), std::ceil(double(geometry_.blocks()) /
                                               double(profile_.smCount)));
  return perSm * double(schedule_.stages - 1) * double(stageBytes_);
}

/// Writing partial sums, meeting, reading them by one block of each tile;
/// blocks of a cluster meet twice and read each other's shared memory.
double GemmTime::splitMicroseconds() const {
  if (schedule_.splitK == 1) {
    return 0;
  }
  if (schedule_.clustered) {
    // Of two blocks that stream 33.5 and 117 MB: 9.2 and 27.6 us, for which
    // kClusterUs is too much.
    bool isShort = schedule_.splitK == 2 && streamsWeights(geometry_.gemm);
    return (isShort ? 0.3 : kClusterUs) + double(geometry_.tileSums) * 4 /
                                              kClusterBytesPerCycle /
                                              profile_.clockMHz;
  }
  double traffic = double(geometry_.workspaceBytes()) * 2 / 3e12;
  double read = double(schedule_.splitK) * double(geometry_.tileSums) * 4 / 60 /
                (profile_.clockMHz * 1e6);
  return 1.3 + 1e6 * (traffic + read);
}

} // namespace minic::cuda
