// SPDX-License-Identifier: Apache-2.0
//
// WeightsFolder: a folder for one test with .safetensors files in it, written
// byte by byte.

#ifndef MINIC_TEST_UNIT_COMPILER_IMPORT_WEIGHTSFOLDER_H
#define MINIC_TEST_UNIT_COMPILER_IMPORT_WEIGHTSFOLDER_H

#include "llvm/Support/Endian.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace minic {

class WeightsFolder {
public:
  WeightsFolder() {
    std::string pattern = testing::TempDir() + "minic-import-test-XXXXXX";
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  ~WeightsFolder() { std::filesystem::remove_all(folder); }
  WeightsFolder(const WeightsFolder &) = delete;
  WeightsFolder &operator=(const WeightsFolder &) = delete;

  std::string operator/(const std::string &name) const {
    return folder + "/" + name;
  }
  void write(const std::string &name, const std::string &bytes) const {
    std::ofstream(folder + "/" + name, std::ios::binary) << bytes;
  }
  /// A file with this header, padded with spaces so that the data, which
  /// follows, starts `shift` bytes after a multiple of 8.
  void writeWeights(const std::string &name, std::string header,
                    const std::string &data, size_t shift = 0) const {
    while (header.size() % 8 != shift) {
      header += ' ';
    }
    std::string length(8, '\0');
    llvm::support::endian::write64le(length.data(), header.size());
    write(name, length + header + data);
  }

private:
  std::string folder;
};

} // namespace minic

#endif // MINIC_TEST_UNIT_COMPILER_IMPORT_WEIGHTSFOLDER_H
