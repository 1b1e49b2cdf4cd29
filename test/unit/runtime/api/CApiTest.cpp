// SPDX-License-Identifier: Apache-2.0
//
// The C interface: results, codes, texts, DLPack's tensors.

#include "runtime/format/Digest.h"
#include "runtime/include/minic/minic.h"
#include "test/unit/runtime/testing/TestArtifact.h"

#include <gmock/gmock.h>

#include <thread>

namespace {

using ::testing::HasSubstr;
using namespace ::minic::testing;

class CApiTest : public ::testing::Test {
protected:
  void load(const TestArtifact &artifact) {
    std::vector<std::byte> bytes = artifact.bytes();
    ASSERT_EQ(
        minic_program_load_bytes(bytes.data(), bytes.size(), nullptr, &program),
        MINIC_OK)
        << minic_last_error();
    ASSERT_EQ(minic_context_create(program, nullptr, &context), MINIC_OK)
        << minic_last_error();
  }
  void TearDown() override {
    minic_context_destroy(context);
    minic_program_destroy(program);
  }

  DLTensor tensor(AlignedFloats &values) {
    return {values.data(), {kDLCPU, 0}, 1, {kDLFloat, 32, 1},
            shape,         nullptr,     0};
  }

  minic_program *program = nullptr;
  minic_context *context = nullptr;
  int64_t shape[1] = {20};
};

TEST_F(CApiTest, describesAndRuns) {
  load(scaleArtifact(20));
  ASSERT_EQ(minic_program_input_count(program), 1u);
  ASSERT_EQ(minic_program_output_count(program), 1u);
  minic_tensor_info info;
  ASSERT_EQ(minic_program_input(program, 0, &info), MINIC_OK);
  EXPECT_STREQ(info.name, "x");
  EXPECT_EQ(info.ndim, 1);
  EXPECT_EQ(info.shape[0], 20);
  EXPECT_EQ(info.bytes, 80u);
  EXPECT_EQ(info.alignment, 64u);
  EXPECT_EQ(info.dtype.code, kDLFloat);
  EXPECT_EQ(minic_program_threads(program), 1);
  EXPECT_EQ(minic_program_arena_bytes(program), 0u);
  EXPECT_STREQ(minic_program_evidence(program), "");

  AlignedFloats x(20, 4), y(20);
  DLTensor input = tensor(x), output = tensor(y);
  int64_t strides[1] = {1};
  output.strides = strides;
  ASSERT_EQ(minic_context_run(context, &input, 1, &output, 1), MINIC_OK)
      << minic_last_error();
  EXPECT_EQ(y[19], 9);
}

TEST_F(CApiTest, preparesByARun) {
  load(scaleArtifact(20));
  AlignedFloats x(20, 4), y(20);
  DLTensor input = tensor(x), output = tensor(y);
  ASSERT_EQ(minic_context_prepare(context, &input, 1, &output, 1), MINIC_OK)
      << minic_last_error();
  EXPECT_EQ(y[19], 9);
  DLTensor wrong = tensor(x);
  wrong.dtype.bits = 64;
  EXPECT_EQ(minic_context_prepare(context, &wrong, 1, &output, 1),
            MINIC_INVALID_ARGUMENT);
  EXPECT_EQ(minic_context_prepare(nullptr, &input, 1, &output, 1),
            MINIC_INVALID_ARGUMENT);
}

TEST_F(CApiTest, addsByteOffsets) {
  load(scaleArtifact(20));
  AlignedFloats x(64, 4), y(64, -1);
  DLTensor input = tensor(x), output = tensor(y);
  output.byte_offset = 64;
  ASSERT_EQ(minic_context_run(context, &input, 1, &output, 1), MINIC_OK)
      << minic_last_error();
  EXPECT_EQ(y[15], -1);
  EXPECT_EQ(y[16], 9);
}

TEST_F(CApiTest, outlivesItsProgramHandle) {
  load(scaleArtifact(20));
  minic_program_destroy(program);
  program = nullptr;
  AlignedFloats x(20), y(20);
  DLTensor input = tensor(x), output = tensor(y);
  EXPECT_EQ(minic_context_run(context, &input, 1, &output, 1), MINIC_OK);
}

TEST_F(CApiTest, refusesTensorsItCannotRead) {
  load(scaleArtifact(20));
  AlignedFloats x(64), y(64);
  DLTensor good = tensor(x), output = tensor(y);
  int64_t wrongShape[1] = {19}, strides[1] = {2};
  auto refuses = [&](const DLTensor &input, const char *message) {
    EXPECT_EQ(minic_context_run(context, &input, 1, &output, 1),
              MINIC_INVALID_ARGUMENT);
    EXPECT_THAT(minic_last_error(), HasSubstr(message));
  };
  DLTensor bad = good;
  bad.device.device_type = kDLCUDA;
  bad.device.device_id = 3;
  refuses(bad,
          "input 'x': expected memory of the CPU, got memory of CUDA device 3");
  bad = good;
  bad.device.device_type = kDLMetal;
  refuses(bad, "got memory of DLPack device type 8");
  bad = good;
  bad.dtype.bits = 64;
  refuses(bad, "expected dtype f32, got f64");
  bad.dtype = {kDLFloat, 32, 4};
  refuses(bad, "expected dtype f32, got DLPack code 2 of 32 bits and 4 lanes");
  bad = good;
  bad.dtype = {kDLBfloat, 16, 1};
  refuses(bad, "expected dtype f32, got bf16");
  bad = good;
  bad.shape = wrongShape;
  refuses(bad, "expected shape [20], got [19]");
  bad = good;
  bad.shape = nullptr;
  refuses(bad, "1 dimensions at a null pointer");
  bad = good;
  bad.ndim = -1;
  refuses(bad, "-1 dimensions");
  bad = good;
  bad.strides = strides;
  refuses(bad, "expected dense row-major strides, got [2] for shape [20]");
  bad = good;
  bad.byte_offset = 4;
  refuses(bad, "aligned to 64 bytes");
  bad = good;
  bad.data = nullptr;
  refuses(bad, "null pointer");
  EXPECT_EQ(minic_context_run(context, &good, 1, &output, 0),
            MINIC_INVALID_ARGUMENT);
  EXPECT_THAT(minic_last_error(), HasSubstr("expected 1 outputs, got 0"));
  EXPECT_EQ(minic_context_run(context, nullptr, 1, &output, 1),
            MINIC_INVALID_ARGUMENT);
}

TEST_F(CApiTest, reportsCodes) {
  minic_program *none = nullptr;
  EXPECT_EQ(minic_program_load("/no/such/file", nullptr, &none),
            MINIC_NOT_FOUND);
  EXPECT_THAT(minic_last_error(), HasSubstr("/no/such/file"));
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(minic_program_load(nullptr, nullptr, &none),
            MINIC_INVALID_ARGUMENT);
  EXPECT_EQ(minic_program_load_bytes("junk", 4, nullptr, &none),
            MINIC_INVALID_ARGUMENT);
  std::vector<std::byte> bytes = scaleArtifact(20).bytes();
  bytes[bytes.size() - 1] ^= std::byte(1);
  bytes.pop_back();
  EXPECT_EQ(
      minic_program_load_bytes(bytes.data(), bytes.size(), nullptr, &none),
      MINIC_DATA_LOSS);
  TestArtifact artifact = scaleArtifact(20);
  artifact.variant().isa = {"avx512quantum"};
  bytes = artifact.bytes();
  EXPECT_EQ(
      minic_program_load_bytes(bytes.data(), bytes.size(), nullptr, &none),
      MINIC_FAILED_PRECONDITION);
  EXPECT_EQ(minic_context_create(nullptr, nullptr, &context),
            MINIC_INVALID_ARGUMENT);
  EXPECT_STREQ(minic_version(), "0.1.0");
}

TEST_F(CApiTest, readsOptionsAsLongAsTheCallerKnowsThem) {
  std::vector<std::byte> bytes = scaleArtifact(20).bytes();
  minic_program_options options = MINIC_PROGRAM_OPTIONS_INIT;
  options.function = "forward";
  EXPECT_EQ(
      minic_program_load_bytes(bytes.data(), bytes.size(), &options, &program),
      MINIC_NOT_FOUND);
  // An older caller's struct ends before `function`.
  options.struct_size = offsetof(minic_program_options, function);
  EXPECT_EQ(
      minic_program_load_bytes(bytes.data(), bytes.size(), &options, &program),
      MINIC_OK);
}

TEST_F(CApiTest, loadsOnlyTheExpectedArtifact) {
  std::vector<std::byte> bytes = scaleArtifact(20).bytes();
  std::string digest = minic::format::toString(minic::format::digestOf(bytes));
  minic_program_options options = MINIC_PROGRAM_OPTIONS_INIT;
  options.expected_digest = digest.c_str();
  auto load = [&](minic_program **program) {
    return minic_program_load_bytes(bytes.data(), bytes.size(), &options,
                                    program);
  };
  ASSERT_EQ(load(&program), MINIC_OK) << minic_last_error();

  std::string another = digest;
  another.back() = another.back() == '0' ? '1' : '0';
  options.expected_digest = another.c_str();
  minic_program *none = program;
  EXPECT_EQ(load(&none), MINIC_INVALID_ARGUMENT);
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(minic_last_error(),
            "'memory': digest: expected " + another + ", got " + digest);
  // A caller from before there was such a field.
  options.struct_size = offsetof(minic_program_options, expected_digest);
  EXPECT_EQ(load(&none), MINIC_OK) << minic_last_error();
  minic_program_destroy(none);
  options.struct_size = sizeof(options);

  // Another function is one of the same file.
  EXPECT_EQ(minic_program_load_function(program, &options, &none),
            MINIC_INVALID_ARGUMENT);
  options.expected_digest = digest.c_str();
  EXPECT_EQ(minic_program_load_function(program, &options, &none), MINIC_OK);
  minic_program_destroy(none);

  options.expected_digest = "md5:1234";
  EXPECT_EQ(load(&none), MINIC_INVALID_ARGUMENT);
  EXPECT_STREQ(minic_last_error(),
               "expected_digest: expected sha256: and 64 hexadecimal digits, "
               "got 'md5:1234'");
}

TEST_F(CApiTest, takesPinnedMemoryForTheHosts) {
  load(scaleArtifact(20));
  AlignedFloats x(20, 4), y(20);
  DLTensor input = tensor(x), output = tensor(y);
  input.device.device_type = kDLCUDAHost;
  ASSERT_EQ(minic_context_run(context, &input, 1, &output, 1), MINIC_OK)
      << minic_last_error();
  EXPECT_EQ(y[19], 9);
}

TEST_F(CApiTest, allocatesWhereTheProgramRuns) {
  load(scaleArtifact(20));
  DLDevice device = minic_program_device(program);
  EXPECT_EQ(device.device_type, kDLCPU);
  EXPECT_EQ(device.device_id, 0);
  void *memory = nullptr;
  ASSERT_EQ(minic_program_allocate(program, 100, &memory), MINIC_OK);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 256, 0u);
  int there = 0, back = 0;
  for (int value : {5, 6}) {
    there = value;
    EXPECT_EQ(minic_program_copy_in(program, memory, &there, sizeof(there)),
              MINIC_OK);
    EXPECT_EQ(minic_program_copy_out(program, &back, memory, sizeof(back)),
              MINIC_OK);
    EXPECT_EQ(back, value);
  }
  EXPECT_EQ(minic_program_copy_out(program, nullptr, memory, 4),
            MINIC_INVALID_ARGUMENT);
  EXPECT_THAT(minic_last_error(), HasSubstr("host: expected a value"));
  minic_program_release(program, memory);
  minic_program_release(program, nullptr);
  EXPECT_EQ(minic_program_allocate(program, UINT64_MAX, &memory),
            MINIC_OUT_OF_MEMORY);
  EXPECT_EQ(memory, nullptr);
}

TEST_F(CApiTest, knowsNoStreamOnACpu) {
  load(scaleArtifact(20));
  int stream;
  EXPECT_EQ(minic_context_set_stream(context, &stream), MINIC_INVALID_ARGUMENT);
  EXPECT_THAT(minic_last_error(),
              HasSubstr("stream: expected none, the program runs on a CPU"));
  minic_context_options options = MINIC_CONTEXT_OPTIONS_INIT;
  options.stream = &stream;
  minic_context *other;
  EXPECT_EQ(minic_context_create(program, &options, &other),
            MINIC_INVALID_ARGUMENT);
  // A caller that knows no stream asks for none.
  options.struct_size = offsetof(minic_context_options, stream);
  ASSERT_EQ(minic_context_create(program, &options, &other), MINIC_OK);
  minic_context_destroy(other);
  options = MINIC_CONTEXT_OPTIONS_INIT;
  options.graph = 7;
  EXPECT_EQ(minic_context_create(program, &options, &other),
            MINIC_INVALID_ARGUMENT);
  EXPECT_THAT(minic_last_error(), HasSubstr("expected a minic_graph_mode"));
  options = MINIC_CONTEXT_OPTIONS_INIT;
  options.graph_updates = 3;
  EXPECT_EQ(minic_context_create(program, &options, &other),
            MINIC_INVALID_ARGUMENT);
  EXPECT_THAT(minic_last_error(),
              HasSubstr("graph_updates: expected 0, 1 or 2, got 3"));
  EXPECT_EQ(minic_context_synchronize(context), MINIC_OK);
  EXPECT_STREQ(minic_context_graph_refusal(context), "");
}

TEST_F(CApiTest, countsAsFarAsTheCallerKnows) {
  load(scaleArtifact(20));
  minic_graph_counters counters = {sizeof(counters), 7, 7, 7, 7};
  counters.struct_size = offsetof(minic_graph_counters, replays);
  ASSERT_EQ(minic_context_graph_counters(context, &counters), MINIC_OK);
  EXPECT_EQ(counters.instantiations, 0);
  EXPECT_EQ(counters.updates, 0);
  EXPECT_EQ(counters.replays, 7);
}

TEST_F(CApiTest, namesIndicesThatDoNotExist) {
  load(scaleArtifact(20));
  minic_tensor_info info;
  EXPECT_EQ(minic_program_output(program, 1, &info), MINIC_INVALID_ARGUMENT);
  EXPECT_THAT(minic_last_error(), HasSubstr("no output 1: the program has 1"));
}

TEST_F(CApiTest, saysWhichInputAnOutputUpdates) {
  TestArtifact artifact = scaleArtifact(20);
  load(artifact);
  EXPECT_EQ(minic_program_in_place_input(program, 0), -1);
  EXPECT_EQ(minic_program_in_place_input(program, 1), -1);
  minic_context_destroy(context);
  minic_program_destroy(program);
  artifact.function().outputs[0]->in_place = 0;
  load(artifact);
  EXPECT_EQ(minic_program_in_place_input(program, 0), 0);
  AlignedFloats x(20, 4), y(20);
  DLTensor state = tensor(x), other = tensor(y);
  EXPECT_EQ(minic_context_run(context, &state, 1, &other, 1),
            MINIC_INVALID_ARGUMENT);
  EXPECT_THAT(minic_last_error(), HasSubstr("the pointer of input 'x'"));
  ASSERT_EQ(minic_context_run(context, &state, 1, &state, 1), MINIC_OK);
  EXPECT_EQ(x[19], 9);
}

TEST_F(CApiTest, picksTheBucketOfTheInputs) {
  load(scaleBuckets({4, 20}));
  ASSERT_EQ(minic_program_dim_count(program), 1u);
  minic_dim_info dim;
  ASSERT_EQ(minic_program_dim(program, 0, &dim), MINIC_OK);
  EXPECT_STREQ(dim.name, "N");
  ASSERT_EQ(dim.size_count, 2u);
  EXPECT_EQ(dim.sizes[1], 20);
  EXPECT_EQ(minic_program_dim(program, 1, &dim), MINIC_INVALID_ARGUMENT);
  ASSERT_EQ(minic_program_bucket_count(program), 2u);
  minic_bucket_info bucket;
  ASSERT_EQ(minic_program_bucket(program, 1, &bucket), MINIC_OK);
  EXPECT_STREQ(bucket.function, "main[N=20]");
  EXPECT_EQ(bucket.sizes[0], 20);
  EXPECT_EQ(minic_program_bucket(program, 2, &bucket), MINIC_INVALID_ARGUMENT);
  minic_tensor_info info;
  ASSERT_EQ(minic_program_output(program, 0, &info), MINIC_OK);
  EXPECT_EQ(info.shape[0], -1);
  EXPECT_EQ(info.bytes, 80u);

  ASSERT_EQ(minic_program_bucket_output(program, 0, 0, &info), MINIC_OK);
  EXPECT_EQ(info.shape[0], 4);
  EXPECT_EQ(info.bytes, 16u);
  EXPECT_EQ(minic_program_bucket_input(program, 2, 0, &info),
            MINIC_INVALID_ARGUMENT);
  EXPECT_STREQ(minic_last_error(), "no bucket 2: the program has 2");

  AlignedFloats x(20, 4), y(20);
  DLTensor input = tensor(x), output = tensor(y);
  size_t found = 0;
  ASSERT_EQ(minic_program_find_bucket(program, &input, 1, &found), MINIC_OK);
  EXPECT_EQ(found, 1u);
  ASSERT_EQ(minic_context_run(context, &input, 1, &output, 1), MINIC_OK);
  EXPECT_EQ(y[0], 9);
  shape[0] = 5;
  EXPECT_EQ(minic_program_find_bucket(program, &input, 1, &found),
            MINIC_INVALID_ARGUMENT);
  EXPECT_EQ(minic_context_run(context, &input, 1, &output, 1),
            MINIC_INVALID_ARGUMENT);
  EXPECT_STREQ(minic_last_error(), "no plan for N=5: expected N to be 4, 20");
  minic_bucket_counters counters = MINIC_BUCKET_COUNTERS_INIT;
  ASSERT_EQ(minic_context_bucket_counters(context, 1, &counters), MINIC_OK);
  EXPECT_EQ(counters.runs, 1);
  EXPECT_EQ(minic_context_bucket_counters(context, 2, &counters),
            MINIC_INVALID_ARGUMENT);
}

TEST_F(CApiTest, saysWhatAPaddedRunReturns) {
  TestArtifact artifact = scaleBuckets({4, 20});
  artifact.metadata.entries[0]->dims[0]->result_axes = {0};
  load(artifact);
  AlignedFloats x(20, 4), y(20, -1);
  DLTensor input = tensor(x), output = tensor(y);
  int64_t rows = 0;
  for (int64_t each : {5, 20, 3}) {
    shape[0] = each;
    ASSERT_EQ(minic_program_output_shape(program, &input, 1, 0, &rows),
              MINIC_OK);
    EXPECT_EQ(rows, each);
  }
  ASSERT_EQ(minic_context_run(context, &input, 1, &output, 1), MINIC_OK);
  EXPECT_EQ(y[2], 9);
  EXPECT_EQ(y[3], -1);
  // With all of the bucket's sizes it is written where it is: 2 * 0 + 1.
  int64_t all = 4;
  output.shape = &all;
  ASSERT_EQ(minic_context_run(context, &input, 1, &output, 1), MINIC_OK);
  EXPECT_EQ(y[2], 9);
  EXPECT_EQ(y[3], 1);
  EXPECT_EQ(y[4], -1);
  EXPECT_EQ(minic_program_output_shape(program, &input, 1, 1, &rows),
            MINIC_INVALID_ARGUMENT);
  EXPECT_STREQ(minic_last_error(), "output 1: the program has 1 outputs");
  EXPECT_EQ(minic_program_output_shape(program, &input, 1, 0, nullptr),
            MINIC_INVALID_ARGUMENT);
  shape[0] = 21;
  EXPECT_EQ(minic_program_output_shape(program, &input, 1, 0, &rows),
            MINIC_INVALID_ARGUMENT);
  EXPECT_STREQ(minic_last_error(),
               "no plan for N=21: expected N to be 1 to 20");
}

TEST_F(CApiTest, loadsAnotherFunction) {
  load(scaleArtifact(20));
  minic_program *other = nullptr;
  ASSERT_EQ(minic_program_load_function(program, nullptr, &other), MINIC_OK);
  EXPECT_EQ(minic_program_input_count(other), 1u);
  minic_program_destroy(other);
  minic_program_options options = MINIC_PROGRAM_OPTIONS_INIT;
  options.function = "decode";
  EXPECT_EQ(minic_program_load_function(program, &options, &other),
            MINIC_NOT_FOUND);
  EXPECT_EQ(other, nullptr);
  EXPECT_THAT(minic_last_error(), HasSubstr("no function 'decode'"));
  EXPECT_EQ(minic_program_load_function(nullptr, nullptr, &other),
            MINIC_INVALID_ARGUMENT);
}

TEST_F(CApiTest, keepsErrorsPerThread) {
  minic_program *none;
  minic_program_load("/mine", nullptr, &none);
  std::thread([] {
    EXPECT_STREQ(minic_last_error(), "");
    minic_program *none;
    minic_program_load("/other", nullptr, &none);
    EXPECT_THAT(minic_last_error(), HasSubstr("/other"));
  }).join();
  EXPECT_THAT(minic_last_error(), HasSubstr("/mine"));
}

} // namespace
