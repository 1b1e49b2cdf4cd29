// SPDX-License-Identifier: Apache-2.0
//
// Writes y = 2 * x + 1 over 20 elements as an artifact. Usage: PATH

#include "test/unit/runtime/testing/TestArtifact.h"

#include <fstream>

int main(int argc, char **argv) {
  if (argc != 2) {
    return 2;
  }
  std::vector<std::byte> bytes = minic::testing::scaleArtifact(20).bytes();
  std::ofstream file(argv[1], std::ios::binary);
  file.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  return file.flush() ? 0 : 1;
}
