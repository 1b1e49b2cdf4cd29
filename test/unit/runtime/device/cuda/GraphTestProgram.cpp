// SPDX-License-Identifier: Apache-2.0
//
// The plan, loaded by hand: its library call is the test's.

#include "test/unit/runtime/device/cuda/GraphTestProgram.h"
#include "runtime/format/CallReader.h"
#include "test/unit/runtime/testing/PackedTable.h"

#include <gmock/gmock.h>

#include <cstring>

namespace minic::testing {

using namespace runtime;

namespace {

/// result = lhs + rhs by a kernel that the graph knows nothing of.
class AddingLibrary : public LibraryCall {
public:
  AddingLibrary(const CudaDriver &driver, CUfunction add,
                const format::Call &call, LibraryBehaviour behaviour,
                int &clones)
      : driver(driver), add(add), call(call), behaviour(behaviour),
        clones(clones) {}

  absl::Status enqueue(CUstream stream, const PlanBases &bases) override {
    if (behaviour == LibraryBehaviour::waitsInside) {
      MINIC_RETURN_IF_CUDA_ERROR(driver, cuStreamSynchronize(stream),
                                 "the library");
    }
    format::CallReader reader(call);
    void *lhs = bases.resolve(*reader.view("lhs")->address());
    void *rhs = bases.resolve(*reader.view("rhs")->address());
    void *result = bases.resolve(*reader.view("result")->address());
    int64_t count = GraphTestProgram::count;
    void *params[] = {&lhs, &rhs, &result, &count};
    MINIC_RETURN_IF_CUDA_ERROR(
        driver,
        cuLaunchKernel(add, 1, 1, 1, 128, 1, 1, 0, stream, params, nullptr),
        "the library");
    return absl::OkStatus();
  }
  absl::StatusOr<std::unique_ptr<LibraryCall>> clone() const override {
    ++clones;
    return std::make_unique<AddingLibrary>(driver, add, call, behaviour,
                                           clones);
  }
  bool canBeCaptured() const override {
    return behaviour != LibraryBehaviour::cannotBeCaptured;
  }

private:
  const CudaDriver &driver;
  const CUfunction add;
  const format::Call &call;
  const LibraryBehaviour behaviour;
  int &clones;
};

std::unique_ptr<format::TensorViewT> view(format::Address address) {
  return tensorView(address, {4, 4}, {4, 1});
}

TestArtifact makeArtifact() {
  constexpr int64_t count = GraphTestProgram::count;
  TestArtifact artifact = cudaArtifact();
  for (const char *name : {"a", "b"}) {
    artifact.input(name, {count});
  }
  for (const char *name : {"c", "d", "e"}) {
    artifact.output(name, {count});
  }
  artifact.variant().arena_bytes = 256;
  cudaLaunch(artifact, "scale_f32", count, {inputAddress(0), arenaAddress(0)},
             {count});
  format::CallT gemm = libraryCall("cublas", "gemm");
  setOperand(gemm, "lhs", view(arenaAddress(0)));
  setOperand(gemm, "rhs", view(inputAddress(1)));
  setOperand(gemm, "result", view(outputAddress(1)));
  setText(gemm, "compute", "f32");
  artifact.call(std::move(gemm));
  cudaLaunch(artifact, "add_f32", count,
             {inputAddress(0), outputAddress(1), outputAddress(0)}, {count});
  artifact.copy(outputAddress(2), inputAddress(1, 32), 32);
  artifact.fill(outputAddress(2, 32), 0x3f, 32);
  return artifact;
}

} // namespace

GraphTestProgram::GraphTestProgram(LibraryBehaviour behaviour)
    : artifact_(
          format::ArtifactReader::copy(makeArtifact().bytes(), "graph test")) {
  status_ = artifact_.ok() ? load(behaviour) : artifact_.status();
}

absl::Status GraphTestProgram::load(LibraryBehaviour behaviour) {
  absl::StatusOr<std::shared_ptr<const CudaContext>> context =
      CudaContext::retain(0);
  if (!context.ok()) {
    return context.status();
  }
  context_ = *context;
  const CudaDriver &driver = context_->driver();
  CudaScope scope(*context_);
  memory_ = std::make_unique<CudaMemory>(context_);
  CUstream stream;
  MINIC_RETURN_IF_CUDA_ERROR(
      driver, cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "a stream");
  stream_ = CudaStream(context_, stream);
  modules_ = std::make_unique<KernelModules>(context_, *artifact_);
  const format::Variant &variant =
      *artifact_->metadata().functions()->Get(0)->variants()->Get(0);
  for (const format::Command *command : *variant.run()) {
    LoadedCommand &one = loaded_.emplace_back();
    one.command = command;
    if (const auto *launch = command->operation_as_Launch()) {
      absl::StatusOr<KernelLaunch> made = modules_->makeLaunch(
          *launch, /*hasNeighbours=*/variant.run()->size() > 1);
      if (!made.ok()) {
        return made.status();
      }
      one.launch = *made;
    }
  }
  loaded_[1].call = std::make_unique<AddingLibrary>(
      driver, loaded_[2].launch.function,
      *variant.run()->Get(1)->operation_as_Call(), behaviour, clones_);
  bases_.arena = static_cast<std::byte *>(allocate(0));
  bases_.inputCount = 2;
  absl::StatusOr<std::unique_ptr<CommandList>> commands =
      createCommands(/*sharesCalls=*/false);
  if (commands.ok()) {
    commands_ = std::move(*commands);
  }
  return commands.status();
}

absl::StatusOr<std::unique_ptr<CommandList>>
GraphTestProgram::createCommands(bool sharesCalls) {
  return CommandList::create(*context_, loaded_, bases_, 5, sharesCalls);
}

GraphTestProgram::~GraphTestProgram() {
  for (void *tensor : tensors_) {
    memory_->release(tensor);
  }
}

absl::StatusOr<std::unique_ptr<CudaExecution>>
GraphTestProgram::createExecution(GraphMode mode, double runUs) {
  ExecutionOptions options{bases_.arena};
  options.stream = stream_.get();
  options.graph = mode;
  options.runUs = runUs;
  return CudaExecution::create(
      {context_, loaded_, bases_, {}, callerBytes_, 0, nullptr}, options);
}

absl::StatusOr<std::unique_ptr<CapturedGraph>>
GraphTestProgram::createGraph(uint64_t callerBytes,
                              const PointerPolicy &policy) {
  CudaScope scope(*context_);
  return CapturedGraph::create(
      context_, *commands_, std::vector<uint64_t>(5, callerBytes), 2, policy);
}

absl::Status GraphTestProgram::runPlainly(void *const *callers) {
  CudaScope scope(*context_);
  absl::Status status = commands_->setCallers(callers);
  return status.ok() ? commands_->enqueueAll(stream_.get()) : status;
}

absl::Status GraphTestProgram::run(CapturedGraph &graph, void *const *callers) {
  CudaScope scope(*context_);
  if (!graph.refusal().empty()) {
    return runPlainly(callers);
  }
  if (!graph.isCaptured()) {
    absl::Status status = runPlainly(callers);
    if (status.ok()) {
      graph.capture(callers, stream_.get());
    }
    return status;
  }
  absl::StatusOr<bool> replayed = graph.replay(callers, stream_.get());
  return !replayed.ok() ? replayed.status()
         : *replayed    ? absl::OkStatus()
                        : runPlainly(callers);
}

void *GraphTestProgram::allocate(float value) {
  void *tensor = *memory_->allocate(count * sizeof(float));
  tensors_.push_back(tensor);
  Floats values(count);
  for (int64_t i = 0; i < count; ++i) {
    values[i] = value + float(i);
  }
  write(tensor, values);
  return tensor;
}

GraphTestProgram::Floats GraphTestProgram::read(void *tensor) {
  Floats values(count);
  absl::Status status =
      memory_->copyOut(values.data(), tensor, count * sizeof(float));
  EXPECT_TRUE(status.ok()) << status;
  return values;
}

void GraphTestProgram::write(void *tensor, const Floats &values) {
  absl::Status status =
      memory_->copyIn(tensor, values.data(), count * sizeof(float));
  EXPECT_TRUE(status.ok()) << status;
}

void GraphTestProgram::expectOutputs(void *const *callers) {
  {
    CudaScope scope(*context_);
    ASSERT_EQ(context_->driver().cuStreamSynchronize(stream_.get()),
              CUDA_SUCCESS);
  }
  Floats a = read(callers[0]), b = read(callers[1]);
  Floats c(count), d(count), e(count);
  for (int64_t i = 0; i < count; ++i) {
    d[i] = 2 * a[i] + 1 + b[i];
    c[i] = a[i] + d[i];
    uint32_t filled = 0x3f3f3f3f;
    std::memcpy(&e[i], &filled, sizeof(filled));
    if (i < count / 2) {
      e[i] = b[i + count / 2];
    }
  }
  EXPECT_EQ(read(callers[2]), c);
  EXPECT_EQ(read(callers[3]), d);
  EXPECT_EQ(read(callers[4]), e);
}

} // namespace minic::testing
