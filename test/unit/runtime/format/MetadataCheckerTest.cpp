// SPDX-License-Identifier: Apache-2.0
//
// One unsound field at a time.

#include "runtime/format/ArtifactReader.h"
#include "test/unit/runtime/format/DamageCases.h"

namespace minic::format {
namespace {

using namespace ::minic::testing;

TestArtifact sound() {
  TestArtifact artifact = scaleArtifact(16, 8, 2);
  artifact.constant("w", {4, 6}, std::vector<float>(24, 1.0f));
  artifact.variant().arena_bytes = 256;
  artifact.variant().persistent_bytes = 64;
  artifact.copy(arenaAddress(0), constantAddress(0), 96);
  artifact.fill(outputAddress(0), 0, 64);
  return artifact;
}

void expectRefused(const std::vector<DamageCase> &cases) {
  expectDamageFound(sound, cases);
}

LaunchT &launchOf(TestArtifact &artifact) {
  return *artifact.variant().run[0]->operation.AsLaunch();
}
CopyT &copyOf(TestArtifact &artifact) {
  return *artifact.variant().run[1]->operation.AsCopy();
}
TEST(MetadataCheckerTest, acceptsWhatIsSound) {
  auto reader = ArtifactReader::copy(sound().bytes(), "test");
  EXPECT_TRUE(reader.ok()) << reader.status();
}

TEST(MetadataCheckerTest, checksSignatures) {
  expectRefused({
      {"input 'x': negative dimension -1",
       [](auto &a) { a.function().inputs[0]->dims = {-1}; }},
      {"input 'x': dimensions overflow",
       [](auto &a) {
         a.function().inputs[0]->dims = {int64_t(1) << 40, int64_t(1) << 40};
       }},
      {"output 'y': unknown dtype 77",
       [](auto &a) { a.function().outputs[0]->dtype = DType(77); }},
      {"output 'y': alignment 48 is not a power of two",
       [](auto &a) { a.function().outputs[0]->alignment = 48; }},
      {"input 'x': name used twice", [](auto &a) { a.input("x", {1}); }},
      {"output 'y': in place of input 1: only 1 exist",
       [](auto &a) { a.function().outputs[0]->in_place = 1; }},
      {"output 'y': in place of input 0: expected its dtype and dimensions",
       [](auto &a) {
         a.function().outputs[0]->in_place = 0;
         a.function().outputs[0]->dtype = DType::i32;
       }},
      {"output 'z': in place of input 0: another output is, too",
       [](auto &a) {
         a.output("z", a.function().inputs[0]->dims);
         a.function().outputs[0]->dims = a.function().inputs[0]->dims;
         a.function().outputs[0]->in_place = 0;
         a.function().outputs[1]->in_place = 0;
       }},
      {"input 'x': in_place is an output's",
       [](auto &a) { a.function().inputs[0]->in_place = 0; }},
      {"function 'main': name used twice",
       [](auto &a) {
         a.metadata.functions.push_back(
             std::make_unique<FunctionT>(a.function()));
       }},
  });
}

TEST(MetadataCheckerTest, checksConstantsAndBinaries) {
  auto layout = [](TestArtifact &a) -> LayoutT & {
    a.metadata.constants[0]->layout = std::make_unique<LayoutT>();
    LayoutT &layout = *a.metadata.constants[0]->layout;
    layout.order = {0, 1};
    layout.padded = {4, 6};
    return layout;
  };
  expectRefused({
      {"constant 'w': expected 96 bytes, got 92",
       [](auto &a) { a.metadata.constants[0]->bytes = 92; }},
      {"constant 'w': offset 32 and size 96",
       [](auto &a) { a.metadata.constants[0]->offset = 32; }},
      {"constant 'w': offset 64 and size 96",
       [](auto &a) { a.metadata.constants[0]->offset = 64; }},
      {"constant 'w': offset 18446744073709551552",
       [](auto &a) { a.metadata.constants[0]->offset = ~uint64_t(63); }},
      {"layout's rank is not 2", [&](auto &a) { layout(a).order = {0}; }},
      {"layout order is not a permutation",
       [&](auto &a) { layout(a).order = {1, 1}; }},
      {"layout pads dimension 1 of 6 to 5",
       [&](auto &a) { layout(a).padded = {4, 5}; }},
      {"layout block [0, 3] does not divide",
       [&](auto &a) {
         LayoutT &blocked = layout(a);
         blocked.block_dims = {0};
         blocked.block_sizes = {3};
       }},
      {"layout block [2, 1] does not divide",
       [&](auto &a) {
         LayoutT &blocked = layout(a);
         blocked.block_dims = {2};
         blocked.block_sizes = {1};
       }},
      {"expected 128 bytes, got 96",
       [&](auto &a) { layout(a).padded = {4, 8}; }},
      {"binary 0: offset", [](auto &a) { a.metadata.binaries[0]->bytes += 1; }},
      {"binary 0: unknown kind 9",
       [](auto &a) { a.metadata.binaries[0]->kind = BinaryKind(9); }},
  });
}

TEST(MetadataCheckerTest, checksValuesOfInputs) {
  auto say = [](auto &a, DType dtype, ValuesKind kind, int64_t lower,
                int64_t upper) {
    TensorSpecT &input = *a.metadata.functions[0]->inputs[0];
    input.dtype = dtype;
    input.values = std::make_unique<ValuesT>();
    input.values->kind = kind;
    input.values->lower = lower;
    input.values->upper = upper;
  };
  expectRefused({
      {"has values and is of floats",
       [&](auto &a) { say(a, DType::f32, ValuesKind::index, 0, 1); }},
      {"unknown kind of values 9",
       [&](auto &a) { say(a, DType::i64, ValuesKind(9), 0, 1); }},
      {"values 3 to 2",
       [&](auto &a) { say(a, DType::i64, ValuesKind::length, 3, 2); }},
      {"values 0 to 128",
       [&](auto &a) { say(a, DType::i8, ValuesKind::index, 0, 128); }},
      {"values of a mask are those of i1",
       [&](auto &a) { say(a, DType::i1, ValuesKind::index, 0, 1); }},
  });
}

TEST(MetadataCheckerTest, checksVariantsAndLaunches) {
  expectRefused({
      {"variant threads: expected 1 to 4096, got 0",
       [](auto &a) { a.variant().threads = 0; }},
      {"variant status word: offset 0 is not a multiple of 4 within 0 zeroed",
       [](auto &a) { a.variant().status = 0; }},
      {"variant status word: offset 6",
       [](auto &a) {
         a.variant().zeroed_bytes = 64;
         a.variant().status = 6;
       }},
      {"variant status word: offset 64",
       [](auto &a) {
         a.variant().zeroed_bytes = 64;
         a.variant().status = 64;
       }},
      {"variant memory: 100 bytes",
       [](auto &a) { a.variant().arena_bytes = 100; }},
      {"variant memory:",
       [](auto &a) { a.variant().persistent_bytes = uint64_t(1) << 62; }},
      {"launch: binary 1: only 1 exist",
       [](auto &a) { launchOf(a).binary = 1; }},
      {"one grid dimension", [](auto &a) { launchOf(a).grid = {1, 2}; }},
      {"launch: grid extent -4", [](auto &a) { launchOf(a).grid = {-4}; }},
      {"expected a shared object",
       [](auto &a) { a.metadata.binaries[0]->kind = BinaryKind::ptx; }},
      {"launch scratch: expected an address",
       [](auto &a) { launchOf(a).scratch_bytes = 64; }},
      {"launch scratch: 32 bytes a thread",
       [](auto &a) { launchOf(a).scratch_bytes = 32; }},
      {"launch scratch: 384 bytes at offset 0",
       [](auto &a) {
         launchOf(a).scratch_bytes = 192;
         launchOf(a).scratch = address(Base::arena, 0, 0);
       }},
      {"launch scratch: constant memory is read-only",
       [](auto &a) { launchOf(a).scratch = address(Base::constant, 0, 0); }},
      {"launch parameter: input 1: only 1 exist",
       [](auto &a) {
         launchOf(a).params[0]->param.AsAddressParam()->address =
             address(Base::input, 1, 0);
       }},
      {"launch parameter: 0 bytes at offset 65",
       [](auto &a) {
         launchOf(a).params[0]->param.AsAddressParam()->address =
             address(Base::input, 0, 65);
       }},
      {"depends on 1, which is not an earlier command",
       [](auto &a) { a.variant().run[1]->depends = {1}; }},
  });
}

TEST(MetadataCheckerTest, checksCopiesAndFills) {
  expectRefused({
      {"copy source: 97 bytes", [](auto &a) { copyOf(a).bytes = 97; }},
      {"copy source: 18446744073709551615 bytes",
       [](auto &a) { copyOf(a).bytes = ~uint64_t(0); }},
      {"copy destination: 96 bytes at offset 200",
       [](auto &a) { copyOf(a).destination = address(Base::arena, 0, 200); }},
      {"copy destination: constant memory is read-only",
       [](auto &a) { copyOf(a).destination = address(Base::constant, 0, 0); }},
      {"copy source: unknown address base 9",
       [](auto &a) { copyOf(a).source = address(Base(9), 0, 0); }},
      {"fill destination: persistent memory is read-only",
       [](auto &a) {
         a.variant().run[2]->operation.AsFill()->destination =
             address(Base::persistent, 0, 0);
       }},
      {"in prepare",
       [](auto &a) {
         a.variant().prepare.push_back(
             std::make_unique<CommandT>(*a.variant().run[2]));
       }},
  });
}

} // namespace
} // namespace minic::format
