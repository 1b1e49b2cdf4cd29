// SPDX-License-Identifier: Apache-2.0
//
// A plug-in with GEMMs of CUTLASS for graph.linear of bf16 and f16 on sm_90:
// alone, with a bias or a sum behind it, and with relu or gelu behind that.

#include "launch.h"

#include <minic/plugin.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using Json = nlohmann::json;

struct Linear {
  Problem problem;
  Epilogue epilogue = plain;
  std::string dtype;
  std::string refusal; // empty: it is one for this plug-in
};

Linear refuse(const char *why) {
  Linear linear;
  linear.refusal = why;
  return linear;
}

/// linear [+ bias] [+ add] [+ relu or gelu], whose operands come in the order
/// A, B, C.
Linear read(const char *text) {
  Json json = Json::parse(text), &ops = json["ops"];
  if (json["target"]["name"] != "cuda" || json["target"]["arch"] != "sm_90a") {
    return refuse("compiled for sm_90a");
  }
  if (ops[0]["op"] != "linear" || json["results"].size() != 1 ||
      json["yields"] != Json{json["operands"].size() + ops.size() - 1}) {
    return refuse("not a linear with one result");
  }
  size_t operands = json["operands"].size(), value = operands, op = 1;
  bool hasBias = ops[0]["operands"].size() == 3;
  Linear linear;
  linear.epilogue = hasBias ? add : plain;
  if (!hasBias && ops.size() > op && ops[op]["op"] == "add") {
    Json first = ops[op]["operands"][0], second = ops[op]["operands"][1];
    if ((first == value) == (second == value)) {
      return refuse("adds the product to itself");
    }
    if ((first == value ? second : first) != 2) {
      return refuse("adds one of its factors");
    }
    linear.epilogue = add;
    ++op, ++value;
  }
  if (ops.size() > op && linear.epilogue == add &&
      ops[op]["operands"] == Json{value}) {
    const Json &attributes = ops[op]["attributes"];
    if (ops[op]["op"] == "relu") {
      linear.epilogue = addRelu;
      ++op;
    } else if (ops[op]["op"] == "gelu" &&
               attributes.dump().find("tanh") == std::string::npos) {
      linear.epilogue = addGelu;
      ++op;
    }
  }
  if (op != ops.size()) {
    return refuse("what follows is not a sum, then relu or gelu");
  }
  size_t expected = linear.epilogue == plain ? 2 : 3;
  Json order = Json{0, 1};
  if (hasBias) {
    order.push_back(2);
  }
  if (operands != expected || ops[0]["operands"] != order) {
    return refuse("an operand is used twice, or in another order");
  }
  Json x = json["operands"][0], w = json["operands"][1];
  linear.dtype = x["dtype"];
  if (linear.dtype != "bf16" && linear.dtype != "f16") {
    return refuse("not bf16 or f16");
  }
  Json rows = x["dims"];
  int64_t k = rows.back(), m = 1, n = w["dims"][0];
  for (size_t i = 0; i + 1 < rows.size(); ++i) {
    m *= rows[i].get<int64_t>();
  }
  int64_t largest = INT32_MAX;
  if (k % 8 != 0 || n % 8 != 0 || m * k > largest || n * k > largest ||
      m * n > largest) {
    return refuse("expected K and N to be multiples of 8, and fewer than 2^31 "
                  "elements");
  }
  linear.problem = {int(m), int(n), int(k), 0,
                    json["target"].value("sm_count", 1)};
  if (expected == 3) {
    Json c = json["operands"][2]["dims"], d = json["results"][0]["dims"];
    if (json["operands"][2]["dtype"] != linear.dtype ||
        (c != d && c != Json{n})) {
      return refuse("expected C to be a bias, or like the result");
    }
    linear.problem.addendStride = c == d ? n : 0;
  }
  return linear;
}

/// For this problem, the likely best one first.
std::vector<Compiled> kernelsFor(const Linear &linear) {
  std::vector<Compiled> found;
  for (const Compiled &kernel : compiledKernels()) {
    if (linear.refusal.empty() && kernel.dtype == linear.dtype &&
        kernel.epilogue == linear.epilogue) {
      found.push_back(kernel);
    }
  }
  std::sort(
      found.begin(), found.end(),
      [](const Compiled &a, const Compiled &b) { return a.order < b.order; });
  return found;
}

struct Answer {
  std::string text;
  std::vector<const char *> names;
};

minic_plugin_answer listSchedules(const char *problem,
                                  minic_plugin_schedules *out) {
  Linear linear = read(problem);
  auto *answer = new Answer{linear.refusal, {}};
  for (const Compiled &kernel : kernelsFor(linear)) {
    answer->names.push_back(kernel.schedule);
  }
  if (answer->names.empty() && answer->text.empty()) {
    answer->text = "no kernel was compiled for this dtype and epilogue";
  }
  out->owner = answer;
  out->message = answer->text.c_str();
  out->names = answer->names.data();
  out->count = answer->names.size();
  return answer->text.empty() ? MINIC_PLUGIN_OK : MINIC_PLUGIN_REFUSED;
}

minic_plugin_answer makeCode(const char *problem, const char *schedule,
                             minic_plugin_code *out) {
  Linear linear = read(problem);
  for (const Compiled &kernel : kernelsFor(linear)) {
    if (std::string(schedule) != kernel.schedule) {
      continue;
    }
    Launch launch = kernel.launch(linear.problem);
    auto *answer = new Answer{std::move(launch.cubin), {}};
    out->owner = answer;
    out->kind = MINIC_PLUGIN_CUBIN;
    out->data = answer->text.data();
    out->size = answer->text.size();
    out->entry = "cutlass_gemm";
    std::copy(launch.grid, launch.grid + 3, out->grid);
    out->block[0] = launch.block;
    out->shared_bytes = launch.sharedBytes;
    return MINIC_PLUGIN_OK;
  }
  out->message = "no such kernel";
  return MINIC_PLUGIN_FAILED;
}

void release(void *owner) { delete static_cast<Answer *>(owner); }

const minic_plugin plugin = {
    MINIC_PLUGIN_VERSION, sizeof(minic_plugin), "cutlass", "4.2.0",
    /*seconds=*/0,        listSchedules,        makeCode,  release};

} // namespace

const minic_plugin *minic_plugin_v1(void) { return &plugin; }
