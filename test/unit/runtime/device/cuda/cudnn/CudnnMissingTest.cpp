// SPDX-License-Identifier: Apache-2.0
//
// Machines without a usable cuDNN. The environment's MINIC_CUDNN_LIBRARY names
// a file that is no library.

#include "runtime/device/cuda/cudnn/CudnnLibrary.h"
#include "test/unit/runtime/device/cuda/cudnn/FakeCudnn.h"

#include <gmock/gmock.h>

#include <dlfcn.h>

namespace minic::runtime {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(CudnnMissingTest, SaysWhatToInstall) {
  auto library = CudnnLibrary::open();
  ASSERT_FALSE(library.ok());
  EXPECT_EQ(library.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(library.status().message(),
              AllOf(HasSubstr("this plan calls cuDNN"),
                    HasSubstr("missing/libcudnn.so.9"),
                    HasSubstr("install cuDNN 9")));
}

TEST(CudnnMissingTest, TheAnswerStays) {
  EXPECT_EQ(CudnnLibrary::open().status(), CudnnLibrary::open().status());
}

TEST(CudnnMissingTest, ALibraryMustBeCudnn) {
  auto library = CudnnLibrary::load("libm.so.6");
  ASSERT_FALSE(library.ok());
  EXPECT_EQ(library.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(library.status().message(),
              HasSubstr("libm.so.6 is no cuDNN 9: it lacks cudnnGetVersion"));
}

TEST(CudnnMissingTest, TheVersionMustBeRight) {
  void *fake = dlopen(MINIC_FAKE_CUDNN, RTLD_NOW);
  ASSERT_TRUE(fake) << dlerror();
  auto *get = reinterpret_cast<decltype(&::minicFakeCudnn)>(
      dlsym(fake, "minicFakeCudnn"));
  get()->version = 8907;
  auto library = CudnnLibrary::load(MINIC_FAKE_CUDNN);
  ASSERT_FALSE(library.ok());
  EXPECT_EQ(library.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(library.status().message(),
              HasSubstr("expected cuDNN 9, got version number 8907"));
}

} // namespace
} // namespace minic::runtime
