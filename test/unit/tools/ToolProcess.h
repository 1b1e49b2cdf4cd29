// SPDX-License-Identifier: Apache-2.0
//
// ToolProcess: tools run as people run them, in a folder of the test's own.

#ifndef MINIC_TEST_UNIT_TOOLS_TOOLPROCESS_H
#define MINIC_TEST_UNIT_TOOLS_TOOLPROCESS_H

#include "test/unit/runtime/testing/TestArtifact.h"

#include "gtest/gtest.h"

#include <string>

namespace minic::testing {

struct ToolResult {
  int exitCode = -1;
  std::string output, errors;
};

/// A fresh folder per test, removed afterwards.
class ToolTest : public ::testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;

  /// Runs a shell command line in the folder.
  ToolResult execute(const std::string &command) const;
  /// Copies a tool into the folder's bin, beside nothing, and returns its path.
  std::string copyTool(const std::string &path) const;
  /// Puts a shell script at bin/minic.
  void writeFakeMinic(const std::string &script) const;

  std::string at(const std::string &name) const { return folder + "/" + name; }
  bool exists(const std::string &name) const;
  std::string read(const std::string &name) const;
  void write(const std::string &name, const std::string &content) const;
  void write(const std::string &name, const TestArtifact &artifact) const;
  /// Names in the folder, for finding what was left behind.
  std::vector<std::string> list() const;

  std::string folder;
};

} // namespace minic::testing

#endif // MINIC_TEST_UNIT_TOOLS_TOOLPROCESS_H
