// SPDX-License-Identifier: Apache-2.0
//
// A file's name may hold anything, '=' and ',' too.

#include "tools/minic/InputFiles.h"

namespace minic {

std::string parseInputFiles(const std::vector<std::string> &words,
                            std::map<std::string, std::string> &files) {
  for (const std::string &word : words) {
    size_t equal = word.find('=');
    if (equal == std::string::npos || equal == 0) {
      return "--input: expected NAME=FILE.npy, got '" + word + "'";
    }
    files[word.substr(0, equal)] = word.substr(equal + 1);
  }
  return {};
}

} // namespace minic
