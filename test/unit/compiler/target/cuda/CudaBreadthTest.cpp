// SPDX-License-Identifier: Apache-2.0
//
// Every legal schedule of the families of a GPU, beside those that a search is
// offered.

#include "compiler/target/Candidates.h"
#include "compiler/target/cuda/CudaProfile.h"
#include "test/unit/dialects/kernel/ParsedFusion.h"

#include "llvm/ADT/STLExtras.h"

#include "gtest/gtest.h"

#include <set>

namespace minic::cuda {
namespace {

using Names = std::set<std::string>;

Names namesOf(ParsedFusion &parsed, const Target &target, Breadth breadth) {
  std::vector<std::string> why;
  Names names;
  for (const Candidate &candidate :
       enumerateCandidates(parsed.get(), target, {BackendLabel::Generated}, why,
                           NanPolicy::Mark, /*deterministic=*/false,
                           OperandLayouts::Any, breadth)) {
    EXPECT_TRUE(names.insert(candidate.name).second) << candidate.name;
  }
  return names;
}

/// How many schedules there are beyond those that a search is offered, which
/// are all among them.
size_t countOthers(ParsedFusion &&parsed, const Target &target) {
  Names offered = namesOf(parsed, target, Breadth::Promising),
        all = namesOf(parsed, target, Breadth::All);
  for (const std::string &name : offered) {
    EXPECT_EQ(all.count(name), 1u) << name;
  }
  return all.size() - offered.size();
}

ParsedFusion linear(const std::string &m, const std::string &n,
                    const std::string &k, const std::string &dtype) {
  auto type = [&](const std::string &dims) {
    return "tensor<" + dims + "x" + dtype + ">";
  };
  std::string x = type(m + "x" + k), w = type(n + "x" + k),
              y = type(m + "x" + n);
  return ParsedFusion({x, w}, y,
                      "%y = graph.linear %0, %1 : (" + x + ", " + w + ") -> " +
                          y + "\nkernel.yield %y : " + y);
}

ParsedFusion softmax(const std::string &type) {
  return ParsedFusion({type}, type,
                      "%y = graph.softmax %0 axis = 1 : " + type +
                          "\nkernel.yield %y : " + type);
}

ParsedFusion attention(const std::string &type) {
  return ParsedFusion({type, type, type}, type,
                      "%y = graph.attention %0, %1, %2 : (" + type + ", " +
                          type + ", " + type + ") -> " + type +
                          "\nkernel.yield %y : " + type);
}

ParsedFusion relu(const std::string &type) {
  return ParsedFusion({type}, type,
                      "%y = graph.relu %0 : " + type +
                          "\nkernel.yield %y : " + type);
}

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
