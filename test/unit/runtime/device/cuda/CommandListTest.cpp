// SPDX-License-Identifier: Apache-2.0
//
// Lists of the same commands, with library calls of their own and without.

#include "test/unit/runtime/device/cuda/FakeCuda.h"
#include "test/unit/runtime/device/cuda/GraphTestProgram.h"

#include "gtest/gtest.h"

namespace minic::testing {
namespace {

using namespace runtime;

TEST(CommandListTest, SharesLibraryCallsWhereAsked) {
  fakeCuda().reset();
  GraphTestProgram program;
  ASSERT_TRUE(program.status().ok()) << program.status();
  int before = program.clones();
  auto shared = program.createCommands(/*sharesCalls=*/true);
  ASSERT_TRUE(shared.ok()) << shared.status();
  EXPECT_EQ(program.clones(), before);
  auto cloned = program.createCommands(/*sharesCalls=*/false);
  ASSERT_TRUE(cloned.ok()) << cloned.status();
  EXPECT_EQ(program.clones(), before + 1);

  // In turn, each on tensors of its own.
  auto other = program.createCommands(/*sharesCalls=*/true);
  ASSERT_TRUE(other.ok()) << other.status();
  float value = 0;
  for (CommandList *list : {shared->get(), other->get(), shared->get()}) {
    std::vector<void *> callers;
    for (int i = 0; i < 5; ++i) {
      callers.push_back(program.allocate(value += 10));
    }
    {
      CudaScope scope(*program.context());
      absl::Status status = list->setCallers(callers.data());
      status.Update(list->enqueueAll(program.stream()));
      ASSERT_TRUE(status.ok()) << status;
    }
    program.expectOutputs(callers.data());
  }
}

} // namespace
} // namespace minic::testing
