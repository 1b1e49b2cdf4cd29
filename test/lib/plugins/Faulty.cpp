// SPDX-License-Identifier: Apache-2.0
//
// A plug-in that computes relu of 1000 numbers and, where MINIC_TEST_FAULT
// says so, does something wrong on the way. `list-` and `code-` are what the
// two functions do wrong, all else is the code. MINIC_TEST_OBJECT names an
// object that is the code instead.

#include <minic/plugin.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include <unistd.h>

namespace {

const char *const kernel = R"(
define void @relu(ptr %x, ptr %y, i64 %begin, i64 %end) {
start:
  br label %loop
loop:
  %i = phi i64 [ 0, %start ], [ %next, %loop ]
  %from = getelementptr float, ptr %x, i64 %i
  %to = getelementptr float, ptr %y, i64 %i
  %v = load float, ptr %from
  %above = fcmp ogt float %v, 0.0
  %r = select i1 %above, float %v, float 0.0
  store float %r, ptr %to
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, 1000
  br i1 %more, label %loop, label %done
done:
  ret void
}
)";

const char *const ptx = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry relu(.param .u64 relu_x, .param .u64 relu_y) {
  .reg .pred %p<2>;
  .reg .f32 %f<3>;
  .reg .b32 %r<5>;
  .reg .b64 %rd<6>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  setp.ge.s32 %p1, %r4, 1000;
  @%p1 ret;
  ld.param.u64 %rd1, [relu_x];
  ld.param.u64 %rd2, [relu_y];
  mul.wide.s32 %rd3, %r4, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f1, [%rd4];
  max.f32 %f2, %f1, 0f00000000;
  st.global.f32 [%rd5], %f2;
  ret;
}
)";

bool has(const char *fault) {
  const char *wanted = std::getenv("MINIC_TEST_FAULT");
  return wanted && std::strcmp(wanted, fault) == 0;
}

/// What both functions may do wrong.
void misbehave(const std::string &function) {
  if (has((function + "throw").c_str())) {
    throw std::runtime_error("out of ideas");
  }
  if (has((function + "throw-int").c_str())) {
    throw 7;
  }
  if (has((function + "crash").c_str())) {
    *static_cast<volatile int *>(nullptr) = 0;
  }
  if (has((function + "exit").c_str())) {
    std::exit(0);
  }
  while (has((function + "hang").c_str())) {
    ::sleep(1);
  }
}

minic_plugin_answer listSchedules(const char *problem,
                                  minic_plugin_schedules *out) {
  static const char *const good[] = {"plain"};
  static const char *const twice[] = {"plain", "plain"};
  static const char *const odd[] = {"a\nb"};
  if (!std::strstr(problem, "\"op\":\"relu\"") ||
      !std::strstr(problem, "\"dims\":[1000]")) {
    out->message = "not relu of 1000";
    return MINIC_PLUGIN_REFUSED;
  }
  misbehave("list-");
  if (has("list-fail")) {
    out->message = "no licence\nsecond line";
    return MINIC_PLUGIN_FAILED;
  }
  if (has("list-answer")) {
    return static_cast<minic_plugin_answer>(42);
  }
  out->names = has("list-twice") ? twice : has("list-odd") ? odd : good;
  out->count = has("list-none") ? 0 : has("list-twice") ? 2 : 1;
  return MINIC_PLUGIN_OK;
}

minic_plugin_answer makeCode(const char *problem, const char *,
                             minic_plugin_code *out) {
  misbehave("code-");
  if (has("code-fail")) {
    out->message = "no licence";
    return MINIC_PLUGIN_FAILED;
  }
  if (has("code-refuse")) {
    return MINIC_PLUGIN_REFUSED;
  }
  static std::string text;
  bool isGpu = std::strstr(problem, "\"name\":\"cuda\"");
  text = isGpu ? ptx : kernel;
  auto replace = [&](const char *fault, const char *from, const char *to) {
    size_t at = has(fault) ? text.find(from) : std::string::npos;
    if (at != std::string::npos) {
      text.replace(at, std::strlen(from), to);
    }
  };
  replace("invalid", "fcmp ogt", "fcmp over");
  replace("invalid", "max.f32", "most.f32");
  replace("entry", "@relu", "@other");
  replace("entry", "relu(", "other(");
  replace("parameters", "i64 %begin, ", "");
  replace("parameters", ".param .u64 relu_x, ", "");
  replace("wrong", "float 0.0\n  store", "float 0.5\n  store");
  replace("beyond", "%next, 1000", "%next, 1001");
  replace("import", "  %r = select i1 %above, float %v, float 0.0",
          "  %r = call float @expf(float %v)");
  replace("import", "\ndefine", "\ndeclare float @expf(float)\ndefine");
  out->kind = isGpu ? MINIC_PLUGIN_PTX : MINIC_PLUGIN_LLVM_IR;
  if (has("kind")) {
    out->kind = static_cast<minic_plugin_code_kind>(9);
  }
  if (has("other-target")) {
    out->kind = isGpu ? MINIC_PLUGIN_LLVM_IR : MINIC_PLUGIN_PTX;
  }
  if (has("cubin")) {
    out->kind = MINIC_PLUGIN_CUBIN;
  }
  if (const char *path = std::getenv("MINIC_TEST_OBJECT")) {
    std::ifstream file(path, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(file), {});
    out->kind = MINIC_PLUGIN_OBJECT;
  }
  out->data = has("data") ? nullptr : text.data();
  out->size = text.size();
  out->entry = has("no-entry") ? nullptr : "relu";
  out->tiles = has("tiles") ? 0 : 1;
  out->grid[0] = 4;
  out->block[0] = has("block") ? 2048 : 256;
  out->shared_bytes = has("shared") ? 1 << 24 : 0;
  return MINIC_PLUGIN_OK;
}

const minic_plugin plugin = {
    MINIC_PLUGIN_VERSION, sizeof(minic_plugin), "faulty", "1.0",
    /*seconds=*/1,        listSchedules,        makeCode, nullptr};

} // namespace

const minic_plugin *minic_plugin_v1(void) { return &plugin; }
