// SPDX-License-Identifier: Apache-2.0
//
// Folders go with their owner, and those of killed processes are swept.

#include "compiler/tune/process/ScratchDirectory.h"
#include "test/unit/compiler/tune/TempFolder.h"

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace minic::tune {
namespace {

namespace fs = std::filesystem;

TEST(ScratchDirectory, IsThereAndThenGone) {
  TempFolder folder;
  std::string path;
  {
    auto scratch = ScratchDirectory::createIn(folder.path);
    ASSERT_TRUE(scratch.ok()) << scratch.status();
    path = (*scratch)->path();
    std::ofstream(path + "/file") << "x";
    EXPECT_TRUE(fs::is_directory(path));
    EXPECT_EQ(fs::path(path).filename().string().rfind(
                  "minic-" + std::to_string(getpid()) + "-", 0),
              0u);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(ScratchDirectory, SweepsWhatKilledProcessesLeftAndNothingElse) {
  TempFolder folder;
  auto living = ScratchDirectory::createIn(folder.path);
  ASSERT_TRUE(living.ok());
  pid_t child = fork();
  if (child == 0) {
    auto scratch = ScratchDirectory::createIn(folder.path);
    kill(getpid(), SIGKILL);
    _exit(1);
  }
  waitpid(child, nullptr, 0);
  auto count = [&] {
    int entries = 0;
    for (auto &entry : fs::directory_iterator(folder.path)) {
      (void)entry;
      ++entries;
    }
    return entries;
  };
  EXPECT_EQ(count(), 2);
  fs::create_directory(folder / "minic-notes");       // someone's own
  fs::create_directory(folder / "minic-99999-abc");   // not our pattern
  std::ofstream(folder / "minic-99999-abcdef") << ""; // not a folder
  auto next = ScratchDirectory::createIn(folder.path);
  ASSERT_TRUE(next.ok());
  EXPECT_EQ(count(), 5);
  EXPECT_TRUE(fs::exists((*living)->path()));
}

TEST(ScratchDirectory, SweepsOldFilesOfTheDead) {
  TempFolder folder;
  pid_t dead = fork();
  if (dead == 0) {
    _exit(0);
  }
  waitpid(dead, nullptr, 0);
  auto make = [&](pid_t pid, const char *suffix, bool old) {
    std::string path =
        folder / ("minic-" + std::to_string(pid) + "-abcdef" + suffix);
    std::ofstream(path) << "x";
    if (old) {
      fs::last_write_time(path, fs::file_time_type::clock::now() -
                                    std::chrono::hours(1));
    }
    return path;
  };
  std::string orphan = make(dead, ".o", true);
  std::string fresh = make(dead, ".so", false);
  std::string owned = make(getpid(), ".o", true);
  std::string other = make(dead, "", true);
  ASSERT_TRUE(ScratchDirectory::createIn(folder.path).ok());
  EXPECT_FALSE(fs::exists(orphan));
  EXPECT_TRUE(fs::exists(fresh));
  EXPECT_TRUE(fs::exists(owned));
  EXPECT_TRUE(fs::exists(other));
}

TEST(ScratchDirectory, FallsBackWhereAFolderCannotBeWritten) {
  EXPECT_FALSE(ScratchDirectory::createIn("/proc").ok());
  EXPECT_TRUE(ScratchDirectory::create().ok());
}

} // namespace
} // namespace minic::tune
