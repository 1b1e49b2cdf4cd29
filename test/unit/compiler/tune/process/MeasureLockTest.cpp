// SPDX-License-Identifier: Apache-2.0
//
// Who waits for whom, and until when.

#include "compiler/tune/process/MeasureLock.h"
#include "test/unit/compiler/tune/TempFolder.h"

#include "gmock/gmock.h"

#include <chrono>
#include <csignal>
#include <thread>

#include <filesystem>
#include <set>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace minic::tune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class MeasureLockTest : public testing::Test {
protected:
  absl::StatusOr<std::unique_ptr<MeasureLock>>
  acquire(const std::string &path, std::function<bool()> stop = nullptr) {
    return MeasureLock::acquire(
        path, [this](const std::string &line) { said.push_back(line); }, stop);
  }
  /// A process that has the lock when this returns.
  pid_t startHolder(const std::string &path) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    pid_t child = ::fork();
    if (child == 0) {
      auto lock = MeasureLock::acquire(path, nullptr, nullptr);
      char byte = lock.ok() ? 1 : 0;
      (void)!::write(ready[1], &byte, 1);
      ::pause();
      ::_exit(0);
    }
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    EXPECT_EQ(byte, 1);
    ::close(ready[0]);
    ::close(ready[1]);
    return child;
  }

  TempFolder folder;
  std::vector<std::string> said;
};

TEST_F(MeasureLockTest, AFreeOneIsTakenWithoutAWord) {
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(acquire(folder / "gpu").ok()); // and given back
  }
  EXPECT_THAT(said, ElementsAre());
}

TEST_F(MeasureLockTest, WaitsAndSaysSoOnce) {
  auto first = acquire(folder / "gpu");
  ASSERT_TRUE(first.ok()) << first.status();
  std::thread release([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    first->reset();
  });
  auto start = std::chrono::steady_clock::now();
  auto second = acquire(folder / "gpu");
  EXPECT_TRUE(second.ok()) << second.status();
  EXPECT_GE(std::chrono::steady_clock::now() - start,
            std::chrono::milliseconds(200));
  release.join();
  EXPECT_THAT(said, ElementsAre("waiting for another minic that is measuring "
                                "on this device"));
}

TEST_F(MeasureLockTest, IsFreeOnceItsHolderIsKilled) {
  pid_t holder = startHolder(folder / "gpu");
  std::thread end([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    ::kill(holder, SIGKILL);
    ::waitpid(holder, nullptr, 0);
  });
  EXPECT_TRUE(acquire(folder / "gpu").ok());
  end.join();
  EXPECT_EQ(said.size(), 1u);
}

TEST_F(MeasureLockTest, AnotherUsersFileWillDo) {
  // Root may open anything, so what is checked is how it is opened.
  mode_t umask = ::umask(0077);
  EXPECT_TRUE(acquire(folder / "gpu").ok());
  ::umask(umask);
  using std::filesystem::perms;
  perms all = perms::owner_read | perms::owner_write | perms::group_read |
              perms::others_read;
  EXPECT_EQ(std::filesystem::status(folder / "gpu").permissions(), all);
  std::filesystem::permissions(folder / "gpu", perms::owner_read);
  EXPECT_TRUE(acquire(folder / "gpu").ok());
}

TEST_F(MeasureLockTest, AnInterruptEndsTheWait) {
  auto first = acquire(folder / "gpu");
  ASSERT_TRUE(first.ok());
  absl::Status status = acquire(folder / "gpu", [] { return true; }).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(status.message(), "interrupted while waiting to measure");
}

TEST_F(MeasureLockTest, DevicesDoNotWaitForEachOther) {
  std::set<std::string> paths = {
      MeasureLock::defaultPath(), MeasureLock::pathOf("GPU-01"),
      MeasureLock::pathOf("GPU-02"), MeasureLock::pathOf("MIG-01")};
  EXPECT_EQ(paths.size(), 4u);
  auto first = acquire(folder / "GPU-01"), second = acquire(folder / "GPU-02");
  EXPECT_TRUE(first.ok() && second.ok());
  EXPECT_THAT(said, ElementsAre());
}

TEST_F(MeasureLockTest, AnIdentifierIsNoPath) {
  std::string path = MeasureLock::pathOf("../0000:3b:00.0");
  EXPECT_THAT(path, HasSubstr("-0000-3b-00-0.lock"));
  EXPECT_EQ(path.find(".."), std::string::npos);
}

TEST_F(MeasureLockTest, AFileThatCannotBeOpenedIsNamed) {
  absl::Status status = acquire(folder / "none/gpu").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("none/gpu': No such file or directory"));
  // A link that somebody else may have put into /tmp is not followed.
  std::filesystem::create_symlink(folder / "target", folder / "link");
  EXPECT_FALSE(acquire(folder / "link").ok());
  EXPECT_FALSE(std::filesystem::exists(folder / "target"));
}

} // namespace
} // namespace minic::tune
