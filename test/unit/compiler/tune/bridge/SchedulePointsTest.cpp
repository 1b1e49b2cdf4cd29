// SPDX-License-Identifier: Apache-2.0
//
// The spaces of real families: whatever is legal can be reached from what is
// offered, step by step.

#include "compiler/tune/bridge/SchedulePoints.h"
#include "compiler/target/cuda/CudaProfile.h"
#include "test/unit/compiler/target/Breadth.h"

namespace minic::tune {
namespace {

using namespace ::minic::testing;

std::vector<SchedulePoint> pointsOf(ParsedFusion &parsed, const Target &target,
                                    Breadth breadth) {
  std::vector<std::string> why;
  std::vector<SchedulePoint> points;
  for (const Candidate &candidate :
       enumerateCandidates(parsed.get(), target, {BackendLabel::Generated}, why,
                           NanPolicy::Mark, /*deterministic=*/false,
                           OperandLayouts::Any, breadth)) {
    CandidateSpec spec;
    spec.name = candidate.name;
    llvm::raw_string_ostream(spec.choice) << mlir::Attribute(candidate.choice);
    points.push_back(pointOf(spec, candidate.choice, target));
  }
  return points;
}

/// The points that walks from `offered` reach.
std::set<size_t> walk(const ScheduleSpace &space,
                      const std::vector<SchedulePoint> &offered) {
  std::set<size_t> reached;
  std::vector<size_t> left;
  for (const SchedulePoint &point : offered) {
    std::optional<size_t> found = space.find(point.candidate.choice);
    EXPECT_TRUE(found) << point.candidate.name;
    if (found && reached.insert(*found).second) {
      left.push_back(*found);
    }
  }
  while (!left.empty()) {
    size_t from = left.back();
    left.pop_back();
    std::vector<size_t> steps = space.neighbours(from);
    EXPECT_LE(steps.size(), 40u) << space.candidate(from).name;
    for (size_t to : steps) {
      if (reached.insert(to).second) {
        left.push_back(to);
      }
    }
  }
  return reached;
}

/// Of a frame that has offered schedules every legal one is reached; `more`:
/// how many are, beyond those, at least.
void expectConnected(ParsedFusion &&parsed, const Target &target, size_t more) {
  std::vector<SchedulePoint> all = pointsOf(parsed, target, Breadth::All),
                             offered =
                                 pointsOf(parsed, target, Breadth::Promising);
  std::set<std::string> frames;
  for (const SchedulePoint &point : offered) {
    frames.insert(point.frame);
  }
  std::set<size_t> reached = walk(ScheduleSpace(all), offered);
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(reached.count(i), frames.count(all[i].frame))
        << all[i].candidate.name;
  }
  EXPECT_GE(reached.size(), offered.size() + more);
}

ParsedFusion convolution() {
  std::string x = "tensor<1x28x28x64xf32>", w = "tensor<128x64x3x3xf32>",
              y = "tensor<1x28x28x128xf32>";
  return ParsedFusion(
      {x, w}, y,
      "%y = graph.conv2d %0, %1 {strides = array<i64: 1, 1>, pads = "
      "array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, "
      "layout = \"nhwc\"} : (" +
          x + ", " + w + ") -> " + y + "\nkernel.yield %y : " + y);
}

TEST(SchedulePoints, EveryScheduleOfACpuCanBeReached) {
  for (int threads : {1, 2}) {
    auto target = createCpuTarget(threads, "v4");
    expectConnected(linear("256", "1024", "512", "f32"), *target, 200);
    expectConnected(linear("4", "96", "64", "bf16"), *target, 1);
    expectConnected(softmax("tensor<512x1024xf32>"), *target, 4);
    expectConnected(relu("tensor<512x1024xf32>"), *target, 4);
    expectConnected(attention("tensor<2x8x64x64xf32>"), *target, 20);
    expectConnected(convolution(), *target, 10);
  }
}

TEST(SchedulePoints, EveryScheduleOfAnA100CanBeReached) {
  auto target = createCudaTarget(*cuda::getCudaProfile("a100"));
  expectConnected(linear("64", "128", "256", "bf16"), *target, 100);
  expectConnected(linear("4", "1024", "256", "bf16"), *target, 100);
  expectConnected(convolution(), *target, 100);
}

TEST(SchedulePoints, EveryScheduleOfAnH200CanBeReached) {
  auto target = createCudaTarget(*cuda::getCudaProfile("h200"));
  expectConnected(linear("64", "128", "64", "bf16"), *target, 100);
  expectConnected(softmax("tensor<4096x1024xbf16>"), *target, 20);
  expectConnected(relu("tensor<512x1024xbf16>"), *target, 8);
}

} // namespace
} // namespace minic::tune
