// SPDX-License-Identifier: Apache-2.0
//
// Times gemm_packed and gemm_amx schedules against oneDNN (packed weights, bias
// and relu as post-ops), interleaved in one process. For whoever tunes the
// generator; what users compare with is minic-bench.
//
//   gemm_kernel_bench 256x1024x1024 [f32|bf16] [threads] [rounds] [limit] [op]
//
// `op` replaces relu in the generated kernels, to see what it costs.

#include "compiler/target/cpu/Assembler.h"
#include "compiler/target/cpu/CpuProfile.h"
#include "compiler/target/cpu/gemm_amx/EmitGemmAmx.h"
#include "compiler/target/cpu/gemm_amx/EnumerateSchedules.h"
#include "compiler/target/cpu/gemm_packed/EmitGemm.h"
#include "compiler/target/cpu/gemm_packed/EnumerateSchedules.h"
#include "dialects/RegisterDialects.h"
#include "runtime/device/cpu/TileState.h"
#include "runtime/format/Packer.h"
#include "test/unit/compiler/target/cpu/LoadedKernel.h"

#include "mlir/Parser/Parser.h"

#include <dnnl.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>

extern "C" void omp_set_num_threads(int);
extern "C" void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
extern "C" int omp_get_thread_num();

using namespace mlir;
using namespace minic;
using namespace minic::cpu;

namespace {

double now(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return double(time.tv_sec) * 1e6 + double(time.tv_nsec) * 1e-3;
}

/// Aligned as the runtime aligns constants and scratch.
std::shared_ptr<char> allocate(int64_t bytes) {
  return {
      static_cast<char *>(std::aligned_alloc(64, (bytes + 63) / 64 * 64 + 64)),
      [](char *data) { std::free(data); }};
}

/// `elements` numbers in [-1, 1), f32 or bf16.
std::shared_ptr<char> allocateRandom(int64_t elements, bool bf16) {
  std::shared_ptr<char> data = allocate(elements * (bf16 ? 2 : 4));
  uint32_t state = 1;
  for (int64_t i = 0; i != elements; ++i) {
    state = state * 1664525 + 1013904223;
    float value = float(int32_t(state)) * 0x1p-31f;
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    if (bf16) {
      reinterpret_cast<uint16_t *>(data.get())[i] = uint16_t(bits >> 16);
    } else {
      reinterpret_cast<float *>(data.get())[i] = value;
    }
  }
  return data;
}

struct Contender {
  std::string name;
  std::function<void()> run;
  double buildMs = 0;
  std::vector<double> times, ratios;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Launch {
  Entry entry;
  const Arg *args;
  int64_t grid;
  char *scratch;
  int64_t scratchBytes;
  int threads;
};

void runPart(void *data) {
  auto &launch = *static_cast<Launch *>(data);
  int64_t thread = launch.threads == 1 ? 0 : omp_get_thread_num();
  launch.entry(launch.args, launch.grid * thread / launch.threads,
               launch.grid * (thread + 1) / launch.threads,
               launch.scratch + thread * launch.scratchBytes);
}

/// Keeps what its closures use alive.
struct Bench {
  int64_t m, n, k;
  bool bf16;
  int threads;
  std::string op;
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  kernel::FusionShape shape;
  std::vector<std::shared_ptr<char>> tensors; // x, w, b, y
  std::vector<std::shared_ptr<void>> keep;
  std::vector<Contender> contenders;

  void parse() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.disableMultithreading();
    prepareContext(context);
    std::string dtype = bf16 ? "bf16" : "f32";
    auto type = [&](std::initializer_list<int64_t> dims) {
      std::string text = "tensor<";
      for (int64_t dim : dims) {
        text += std::to_string(dim) + "x";
      }
      return text + dtype + ">";
    };
    std::string x = type({m, k}), w = type({n, k}), b = type({n}),
                y = type({m, n});
    std::string text = "func.func @f(%x: " + x + ", %w: " + w + ", %b: " + b +
                       ") {\n%r = kernel.fusion (%0 = %x : " + x +
                       ", %1 = %w : " + w + ", %2 = %b : " + b + ") -> " + y +
                       " {\n%3 = graph.linear %0, %1, %2 : (" + x + ", " + w +
                       ", " + b + ") -> " + y + "\n%4 = graph." + op +
                       " %3 : " + y + "\nkernel.yield %4 : " + y +
                       "\n}\nreturn\n}";
    module = parseSourceString<ModuleOp>(text, &context);
    kernel::FusionOp fusion;
    module->walk([&](kernel::FusionOp op) { fusion = op; });
    shape = *kernel::FusionShape::get(fusion, nullptr);
    for (int64_t elements : {m * k, n * k, n, m * n}) {
      tensors.push_back(allocateRandom(elements, bf16));
    }
  }

  void addOnednn() {
    using namespace dnnl;
    auto engine = std::make_shared<dnnl::engine>(engine::kind::cpu, 0);
    auto stream = std::make_shared<dnnl::stream>(*engine);
    auto type = bf16 ? memory::data_type::bf16 : memory::data_type::f32;
    memory::desc x({m, k}, type, memory::format_tag::ab);
    memory::desc w({k, n}, type, memory::format_tag::ba);
    memory::desc any({k, n}, type, memory::format_tag::any);
    memory::desc b({1, n}, type, memory::format_tag::ab);
    memory::desc y({m, n}, type, memory::format_tag::ab);
    post_ops ops;
    ops.append_eltwise(1.0f, algorithm::eltwise_relu, 0.0f, 0.0f);
    primitive_attr attributes;
    attributes.set_post_ops(ops);
    matmul::primitive_desc description(matmul::desc(x, any, b, y), attributes,
                                       *engine);
    auto weights =
        std::make_shared<memory>(description.weights_desc(), *engine);
    memory source(w, *engine, tensors[1].get());
    reorder(source, *weights).execute(*stream, source, *weights);
    stream->wait();
    auto primitive = std::make_shared<matmul>(description);
    auto arguments = std::make_shared<std::unordered_map<int, memory>>(
        std::unordered_map<int, memory>{
            {DNNL_ARG_SRC, memory(x, *engine, tensors[0].get())},
            {DNNL_ARG_WEIGHTS, *weights},
            {DNNL_ARG_BIAS, memory(b, *engine, tensors[2].get())},
            {DNNL_ARG_DST, memory(y, *engine, tensors[3].get())}});
    contenders.push_back({"oneDNN " + std::string(description.impl_info_str()),
                          [=, keepEngine = engine] {
                            primitive->execute(*stream, *arguments);
                            stream->wait();
                          },
                          0,
                          {},
                          {}});
  }

  void emitKernel(ModuleOp device, const GemmGeometry &g) {
    emitGemm(module->getLoc(), device, "kernel", shape, g);
  }
  void emitKernel(ModuleOp device, const GemmAmxGeometry &g) {
    emitGemmAmx(module->getLoc(), device, "kernel", shape, g);
  }

  template <typename Geometry, typename Schedule>
  void addGenerated(const Schedule &schedule, const DeviceProfile &profile) {
    double start = now(CLOCK_THREAD_CPUTIME_ID);
    Geometry g = *Geometry::get(shape, schedule, nullptr);
    auto device = OwningOpRef<ModuleOp>(ModuleOp::create(module->getLoc()));
    emitKernel(*device, g);
    FailureOr<std::string> bytes = assemble(*device, profile);
    double buildMs = (now(CLOCK_THREAD_CPUTIME_ID) - start) / 1000;
    auto kernel = std::make_shared<LoadedKernel>(*bytes);
    kernel::LayoutAttr layout = getRhsLayout(shape, g);
    auto copy = [](ArrayRef<int64_t> values) {
      return std::vector<int64_t>(values.begin(), values.end());
    };
    runtime::BlockedLayout blocked{
        copy(layout.getOrder()), copy(layout.getBlockDims()),
        copy(layout.getBlockSizes()), copy(layout.getPadded())};
    std::vector<int64_t> weightDims = {n, k};
    int64_t bytesPer = bf16 ? 2 : 4;
    // Schedules with one layout share one copy, as candidates of a tuner do.
    static std::vector<std::pair<Attribute, std::shared_ptr<char>>> packs;
    std::shared_ptr<char> packed;
    for (auto &[known, data] : packs) {
      if (known == layout) {
        packed = data;
      }
    }
    if (!packed) {
      packed = allocate(blocked.elements() * bytesPer);
      runtime::pack(tensors[1].get(), weightDims, bytesPer, blocked,
                    packed.get());
      packs.push_back({layout, packed});
    }
    auto scratch = allocate(g.scratchBytes() * threads);
    auto args = std::make_shared<std::vector<Arg>>(std::vector<Arg>{
        tensors[0].get(), packed.get(), tensors[2].get(), tensors[3].get()});
    auto launch = std::make_shared<Launch>(
        Launch{kernel->entry("kernel"), args->data(), g.grid(), scratch.get(),
               g.scratchBytes(), threads});
    contenders.push_back(
        {toString(schedule),
         [=] {
           if (launch->threads == 1) {
             runPart(launch.get());
           } else {
             GOMP_parallel(runPart, launch.get(), launch->threads, 0);
           }
           (void)kernel, (void)packed, (void)scratch, (void)args;
         },
         buildMs,
         {},
         {}});
  }
};

} // namespace

int main(int argc, char **argv) {
  Bench bench;
  if (argc < 2 ||
      std::sscanf(argv[1], "%ldx%ldx%ld", &bench.m, &bench.n, &bench.k) != 3) {
    std::fprintf(stderr,
                 "usage: %s MxNxK [f32|bf16] [threads] [rounds] "
                 "[limit] [op]\n",
                 argv[0]);
    return 2;
  }
  bench.bf16 = argc > 2 && std::string(argv[2]) == "bf16";
  bench.threads = argc > 3 ? std::atoi(argv[3]) : 1;
  int rounds = argc > 4 ? std::atoi(argv[4]) : 15;
  size_t limit = argc > 5 ? std::atoi(argv[5]) : 28;
  bench.op = argc > 6 ? argv[6] : "relu";
  omp_set_num_threads(bench.threads);
  bench.parse();
  bench.addOnednn();
  DeviceProfile profile = getCpuProfile(bench.threads);
  std::vector<double> estimates = {0};
  for (const EstimatedSchedule &estimated :
       enumerateSchedules(bench.shape, profile, limit)) {
    bench.addGenerated<GemmGeometry>(estimated.schedule, profile);
    estimates.push_back(estimated.microseconds);
  }
  if (bench.bf16 && profile.has("amx-bf16") &&
      runtime::requestTileState().ok()) {
    for (const EstimatedAmxSchedule &estimated :
         enumerateAmxSchedules(bench.shape, profile, 64)) {
      bench.addGenerated<GemmAmxGeometry>(estimated.schedule, profile);
      estimates.push_back(estimated.microseconds);
    }
  }
  // What others do on the machine disturbs the time of one thread least.
  clockid_t clock =
      bench.threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  double flops = 2.0 * bench.m * bench.n * bench.k;
  for (int round = -1; round != rounds; ++round) {
    double reference = 0;
    for (Contender &contender : bench.contenders) {
      contender.run();
      int repeats = 1;
      double start = now(clock), end = start;
      while (end - start < 1000) {
        for (int i = 0; i != repeats; ++i) {
          contender.run();
        }
        end = now(clock);
        if (end - start < 1000) {
          repeats *= 2;
          start = now(clock);
        }
      }
      double time = (end - start) / repeats;
      if (round < 0) {
        continue; // warm-up
      }
      contender.times.push_back(time);
      reference = reference == 0 ? time : reference;
      contender.ratios.push_back(reference / time);
    }
  }
  std::vector<double> builds;
  for (size_t i = 0; i != bench.contenders.size(); ++i) {
    const Contender &contender = bench.contenders[i];
    double best =
        *std::min_element(contender.times.begin(), contender.times.end());
    std::printf("%10.1f us min %10.1f median  %7.1f GF/s  x%.3f  "
                "est %8.1f  build %5.1f ms  %s\n",
                best, median(contender.times), flops / best / 1e3,
                median(contender.ratios), estimates[i], contender.buildMs,
                contender.name.c_str());
  }
  return 0;
}
