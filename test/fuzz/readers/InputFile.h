// SPDX-License-Identifier: Apache-2.0
//
// InputFile: the bytes of a fuzzer as a file, for readers that take a path.

#ifndef MINIC_TEST_FUZZ_READERS_INPUTFILE_H
#define MINIC_TEST_FUZZ_READERS_INPUTFILE_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace minic::fuzz {

/// A file in memory, so that a run costs no disk. One for all runs.
class InputFile {
public:
  InputFile();
  ~InputFile();
  InputFile(const InputFile &) = delete;
  InputFile &operator=(const InputFile &) = delete;

  /// Replaces the content; returns the path, which is always the same.
  const std::string &write(const uint8_t *data, size_t size);

private:
  int fd;
  std::string path;
};

/// Ends the process, which libFuzzer reports as a finding with its input.
[[noreturn]] void reportFinding(const std::string &what);

/// Readers refuse with a message; without one that is a finding.
inline void expectMessage(bool isEmpty) {
  if (isEmpty) {
    reportFinding("refused without a message");
  }
}

} // namespace minic::fuzz

#endif // MINIC_TEST_FUZZ_READERS_INPUTFILE_H
