// SPDX-License-Identifier: Apache-2.0
//
// Reads and replaces the file.

#include "compiler/driver/JoinCosts.h"

#include "compiler/tune/database/TuningDb.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace minic {

std::string JoinCosts::defaultPath() {
  std::filesystem::path database = tune::TuningDb::defaultPath();
  return (database.parent_path() / "join-costs.json").string();
}

double JoinCosts::rounded(double us) {
  return std::clamp(std::exp2(std::round(std::log2(us))), 0.25, 64.0);
}

static nlohmann::json readObject(const std::string &path) {
  std::ifstream file(path);
  nlohmann::json costs =
      nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  return costs.is_object() ? costs : nlohmann::json::object();
}

std::optional<double> JoinCosts::find(const std::string &machine) const {
  nlohmann::json costs = readObject(path);
  auto found = costs.find(machine);
  if (found == costs.end() || !found->is_number()) {
    return std::nullopt;
  }
  double us = found->get<double>();
  return us > 0 && us <= 64 ? std::optional(us) : std::nullopt;
}

void JoinCosts::keep(const std::string &machine, double us) const {
  namespace fs = std::filesystem;
  std::error_code ignored;
  fs::create_directories(fs::path(path).parent_path(), ignored);
  nlohmann::json costs = readObject(path);
  costs[machine] = us;
  fs::path complete = path + "." + std::to_string(::getpid());
  if (std::ofstream file(complete); !(file << costs.dump(1) << '\n')) {
    fs::remove(complete, ignored);
    return;
  }
  fs::rename(complete, path, ignored);
  if (ignored) {
    fs::remove(complete, ignored);
  }
}

} // namespace minic
