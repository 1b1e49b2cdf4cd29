// SPDX-License-Identifier: Apache-2.0
//
// A question is a line to the process and a line back, within a limit.

#include "compiler/plugin/PluginProcess.h"

#include "compiler/tune/process/Clock.h"
#include "compiler/tune/process/Interrupt.h"
#include "compiler/tune/process/Subprocess.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"

#include <nlohmann/json.hpp>

#include <mutex>

namespace minic {

using Json = nlohmann::json;
using tune::Subprocess;

/// For opening it, libraries that it links included.
static constexpr double openSeconds = 30;

namespace {

class PluginProcess : public Plugin {
public:
  PluginProcess(std::string file, std::string minic)
      : command{std::move(minic), "plugin-host", std::move(file)} {}

  /// Empty, or why it cannot be used.
  std::string open();
  const std::string &name() const override { return name_; }
  const std::string &version() const override { return version_; }
  const std::string &hash() const override { return hash_; }
  double seconds() const override { return seconds_; }
  llvm::Expected<PluginSchedules> schedules(llvm::StringRef problem) override;
  llvm::Expected<PluginCode> code(llvm::StringRef problem,
                                  llvm::StringRef schedule) override;

private:
  std::string start();
  /// The next line of the process, an object; otherwise {"failed"}, with
  /// `isGone` where the process was ended. `function`: what it is waited for.
  Json receive(const char *function, double seconds);
  Json ask(const char *function, const Json &question);

  const std::vector<std::string> command;
  std::string name_, version_, hash_;
  double seconds_ = 0;
  std::mutex mutex;
  std::unique_ptr<Subprocess> process;
  bool isGone = false;
  std::string broken; // what it did while it listed schedules
  llvm::StringMap<Json> known;
};

} // namespace

static Json failed(const std::string &why) { return {{"failed", why}}; }

/// The text of `name`; empty where there is none.
static std::string text(const Json &json, const char *name) {
  auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>()
                                                   : std::string();
}

Json PluginProcess::receive(const char *function, double seconds) {
  tune::SteadyClock clock;
  double end = clock.now() + seconds;
  std::string line;
  isGone = true;
  while (true) {
    switch (process->receive(line, 0.1)) {
    case Subprocess::Event::Line: {
      Json reply = Json::parse(line, nullptr, /*allow_exceptions=*/false);
      isGone = !reply.is_object();
      if (!isGone) {
        return reply;
      }
      process.reset();
      return failed(absl::StrCat(function, ": its process said no JSON"));
    }
    case Subprocess::Event::Ended: {
      std::string how = process->describeEnd();
      process.reset();
      return failed(absl::StrCat(function, ": its process ended: ", how));
    }
    case Subprocess::Event::Timeout:
      break;
    }
    if (interrupted() || clock.now() >= end) {
      process.reset();
      return failed(
          interrupted()
              ? "interrupted"
              : absl::StrCat(function, " did not return in ", seconds, " s"));
    }
  }
}

std::string PluginProcess::start() {
  auto spawned = Subprocess::spawn(command);
  if (!spawned.ok()) {
    return std::string(spawned.status().message());
  }
  process = *std::move(spawned);
  Json introduction = receive("minic_plugin_v1", openSeconds);
  if (std::string why = text(introduction, "failed"); !why.empty()) {
    process.reset();
    return why;
  }
  name_ = text(introduction, "name");
  version_ = text(introduction, "version");
  auto limit = introduction.find("seconds");
  if (limit != introduction.end() && limit->is_number()) {
    seconds_ = limit->get<double>();
  }
  return "";
}

std::string PluginProcess::open() {
  const std::string &file = command.back();
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer) {
    return buffer.getError().message();
  }
  hash_ = llvm::utohexstr(llvm::xxh3_64bits((*buffer)->getBuffer()),
                          /*LowerCase=*/true, /*Width=*/16);
  return start();
}

Json PluginProcess::ask(const char *function, const Json &question) {
  std::string line =
      question.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (auto answer = known.find(line); answer != known.end()) {
    return answer->second;
  }
  if (!process) {
    if (std::string why = start(); !why.empty()) {
      return failed(why);
    }
  }
  process->send(line);
  Json reply = receive(function, seconds_);
  // What happened once may not happen again.
  if (!isGone) {
    known[line] = reply;
  }
  return reply;
}

llvm::Expected<PluginSchedules>
PluginProcess::schedules(llvm::StringRef problem) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!broken.empty()) {
    return llvm::createStringError(broken);
  }
  Json reply = ask("list_schedules", {{"problem", problem.str()}});
  if (std::string why = text(reply, "failed"); !why.empty()) {
    broken = isGone ? why : "";
    return llvm::createStringError(why);
  }
  PluginSchedules result;
  result.refusal = text(reply, "refused");
  if (auto names = reply.find("names");
      names != reply.end() && names->is_array()) {
    for (const Json &name : *names) {
      if (name.is_string()) {
        result.names.push_back(name.get<std::string>());
      }
    }
  }
  return result;
}

static std::vector<int64_t> numbers(const Json &json, const char *name) {
  std::vector<int64_t> result;
  if (auto found = json.find(name); found != json.end() && found->is_array()) {
    for (const Json &each : *found) {
      result.push_back(each.is_number() ? each.get<int64_t>() : 1);
    }
  }
  return result;
}

llvm::Expected<PluginCode> PluginProcess::code(llvm::StringRef problem,
                                               llvm::StringRef schedule) {
  std::lock_guard<std::mutex> lock(mutex);
  Json reply = ask("make_code",
                   {{"problem", problem.str()}, {"schedule", schedule.str()}});
  std::string why = text(reply, "failed");
  if (std::string refusal = text(reply, "refused"); !refusal.empty()) {
    why = "make_code refused what list_schedules named: " + refusal;
  }
  PluginCode code;
  if (why.empty() && !absl::Base64Unescape(text(reply, "data"), &code.data)) {
    why = "make_code: its process said no base64";
  }
  if (!why.empty()) {
    return llvm::createStringError(why);
  }
  auto number = [&](const char *name) {
    auto found = reply.find(name);
    return found != reply.end() && found->is_number() ? found->get<int64_t>()
                                                      : 0;
  };
  code.kind = PluginCode::Kind(number("kind"));
  code.entry = text(reply, "entry");
  code.tiles = number("tiles");
  code.grid = numbers(reply, "grid");
  code.block = numbers(reply, "block");
  code.sharedBytes = number("shared_bytes");
  return code;
}

llvm::Expected<Plugins> openPlugins(llvm::ArrayRef<std::string> files,
                                    const std::string &minic) {
  Plugins plugins;
  for (const std::string &file : files) {
    // The loader looks elsewhere for a name without a folder.
    llvm::SmallString<128> path(file);
    llvm::sys::fs::make_absolute(path);
    auto plugin = std::make_unique<PluginProcess>(path.str().str(), minic);
    if (std::string why = plugin->open(); !why.empty()) {
      return llvm::createStringError("plug-in '" + file + "': " + why);
    }
    for (const std::unique_ptr<Plugin> &other : plugins) {
      if (other->name() == plugin->name()) {
        return llvm::createStringError("plug-in '" + file +
                                       "': another one is called " +
                                       plugin->name() + ", too");
      }
    }
    plugins.push_back(std::move(plugin));
  }
  return plugins;
}

} // namespace minic
