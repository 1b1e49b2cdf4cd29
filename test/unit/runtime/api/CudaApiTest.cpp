// SPDX-License-Identifier: Apache-2.0
//
// The C and C++ interfaces on a GPU, as the fake driver plays one.

#include "runtime/include/minic/minic.hpp"
#include "test/unit/runtime/device/cuda/CudaFixture.h"

#include <cstddef>

namespace minic::testing {
namespace {

using ::testing::HasSubstr;

class CudaApiTest : public CudaFixture {
protected:
  static minic::Result<minic::Program> load(int device) {
    std::vector<std::byte> bytes = cudaScaleArtifact(32).bytes();
    minic::ProgramOptions options;
    options.device = device;
    return minic::Program::loadBytes(bytes.data(), bytes.size(), options);
  }
};

TEST_F(CudaApiTest, runsOnDlpackTensorsOfTheDevice) {
  auto program = load(1);
  ASSERT_TRUE(program.ok()) << program.message();
  EXPECT_EQ(program->device().device_type, kDLCUDA);
  EXPECT_EQ(program->device().device_id, 1);
  CallerStream stream(1);
  minic::ContextOptions options;
  options.stream = stream.get();
  options.graph = MINIC_GRAPH_ON;
  auto context = minic::Context::create(*program, options);
  ASSERT_TRUE(context.ok()) << context.message();
  // Twice as long, for a tensor that begins inside.
  void *memory = nullptr;
  ASSERT_EQ(minic_program_allocate(program->get(), 256, &memory), MINIC_OK);
  std::vector<float> host(64, 4);
  ASSERT_EQ(minic_program_copy_in(program->get(), memory, host.data(), 256),
            MINIC_OK);
  auto y = minic::DeviceBuffer::create(*program, program->outputs()[0]);
  ASSERT_TRUE(y.ok());
  DLTensor input = program->inputs()[0].at(memory, program->device());
  for (uint64_t offset : {0, 128, 64}) {
    input.byte_offset = offset;
    ASSERT_TRUE(context->run({input}, {y->tensor()}).ok())
        << minic_last_error();
  }
  input.byte_offset = 32;
  auto status = context->run({input}, {y->tensor()});
  EXPECT_EQ(status.code(), MINIC_INVALID_ARGUMENT);
  EXPECT_THAT(status.message(), HasSubstr("aligned to 64 bytes, got 32"));
  ASSERT_TRUE(context->synchronize().ok());
  ASSERT_TRUE(y->copyTo(host.data()).ok());
  EXPECT_EQ(host[31], 9);
  EXPECT_EQ(context->graphCounters().instantiations, 1);
  EXPECT_EQ(context->graphCounters().replays, 2);
  EXPECT_EQ(context->graphRefusal(), "");
  minic_program_release(program->get(), memory);
}

TEST_F(CudaApiTest, refusesWhatIsElsewhere) {
  auto program = load(0);
  ASSERT_TRUE(program.ok()) << program.message();
  auto context = minic::Context::create(*program);
  ASSERT_TRUE(context.ok()) << context.message();
  auto y = minic::DeviceBuffer::create(*program, program->outputs()[0]);
  ASSERT_TRUE(y.ok());
  minic::Buffer x(program->inputs()[0]);
  auto status = context->run({x.tensor()}, {y->tensor()});
  EXPECT_EQ(status.code(), MINIC_INVALID_ARGUMENT);
  EXPECT_THAT(status.message(),
              HasSubstr("input 'x': expected memory of CUDA device 0, got "
                        "memory of the CPU"));
  // Its tensor says GPU, its pointer does not.
  DLTensor liar = x.tensor();
  liar.device = program->device();
  status = context->run({liar}, {y->tensor()});
  EXPECT_EQ(status.code(), MINIC_INVALID_ARGUMENT);
  EXPECT_THAT(status.message(), HasSubstr("got host memory"));
  EXPECT_TRUE(fake.launches.empty());
}

TEST_F(CudaApiTest, stagesHostTensors) {
  auto program = load(0);
  ASSERT_TRUE(program.ok()) << program.message();
  minic::ContextOptions options;
  options.staging = true;
  options.pooledArena = true;
  auto context = minic::Context::create(*program, options);
  ASSERT_TRUE(context.ok()) << context.message();
  minic::Buffer x(program->inputs()[0]), y(program->outputs()[0]);
  std::fill_n(x.data<float>(), 32, 3.0f);
  auto status = context->run({x.tensor()}, {y.tensor()});
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(y.data<float>()[31], 7);
}

TEST_F(CudaApiTest, olderCallersGetTheFirstDevice) {
  std::vector<std::byte> bytes = cudaScaleArtifact(32).bytes();
  minic_program_options options = MINIC_PROGRAM_OPTIONS_INIT;
  options.device = 1;
  options.struct_size = offsetof(minic_program_options, device);
  minic_program *program = nullptr;
  ASSERT_EQ(
      minic_program_load_bytes(bytes.data(), bytes.size(), &options, &program),
      MINIC_OK)
      << minic_last_error();
  EXPECT_EQ(minic_program_device(program).device_id, 0);
  minic_program_destroy(program);
}

} // namespace
} // namespace minic::testing
