// SPDX-License-Identifier: Apache-2.0
//
// parseInputFiles: what --input says, for the commands that evaluate a model.

#ifndef MINIC_TOOLS_MINIC_INPUTFILES_H
#define MINIC_TOOLS_MINIC_INPUTFILES_H

#include <map>
#include <string>
#include <vector>

namespace minic {

/// `files` gets the file of each name of `words`, NAME=FILE.npy each. What is
/// wrong with them, or nothing.
std::string parseInputFiles(const std::vector<std::string> &words,
                            std::map<std::string, std::string> &files);

} // namespace minic

#endif // MINIC_TOOLS_MINIC_INPUTFILES_H
