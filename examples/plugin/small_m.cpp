// SPDX-License-Identifier: Apache-2.0
//
// A plug-in with one kernel family for CPUs: graph.linear of f32 with up to
// four rows, such as a step of decoding. Each tile multiplies a few rows of the
// weight, as they lie, with all rows of the input.

#include <minic/plugin.h>
#include <nlohmann/json.hpp>

#include <sstream>
#include <string>
#include <vector>

namespace {

using Json = nlohmann::json;

struct Linear {
  int64_t m = 0, n = 0, k = 0;
  bool hasBias = false;
  std::string refusal; // empty: it is one for this family
};

Linear read(const char *text) {
  Linear linear;
  Json problem = Json::parse(text), ops = problem["ops"];
  if (problem["target"]["name"] != "cpu" || ops.size() != 1 ||
      ops[0]["op"] != "linear") {
    linear.refusal = "not a linear alone on a CPU";
    return linear;
  }
  Json x = problem["operands"][0], w = problem["operands"][1];
  linear.hasBias = ops[0]["operands"].size() == 3;
  if (x["dtype"] != "f32" || x["dims"].size() != 2 ||
      ops[0]["operands"] != (linear.hasBias ? Json{0, 1, 2} : Json{0, 1})) {
    linear.refusal = "not f32, not a matrix, or an operand used twice";
    return linear;
  }
  linear.m = x["dims"][0];
  linear.n = w["dims"][0];
  linear.k = w["dims"][1];
  if (linear.m < 1 || linear.m > 4 || linear.k < 16 || linear.k % 16 != 0) {
    linear.refusal = "expected 1 to 4 rows, and K to be a multiple of 16";
  }
  return linear;
}

/// LLVM IR for tiles of `rows` rows of the weight.
std::string writeKernel(const Linear &linear, int64_t rows) {
  std::ostringstream ir, sums;
  auto put = [&](const auto &...parts) { (ir << ... << parts) << '\n'; };
  // %from_row_: 16 elements of that row at %i.
  auto load = [&](const std::string &v, const char *from, auto row) {
    put("  %r", v, " = mul i64 ", row, ", ", linear.k);
    put("  %o", v, " = add i64 %r", v, ", %i");
    put("  %p", v, " = getelementptr float, ptr %", from, ", i64 %o", v);
    put("  %", v, " = load <16 x float>, ptr %p", v, ", align 4");
  };
  put("define void @small_m(ptr noalias %x, ptr noalias %w, ",
      linear.hasBias ? "ptr noalias %b, " : "",
      "ptr noalias %y, i64 %begin, i64 %end) #0 {\nstart:\n  br label %tile");
  put("tile:\n  %t = phi i64 [ %begin, %start ], [ %t1, %done ]\n",
      "  %n = mul i64 %t, ", rows, "\n  br label %k");
  put("k:\n  %i = phi i64 [ 0, %tile ], [ %i1, %k ]");
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t m = 0; m < linear.m; ++m) {
      std::string id = std::to_string(r) + "_" + std::to_string(m);
      put("  %a", id, " = phi <16 x float> [ zeroinitializer, %tile ], [ %s",
          id, ", %k ]");
      sums << "  %s" << id << " = call <16 x float> @llvm.fma.v16f32(<16 x "
           << "float> %x" << m << ", <16 x float> %w" << r
           << ", <16 x float> %a" << id << ")\n";
    }
  }
  for (int64_t m = 0; m < linear.m; ++m) {
    load("x" + std::to_string(m), "x", m);
  }
  for (int64_t r = 0; r < rows; ++r) {
    put("  %n", r, " = add i64 %n, ", r);
    load("w" + std::to_string(r), "w", "%n" + std::to_string(r));
  }
  put(sums.str(), "  %i1 = add i64 %i, 16\n  %more = icmp ult i64 %i1, ",
      linear.k, "\n  br i1 %more, label %k, label %done\ndone:");
  for (int64_t r = 0; r < rows; ++r) {
    if (linear.hasBias) {
      put("  %q", r, " = getelementptr float, ptr %b, i64 %n", r);
      put("  %c", r, " = load float, ptr %q", r);
    }
    std::string first = linear.hasBias ? "%c" + std::to_string(r) : "-0.0";
    for (int64_t m = 0; m < linear.m; ++m) {
      std::string id = std::to_string(r) + "_" + std::to_string(m);
      put("  %v", id, " = call reassoc float @llvm.vector.reduce.fadd.v16f32(",
          "float ", first, ", <16 x float> %s", id, ")");
      put("  %g", id, " = add i64 %n", r, ", ", m * linear.n);
      put("  %h", id, " = getelementptr float, ptr %y, i64 %g", id);
      put("  store float %v", id, ", ptr %h", id);
    }
  }
  put("  %t1 = add i64 %t, 1\n  %next = icmp slt i64 %t1, %end\n",
      "  br i1 %next, label %tile, label %exit\nexit:\n  ret void\n}\n",
      "attributes #0 = { \"prefer-vector-width\"=\"512\" ",
      "\"min-legal-vector-width\"=\"512\" }");
  return ir.str();
}

/// What an answer's pointers point to, until minic releases it.
struct Answer {
  std::string text;
  std::vector<const char *> names;
};

minic_plugin_answer listSchedules(const char *problem,
                                  minic_plugin_schedules *out) {
  Linear linear = read(problem);
  auto *answer = new Answer{linear.refusal, {}};
  out->owner = answer;
  out->message = answer->text.c_str();
  for (const char *name : {"rows=4", "rows=2", "rows=1"}) {
    if (linear.n % (name[5] - '0') == 0) {
      answer->names.push_back(name);
    }
  }
  out->names = answer->names.data();
  out->count = answer->names.size();
  return linear.refusal.empty() ? MINIC_PLUGIN_OK : MINIC_PLUGIN_REFUSED;
}

minic_plugin_answer makeCode(const char *problem, const char *schedule,
                             minic_plugin_code *out) {
  Linear linear = read(problem);
  int64_t rows = schedule[5] - '0';
  auto *answer = new Answer{writeKernel(linear, rows), {}};
  out->owner = answer;
  out->kind = MINIC_PLUGIN_LLVM_IR;
  out->data = answer->text.data();
  out->size = answer->text.size();
  out->entry = "small_m";
  out->tiles = linear.n / rows;
  return MINIC_PLUGIN_OK;
}

void release(void *owner) { delete static_cast<Answer *>(owner); }

const minic_plugin plugin = {
    MINIC_PLUGIN_VERSION, sizeof(minic_plugin), "small_m", "1.0",
    /*seconds=*/0,        listSchedules,        makeCode,  release};

} // namespace

const minic_plugin *minic_plugin_v1(void) { return &plugin; }
