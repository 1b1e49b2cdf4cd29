// SPDX-License-Identifier: Apache-2.0
//
// Both ways of loading kernels find the same entries.

#include "runtime/device/cpu/KernelModule.h"
#include "test/unit/runtime/testing/TestArtifact.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace minic::runtime {
namespace {

using namespace ::minic::testing;

__attribute__((no_sanitize("function"))) void
expectRuns(const KernelModule &module) {
  KernelEntry entry = module.find("relocated");
  ASSERT_NE(entry, nullptr);
  int64_t result = 0;
  Arg args[] = {{&result}};
  entry(args, 0, 1, nullptr);
  EXPECT_EQ(result, 33);
  EXPECT_EQ(module.find("no_such_kernel"), nullptr);
}

TEST(KernelModuleTest, loadsByItself) {
  auto module = KernelModule::load(kernelObject());
  ASSERT_TRUE(module.ok()) << module.status();
  expectRuns(**module);
}

TEST(KernelModuleTest, loadsThroughDlopenOnDemand) {
  setenv("MINIC_DLOPEN_KERNELS", "1", 1);
  auto first = KernelModule::load(kernelObject());
  ASSERT_TRUE(first.ok()) << first.status();
  first->reset(); // its descriptor's number is free again
  auto second = KernelModule::load(kernelObject());
  ASSERT_TRUE(second.ok()) << second.status();
  expectRuns(**second);
  std::vector<std::byte> junk(100);
  EXPECT_FALSE(KernelModule::load(junk).ok());
  unsetenv("MINIC_DLOPEN_KERNELS");
}

} // namespace
} // namespace minic::runtime
