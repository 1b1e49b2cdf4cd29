// SPDX-License-Identifier: Apache-2.0
//
// ToolProcess: a shell, and files to talk through.

#include "test/unit/tools/ToolProcess.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/wait.h>

namespace minic::testing {

namespace fs = std::filesystem;

void ToolTest::SetUp() {
  std::string pattern = ::testing::TempDir() + "/minic-tools-XXXXXX";
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  folder = pattern;
  fs::create_directory(at("bin"));
}

void ToolTest::TearDown() { fs::remove_all(folder); }

ToolResult ToolTest::execute(const std::string &command) const {
  // Beside the folder, so that list() sees only what tools leave there.
  std::string out = folder + ".out", err = folder + ".err";
  int status = std::system(
      ("cd " + folder + " && " + command + " >" + out + " 2>" + err).c_str());
  auto slurp = [](const std::string &path) {
    std::ostringstream content;
    content << std::ifstream(path, std::ios::binary).rdbuf();
    fs::remove(path);
    return content.str();
  };
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(out), slurp(err)};
}

std::string ToolTest::copyTool(const std::string &path) const {
  std::string copy = at("bin/" + fs::path(path).filename().string());
  fs::copy_file(path, copy);
  return copy;
}

void ToolTest::writeFakeMinic(const std::string &script) const {
  write("bin/minic", "#!/bin/sh\n" + script + "\n");
  fs::permissions(at("bin/minic"), fs::perms::owner_all);
}

bool ToolTest::exists(const std::string &name) const {
  return fs::exists(at(name));
}

std::string ToolTest::read(const std::string &name) const {
  std::ostringstream content;
  content << std::ifstream(at(name), std::ios::binary).rdbuf();
  return content.str();
}

void ToolTest::write(const std::string &name,
                     const std::string &content) const {
  std::ofstream(at(name), std::ios::binary) << content;
}

void ToolTest::write(const std::string &name,
                     const TestArtifact &artifact) const {
  std::vector<std::byte> bytes = artifact.bytes();
  write(name, std::string(reinterpret_cast<const char *>(bytes.data()),
                          bytes.size()));
}

std::vector<std::string> ToolTest::list() const {
  std::vector<std::string> names;
  for (const auto &entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

} // namespace minic::testing
