// SPDX-License-Identifier: Apache-2.0
//
// Nothing that a plug-in hands over is believed before it was looked at.

#include "compiler/plugin/PluginHost.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

#include <minic/plugin.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <set>

#include <dlfcn.h>

namespace minic {

using Json = nlohmann::json;

static constexpr size_t mostSchedules = 256, mostName = 100, mostOwnName = 32;
static constexpr size_t mostMessage = 500, mostCode = size_t(256) << 20;
static constexpr double usualSeconds = 10, mostSeconds = 600;

static Json failed(const std::string &why) { return {{"failed", why}}; }

/// What a plug-in says, as one line.
static std::string line(const char *text) {
  std::string result = text ? text : "";
  result.resize(std::min({result.size(), result.find('\n'), mostMessage}));
  return result;
}

/// 1 to `most` printable ASCII characters.
static bool isName(const char *text, size_t most) {
  if (!text || !*text) {
    return false;
  }
  for (size_t i = 0; text[i]; ++i) {
    if (i == most || text[i] < ' ' || text[i] > '~') {
      return false;
    }
  }
  return true;
}

/// As part of names and lists of them.
static bool isOwnName(const char *text) {
  return isName(text, mostOwnName) &&
         std::string(text).find_first_not_of(
             "abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string::npos;
}

namespace {

class Host {
public:
  /// Empty, or why `path` is no plug-in.
  std::string open(const std::string &path);
  Json introduce() const {
    return {{"name", plugin->name},
            {"version", plugin->version},
            {"seconds", seconds()}};
  }
  Json answer(const std::string &text) const;

private:
  double seconds() const {
    return plugin->seconds == 0 ? usualSeconds : plugin->seconds;
  }
  Json listSchedules(const std::string &problem) const;
  Json makeCode(const std::string &problem, const std::string &schedule) const;
  /// Calls `ask(out)` and turns `out` to JSON by `read` where that went well.
  template <typename Out, typename Ask, typename Read>
  Json call(const char *function, Ask ask, Read read) const;

  const minic_plugin *plugin = nullptr;
};

} // namespace

/// `library`'s version where it is not this one; 0 for none.
static int otherVersion(void *library) {
  for (int version = 2; version != 100; ++version) {
    std::string symbol = absl::StrCat("minic_plugin_v", version);
    if (::dlsym(library, symbol.c_str())) {
      return version;
    }
  }
  return 0;
}

std::string Host::open(const std::string &path) {
  void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    return absl::StrCat("cannot be opened: ", line(::dlerror()));
  }
  auto get = reinterpret_cast<decltype(&minic_plugin_v1)>(
      ::dlsym(library, "minic_plugin_v1"));
  if (!get) {
    int other = otherVersion(library);
    return other ? absl::StrCat("plug-in interface: expected version ",
                                MINIC_PLUGIN_VERSION, ", got ", other)
                 : std::string("is no plug-in: it has no function "
                               "minic_plugin_v1");
  }
  try {
    plugin = get();
  } catch (...) {
    return "minic_plugin_v1 threw an exception";
  }
  if (!plugin) {
    return "minic_plugin_v1 returned null";
  }
  if (plugin->interface_version != MINIC_PLUGIN_VERSION) {
    return absl::StrCat("plug-in interface: expected version ",
                        MINIC_PLUGIN_VERSION, ", got ",
                        plugin->interface_version);
  }
  // All of version 1 has these; later fields would be looked for here.
  if (plugin->struct_size < sizeof(minic_plugin)) {
    return absl::StrCat("struct_size: expected ", sizeof(minic_plugin),
                        " or more, got ", plugin->struct_size);
  }
  if (!isOwnName(plugin->name)) {
    return "name: expected 1 to 32 of a-z, 0-9, '_' and '-'";
  }
  if (!isName(plugin->version, mostOwnName)) {
    return "version: expected 1 to 32 printable ASCII characters";
  }
  if (!(plugin->seconds >= 0 && plugin->seconds <= mostSeconds)) {
    return absl::StrCat("seconds: expected 0 to ", mostSeconds, ", got ",
                        plugin->seconds);
  }
  if (!plugin->list_schedules || !plugin->make_code) {
    return "list_schedules or make_code is null";
  }
  return "";
}

template <typename Out, typename Ask, typename Read>
Json Host::call(const char *function, Ask ask, Read read) const {
  Out out = {};
  out.struct_size = sizeof(Out);
  Json reply;
  // Through a C function, but written in C++ as often as not.
  try {
    minic_plugin_answer answer = ask(&out);
    std::string message = line(out.message);
    switch (answer) {
    case MINIC_PLUGIN_OK:
      reply = read(out);
      break;
    case MINIC_PLUGIN_REFUSED:
      reply = {{"refused", message.empty() ? "refuses it" : message}};
      break;
    case MINIC_PLUGIN_FAILED:
      reply = failed(absl::StrCat(function, " failed",
                                  message.empty() ? "" : ": ", message));
      break;
    default:
      reply = failed(absl::StrCat(function, " returned ", int(answer),
                                  ", expected a minic_plugin_answer"));
    }
    if (out.owner && plugin->release) {
      plugin->release(out.owner);
    }
    return reply;
  } catch (const std::exception &exception) {
    return failed(absl::StrCat(
        function, " threw an exception: ", line(exception.what())));
  } catch (...) {
    return failed(absl::StrCat(function, " threw an exception"));
  }
}

Json Host::listSchedules(const std::string &problem) const {
  constexpr const char *function = "list_schedules";
  return call<minic_plugin_schedules>(
      function,
      [&](minic_plugin_schedules *out) {
        return plugin->list_schedules(problem.c_str(), out);
      },
      [&](const minic_plugin_schedules &out) {
        if (out.count == 0 || out.count > mostSchedules || !out.names) {
          return failed(absl::StrCat(function, ": expected 1 to ",
                                     mostSchedules, " names, got ",
                                     out.names ? out.count : 0));
        }
        std::set<std::string> names;
        Json list = Json::array();
        for (size_t i = 0; i != out.count; ++i) {
          const char *name = out.names[i];
          if (!isName(name, mostName)) {
            return failed(absl::StrCat(function, ": name ", i,
                                       ": expected 1 to ", mostName,
                                       " printable ASCII characters"));
          }
          if (!names.insert(name).second) {
            return failed(
                absl::StrCat(function, ": the name '", name, "' came twice"));
          }
          list.push_back(name);
        }
        return Json{{"names", std::move(list)}};
      });
}

static Json readCode(const minic_plugin_code &out) {
  auto wrong = [](const std::string &what) {
    return failed("make_code: " + what);
  };
  bool isForCpus =
      out.kind == MINIC_PLUGIN_LLVM_IR || out.kind == MINIC_PLUGIN_OBJECT;
  bool isKind = isForCpus || out.kind == MINIC_PLUGIN_PTX ||
                out.kind == MINIC_PLUGIN_CUBIN;
  if (!isKind) {
    return wrong(absl::StrCat("kind: expected a minic_plugin_code_kind, got ",
                              int(out.kind)));
  }
  if (!out.data || out.size == 0 || out.size > mostCode) {
    return wrong(absl::StrCat("data: expected 1 to ", mostCode, " bytes, got ",
                              out.data ? out.size : 0));
  }
  if (!out.entry || !*out.entry) {
    return wrong("entry: expected a name");
  }
  if (isForCpus && out.tiles < 1) {
    return wrong(absl::StrCat("tiles: expected 1 or more, got ", out.tiles));
  }
  auto dims = [](const uint32_t (&from)[3]) {
    Json list = Json::array();
    for (uint32_t count : from) {
      list.push_back(std::max<uint32_t>(count, 1));
    }
    return list;
  };
  return {{"kind", int(out.kind)},
          {"data", absl::Base64Escape({out.data, out.size})},
          {"entry", out.entry},
          {"tiles", std::max<int64_t>(out.tiles, 1)},
          {"grid", dims(out.grid)},
          {"block", dims(out.block)},
          {"shared_bytes", out.shared_bytes}};
}

Json Host::makeCode(const std::string &problem,
                    const std::string &schedule) const {
  return call<minic_plugin_code>(
      "make_code",
      [&](minic_plugin_code *out) {
        return plugin->make_code(problem.c_str(), schedule.c_str(), out);
      },
      readCode);
}

Json Host::answer(const std::string &text) const {
  Json request = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  auto field = [&](const char *name) {
    auto found = request.is_object() ? request.find(name) : request.end();
    return found != request.end() && found->is_string()
               ? found->get<std::string>()
               : std::string();
  };
  std::string problem = field("problem"), schedule = field("schedule");
  if (problem.empty()) {
    return failed("not a question: expected problem, and perhaps schedule");
  }
  return schedule.empty() ? listSchedules(problem)
                          : makeCode(problem, schedule);
}

/// False where nobody listens any more.
static bool send(const Json &reply, std::FILE *output) {
  std::string text =
      reply.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  return std::fwrite(text.data(), 1, text.size(), output) == text.size() &&
         std::fflush(output) == 0;
}

int servePlugin(const std::string &path, std::FILE *input, std::FILE *output) {
  Host host;
  std::string why = host.open(path);
  if (!send(why.empty() ? host.introduce() : failed(why), output) ||
      !why.empty()) {
    return 0;
  }
  char *text = nullptr;
  size_t capacity = 0;
  ssize_t length;
  while ((length = ::getline(&text, &capacity, input)) > 0) {
    if (!send(host.answer(std::string(text, size_t(length))), output)) {
      break;
    }
  }
  std::free(text);
  return 0;
}

} // namespace minic
