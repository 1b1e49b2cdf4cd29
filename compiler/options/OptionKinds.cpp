// SPDX-License-Identifier: Apache-2.0
//
// Parsers and printers.

#include "compiler/options/OptionKinds.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

namespace minic::option {

Option text(std::string name, std::string group, std::string value,
            std::string help, std::string CompileOptions::*field) {
  return {name,
          group,
          value,
          help,
          [field](CompileOptions &options, const std::string &text) {
            options.*field = text;
            return std::string();
          },
          [field](const CompileOptions &options) { return options.*field; }};
}

static std::string setToggle(bool &value, const std::string &text) {
  if (text != "on" && text != "off") {
    return "expected on or off, got '" + text + "'";
  }
  value = text == "on";
  return {};
}

Option toggle(std::string name, std::string group, std::string help,
              bool CompileOptions::*field) {
  return {name,
          group,
          "on|off",
          help,
          [field](CompileOptions &options, const std::string &text) {
            return setToggle(options.*field, text);
          },
          [field](const CompileOptions &options) {
            return std::string(options.*field ? "on" : "off");
          }};
}

Option fuseSwitch(std::string name, std::string group, std::string help,
                  bool FuseSwitches::*field) {
  return {name,
          group,
          "on|off",
          help,
          [field](CompileOptions &options, const std::string &text) {
            return setToggle(options.fuse.*field, text);
          },
          [field](const CompileOptions &options) {
            return std::string(options.fuse.*field ? "on" : "off");
          }};
}

Option flag(std::string name, std::string group, std::string help,
            bool CompileOptions::*field) {
  return {name,
          group,
          "",
          help,
          [field](CompileOptions &options, const std::string &) {
            options.*field = true;
            return std::string();
          },
          [field](const CompileOptions &options) {
            return std::string(options.*field ? "on" : "off");
          }};
}

Option choice(std::string name, std::string group,
              std::vector<std::string> allowed, std::string help,
              std::string CompileOptions::*field) {
  std::string value = llvm::join(allowed, "|");
  return {name,
          group,
          value,
          help,
          [field, allowed](CompileOptions &options, const std::string &text) {
            if (!llvm::is_contained(allowed, text)) {
              return "expected " + llvm::join(allowed, ", ") + ", got '" +
                     text + "'";
            }
            options.*field = text;
            return std::string();
          },
          [field](const CompileOptions &options) { return options.*field; }};
}

Option list(std::string name, std::string group, std::string value,
            std::vector<std::string> allowed, std::string help,
            std::vector<std::string> CompileOptions::*field) {
  return {name,
          group,
          value,
          help,
          [field, allowed](CompileOptions &options, const std::string &text) {
            std::vector<std::string> words;
            for (llvm::StringRef word : llvm::split(text, ',')) {
              words.push_back(word.trim().str());
              if (words.back().empty() ||
                  (!allowed.empty() &&
                   !llvm::is_contained(allowed, words.back()))) {
                return "expected a comma-separated list" +
                       (allowed.empty() ? std::string()
                                        : " of " + llvm::join(allowed, ", ")) +
                       ", got '" + text + "'";
              }
            }
            options.*field = words;
            return std::string();
          },
          [field](const CompileOptions &options) {
            return llvm::join(options.*field, ",");
          }};
}

Option repeated(std::string name, std::string group, std::string value,
                std::string help,
                std::vector<std::string> CompileOptions::*field) {
  Option option = {
      name,
      group,
      value,
      help,
      [field, value](CompileOptions &options, const std::string &text) {
        llvm::SmallVector<llvm::StringRef> words;
        llvm::SplitString(text, words, ",\n");
        options.*field = {words.begin(), words.end()};
        return words.empty() ? "expected " + value + ", got nothing"
                             : std::string();
      },
      [field](const CompileOptions &options) {
        return llvm::join(options.*field, ",");
      }};
  option.isRepeated = true;
  return option;
}

std::string parseSizes(const std::string &text,
                       std::map<std::string, std::vector<int64_t>> &sizes) {
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(text, words, ",\n");
  std::string name;
  for (llvm::StringRef word : words) {
    llvm::StringRef number = word;
    if (size_t equal = word.rfind('='); equal != llvm::StringRef::npos) {
      name = word.take_front(equal).str();
      number = word.drop_front(equal + 1);
      if (sizes.count(name)) {
        return "'" + name + "' appears twice, expected once with all its sizes";
      }
    }
    int64_t size = 0;
    if (name.empty() || number.getAsInteger(10, size) || size < 1) {
      return "expected NAME=SIZE with a size of 1 or more, got '" + word.str() +
             "'";
    }
    std::vector<int64_t> &all = sizes[name];
    auto place = llvm::lower_bound(all, size);
    if (place != all.end() && *place == size) {
      return "'" + name + "' has the size " + std::to_string(size) + " twice";
    }
    all.insert(place, size);
  }
  return words.empty() ? "expected NAME=SIZE, got nothing" : "";
}

Option
sizes(std::string name, std::string group, std::string help,
      std::map<std::string, std::vector<int64_t>> CompileOptions::*field) {
  Option option = {name,
                   group,
                   "NAME=SIZES",
                   help,
                   [field](CompileOptions &options, const std::string &text) {
                     (options.*field).clear();
                     return parseSizes(text, options.*field);
                   },
                   [field](const CompileOptions &options) {
                     std::vector<std::string> words;
                     for (const auto &[name, all] : options.*field) {
                       for (auto [i, size] : llvm::enumerate(all)) {
                         words.push_back((i == 0 ? name + "=" : "") +
                                         std::to_string(size));
                       }
                     }
                     return llvm::join(words, ",");
                   }};
  option.isRepeated = true;
  return option;
}

/// NAME=SIZE,NAME=SIZE as `sizes`; what was expected, or nothing.
static std::string parseSizeSet(llvm::StringRef text,
                                std::map<std::string, int64_t> &sizes) {
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(text, words, ",");
  for (llvm::StringRef word : words) {
    auto [name, number] = word.rsplit('=');
    int64_t size = 0;
    if (name.empty() || number.getAsInteger(10, size) || size < 1) {
      return "expected NAME=SIZE with a size of 1 or more, got '" + word.str() +
             "'";
    }
    if (!sizes.try_emplace(name.str(), size).second) {
      return "'" + name.str() + "' appears twice in '" + text.str() + "'";
    }
  }
  return {};
}

Option
sizeSets(std::string name, std::string group, std::string help,
         std::vector<std::map<std::string, int64_t>> CompileOptions::*field) {
  return {name,
          group,
          "NAME=SIZE,NAME=SIZE;...",
          help,
          [field](CompileOptions &options, const std::string &text) {
            (options.*field).clear();
            llvm::SmallVector<llvm::StringRef> sets;
            llvm::SplitString(text, sets, ";");
            for (llvm::StringRef set : sets) {
              std::map<std::string, int64_t> &sizes =
                  (options.*field).emplace_back();
              if (std::string error = parseSizeSet(set, sizes);
                  !error.empty()) {
                return error;
              }
            }
            return std::string();
          },
          [field](const CompileOptions &options) {
            std::vector<std::string> sets;
            for (const auto &sizes : options.*field) {
              std::vector<std::string> words;
              for (const auto &[name, size] : sizes) {
                words.push_back(name + "=" + std::to_string(size));
              }
              sets.push_back(llvm::join(words, ","));
            }
            return llvm::join(sets, ";");
          }};
}

Option sizeRange(std::string name, std::string group, std::string help,
                 int64_t most, SizeRange CompileOptions::*field) {
  return {name,
          group,
          "NAME=FROM:TO",
          help,
          [=](CompileOptions &options, const std::string &text) {
            auto [dim, range] = llvm::StringRef(text).rsplit('=');
            auto [from, to] = range.split(':');
            SizeRange &result = options.*field;
            if (dim.empty() || from.getAsInteger(10, result.from) ||
                to.getAsInteger(10, result.to) || result.from < 1 ||
                result.to <= result.from || result.to - result.from >= most) {
              result = {};
              return llvm::formatv("expected NAME=FROM:TO with 1 <= FROM < TO "
                                   "and at most {0} sizes, got '{1}'",
                                   most, text)
                  .str();
            }
            result.dim = dim.str();
            return std::string();
          },
          [field](const CompileOptions &options) {
            const SizeRange &range = options.*field;
            return range.dim.empty() ? std::string()
                                     : llvm::formatv("{0}={1}:{2}", range.dim,
                                                     range.from, range.to)
                                           .str();
          }};
}

std::string parseFiles(const std::string &text,
                       std::map<std::string, std::string> &files) {
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(text, words, ",\n");
  if (words.empty()) {
    return "expected NAME=FILE, got nothing";
  }
  for (llvm::StringRef word : words) {
    auto [name, file] = word.split('=');
    if (name.empty() || file.empty()) {
      return "expected NAME=FILE, got '" + word.str() + "'";
    }
    auto [it, isNew] = files.try_emplace(name.str(), file.str());
    if (!isNew && it->second != file) {
      return "'" + name.str() + "' has the files " + it->second + " and " +
             file.str() + ", expected one";
    }
  }
  return {};
}

Option files(std::string name, std::string group, std::string help,
             std::map<std::string, std::string> CompileOptions::*field) {
  Option option = {name,
                   group,
                   "NAME=FILE",
                   help,
                   [field](CompileOptions &options, const std::string &text) {
                     (options.*field).clear();
                     return parseFiles(text, options.*field);
                   },
                   [field](const CompileOptions &options) {
                     std::vector<std::string> words;
                     for (const auto &[name, file] : options.*field) {
                       words.push_back(name + "=" + file);
                     }
                     return llvm::join(words, ",");
                   }};
  option.isRepeated = true;
  return option;
}

Option clocks(std::string name, std::string group, std::string help,
              int CompileOptions::*field) {
  return {name,
          group,
          "[=MHz]",
          help,
          [field](CompileOptions &options, const std::string &text) {
            int mhz = text == "off" ? -1 : 0;
            if (text != "off" && text != "max" &&
                (llvm::StringRef(text).getAsInteger(10, mhz) || mhz < 1 ||
                 mhz > 10000)) {
              return "expected MHz from 1 to 10000, max or off, got '" + text +
                     "'";
            }
            options.*field = mhz;
            return std::string();
          },
          [field](const CompileOptions &options) {
            int mhz = options.*field;
            return mhz < 0    ? std::string("off")
                   : mhz == 0 ? std::string("max")
                              : std::to_string(mhz);
          }};
}

static std::string setBudget(double &seconds, llvm::StringRef text) {
  llvm::StringRef number = text;
  double scale = 1;
  if (number == "none") {
    seconds = 0;
    return {};
  }
  if (number.consume_back("ms")) {
    scale = 1e-3;
  } else if (number.consume_back("s")) {
    scale = 1;
  } else if (number.consume_back("m")) {
    scale = 60;
  }
  double value = 0;
  if (number.getAsDouble(value) || !std::isfinite(value)) {
    return "expected a time such as 500ms, 30s, 2m or none, got '" +
           text.str() + "'";
  }
  if (value <= 0) {
    return "expected more than zero, such as 500ms, 30s or 2m, or none for no "
           "limit, got '" +
           text.str() + "'";
  }
  seconds = value * scale;
  return {};
}

Option budget(std::string name, std::string group, std::string help,
              double CompileOptions::*field) {
  return {name,
          group,
          "TIME",
          help,
          [field](CompileOptions &options, const std::string &text) {
            return setBudget(options.*field, text);
          },
          [field](const CompileOptions &options) {
            return options.*field == 0
                       ? std::string("none")
                       : llvm::formatv("{0}s", options.*field).str();
          }};
}

static std::string setBytes(int64_t &bytes, llvm::StringRef text) {
  llvm::StringRef number = text;
  int64_t scale = 1;
  if (number.consume_back("GiB")) {
    scale = int64_t(1) << 30;
  } else if (number.consume_back("MiB")) {
    scale = int64_t(1) << 20;
  } else if (number.consume_back("KiB")) {
    scale = int64_t(1) << 10;
  }
  int64_t value = 0;
  if (number.getAsInteger(10, value) || value < 0 ||
      value > (int64_t(1) << 40) / scale) {
    return "expected a size such as 32MiB or a number of bytes, got '" +
           text.str() + "'";
  }
  bytes = value * scale;
  return {};
}

Option bytes(std::string name, std::string group, std::string help,
             int64_t CompileOptions::*field) {
  return {name,
          group,
          "BYTES",
          help,
          [field](CompileOptions &options, const std::string &text) {
            return setBytes(options.*field, text);
          },
          [field](const CompileOptions &options) {
            return std::to_string(options.*field);
          }};
}

static std::string phaseNames() {
  return llvm::join(
      llvm::map_range(allPhases(), [](Phase each) { return toString(each); }),
      ", ");
}

Option phase(std::string name, std::string group, std::string help,
             Phase CompileOptions::*field) {
  return {name,
          group,
          "PHASE",
          help + ": " + phaseNames(),
          [field](CompileOptions &options, const std::string &text) {
            std::optional<Phase> phase = parsePhase(text);
            if (!phase) {
              return "expected " + phaseNames() + ", got '" + text + "'";
            }
            options.*field = *phase;
            return std::string();
          },
          [field](const CompileOptions &options) {
            return toString(options.*field).str();
          }};
}

static std::string setPhases(std::vector<Phase> &phases,
                             const std::string &text) {
  phases.clear();
  for (llvm::StringRef word : llvm::split(text, ',')) {
    std::optional<Phase> phase = parsePhase(word.trim());
    if (word.trim() == "all") {
      phases.assign(allPhases().begin(), allPhases().end());
    } else if (phase) {
      phases.push_back(*phase);
    } else {
      return "expected all or phases of " + phaseNames() + ", got '" + text +
             "'";
    }
  }
  return {};
}

Option phases(std::string name, std::string group, std::string help,
              std::vector<Phase> CompileOptions::*field) {
  return {name,
          group,
          "PHASES",
          help,
          [field](CompileOptions &options, const std::string &text) {
            return setPhases(options.*field, text);
          },
          [field](const CompileOptions &options) {
            return llvm::join(
                llvm::map_range(options.*field,
                                [](Phase p) { return toString(p); }),
                ",");
          }};
}

} // namespace minic::option
