// SPDX-License-Identifier: Apache-2.0
//
// Every legal schedule of the families of a GPU, beside those that a search is
// offered.

#include "compiler/target/cuda/CudaProfile.h"
#include "test/unit/compiler/target/Breadth.h"

#include "llvm/ADT/STLExtras.h"

namespace minic::cuda {
namespace {

using namespace ::minic::testing;

size_t countOthersOn(const char *device, ParsedFusion &&parsed) {
  return countOthers(std::move(parsed),
                     *createCudaTarget(*getCudaProfile(device)));
}

TEST(CudaBreadthTest, AGemmHasThousandsOfSchedules) {
  EXPECT_GT(countOthersOn("h200", linear("256", "1024", "1024", "bf16")),
            1000u);
  EXPECT_GT(countOthersOn("a100", linear("256", "1024", "1024", "bf16")), 500u);
  EXPECT_GT(countOthersOn("h200", linear("4", "1024", "1024", "bf16")), 500u);
}

TEST(CudaBreadthTest, SoHaveTheOtherFamilies) {
  EXPECT_GT(countOthersOn("h200", softmax("tensor<4096x1024xbf16>")), 20u);
  EXPECT_GT(countOthersOn("h200", relu("tensor<512x1024xbf16>")), 8u);
  EXPECT_GT(countOthersOn("h200", attention("tensor<2x8x512x64xbf16>")), 100u);
}

TEST(CudaBreadthTest, EveryWayToCopyIsThere) {
  auto target = createCudaTarget(*getCudaProfile("h200"));
  ParsedFusion parsed = linear("4096", "4096", "4096", "bf16");
  Names all = namesOf(parsed, *target, Breadth::All);
  for (const char *part : {" copies=tma", " multicast=2x1", " multicast=1x2",
                           " pingpong=", " cluster=", " pdl=on"}) {
    EXPECT_TRUE(llvm::any_of(all, [&](const std::string &name) {
      return name.find(part) != std::string::npos;
    })) << part;
  }
}

} // namespace
} // namespace minic::cuda
