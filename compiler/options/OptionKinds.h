// SPDX-License-Identifier: Apache-2.0
//
// The kinds of values that options have: how each is parsed, printed and
// refused.

#ifndef MINIC_COMPILER_OPTIONS_OPTIONKINDS_H
#define MINIC_COMPILER_OPTIONS_OPTIONKINDS_H

#include "compiler/options/OptionTable.h"

#include "llvm/Support/FormatVariadic.h"

namespace minic::option {

Option text(std::string name, std::string group, std::string value,
            std::string help, std::string CompileOptions::*field);

/// on or off.
Option toggle(std::string name, std::string group, std::string help,
              bool CompileOptions::*field);

/// The same for a field of `fuse`.
Option fuseSwitch(std::string name, std::string group, std::string help,
                  bool FuseSwitches::*field);

/// A switch that is on where it is given.
Option flag(std::string name, std::string group, std::string help,
            bool CompileOptions::*field);

/// One of `allowed`.
Option choice(std::string name, std::string group,
              std::vector<std::string> allowed, std::string help,
              std::string CompileOptions::*field);

/// Comma-separated words, each one of `allowed` if that is not empty.
Option list(std::string name, std::string group, std::string value,
            std::vector<std::string> allowed, std::string help,
            std::vector<std::string> CompileOptions::*field);

/// Texts without commas, with commas between them or as several options.
Option repeated(std::string name, std::string group, std::string value,
                std::string help,
                std::vector<std::string> CompileOptions::*field);

/// NAME=SIZE,SIZE... with sizes of 1 or more, for several names with commas
/// between them or as several options; each name once.
Option
sizes(std::string name, std::string group, std::string help,
      std::map<std::string, std::vector<int64_t>> CompileOptions::*field);

/// Reads such a text into `sizes`, each list in ascending order, where no name
/// of it may be yet; returns what was expected, or nothing.
std::string parseSizes(const std::string &text,
                       std::map<std::string, std::vector<int64_t>> &sizes);

/// NAME=SIZE,NAME=SIZE;NAME=SIZE...: sets of sizes that go together.
Option
sizeSets(std::string name, std::string group, std::string help,
         std::vector<std::map<std::string, int64_t>> CompileOptions::*field);

/// NAME=FROM:TO with 1 <= FROM < TO, at most `most` sizes.
Option sizeRange(std::string name, std::string group, std::string help,
                 int64_t most, SizeRange CompileOptions::*field);

/// NAME=FILE, several with commas between them or as several options.
Option files(std::string name, std::string group, std::string help,
             std::map<std::string, std::string> CompileOptions::*field);

/// Reads such a text into `files`; returns what was expected, or nothing.
std::string parseFiles(const std::string &text,
                       std::map<std::string, std::string> &files);

/// Seconds, of "30s", "2m", "500ms" or plain seconds; 0 of "none", no limit.
Option budget(std::string name, std::string group, std::string help,
              double CompileOptions::*field);

/// Of "32MiB", "1GiB", "64KiB" or plain bytes.
Option bytes(std::string name, std::string group, std::string help,
             int64_t CompileOptions::*field);

/// Of "off", "max" (also where no value is given) or MHz; -1, 0 or MHz. The
/// value is given with =.
Option clocks(std::string name, std::string group, std::string help,
              int CompileOptions::*field);

/// A phase; `help` is followed by the names of all.
Option phase(std::string name, std::string group, std::string help,
             Phase CompileOptions::*field);

/// Phases separated by commas, or all.
Option phases(std::string name, std::string group, std::string help,
              std::vector<Phase> CompileOptions::*field);

/// An integer in [minimum, maximum].
template <typename T>
Option integer(std::string name, std::string group, std::string help,
               int64_t minimum, int64_t maximum, T CompileOptions::*field) {
  return {name,
          group,
          "N",
          help,
          [=](CompileOptions &options, const std::string &text) {
            int64_t number = 0;
            if (llvm::StringRef(text).getAsInteger(10, number) ||
                number < minimum || number > maximum) {
              return llvm::formatv("expected an integer from {0} to {1}, got "
                                   "'{2}'",
                                   minimum, maximum, text)
                  .str();
            }
            options.*field = static_cast<T>(number);
            return std::string();
          },
          [field](const CompileOptions &options) {
            return std::to_string(options.*field);
          }};
}

} // namespace minic::option

#endif // MINIC_COMPILER_OPTIONS_OPTIONKINDS_H
