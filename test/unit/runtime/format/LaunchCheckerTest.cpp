// SPDX-License-Identifier: Apache-2.0
//
// One unsound field of a launch on a GPU at a time; MetadataCheckerTest has
// the CPU's.

#include "test/unit/runtime/format/DamageCases.h"

namespace minic::format {
namespace {

using namespace ::minic::testing;

/// Clusters of 2 x 2 blocks of 128 threads on a grid of 4 x 6.
TestArtifact sound() {
  TestArtifact artifact = scaleArtifact(16);
  artifact.variant().target = "cuda";
  artifact.metadata.binaries[0]->kind = BinaryKind::cubin;
  LaunchT &launch = *artifact.variant().run[0]->operation.AsLaunch();
  launch.grid = {4, 6};
  launch.block = {32, 4};
  launch.cluster = {2, 2};
  launch.shared_bytes = 100 * 1024;
  launch.programmatic = true;
  return artifact;
}

LaunchT &launch(TestArtifact &artifact) {
  return *artifact.variant().run[0]->operation.AsLaunch();
}

TEST(LaunchCheckerTest, acceptsWhatIsSound) {
  expectSound(sound());
  TestArtifact plain = sound();
  plain.metadata.binaries[0]->kind = BinaryKind::ptx;
  launch(plain).cluster.clear();
  launch(plain).grid = {INT32_MAX};
  expectSound(plain);
}

TEST(LaunchCheckerTest, checksLaunchesOnGpus) {
  expectDamageFound(
      sound,
      {
          {"expected a cubin or PTX",
           [](auto &a) {
             a.metadata.binaries[0]->kind = BinaryKind::elf_shared_object;
           }},
          {"expected 1 to 3 extents of grid, got 4",
           [](auto &a) { launch(a).grid = {1, 1, 1, 1}; }},
          {"grid extent 0", [](auto &a) { launch(a).grid = {4, 0}; }},
          {"grid extent 65536", [](auto &a) { launch(a).grid = {4, 65536}; }},
          {"expected 1 to 3 extents of block, got 0",
           [](auto &a) { launch(a).block.clear(); }},
          {"block extent 65", [](auto &a) { launch(a).block = {1, 1, 65}; }},
          {"block of more than 1024",
           [](auto &a) { launch(a).block = {1024, 2}; }},
          {"cluster of more than 16",
           [](auto &a) { launch(a).cluster = {4, 6}; }},
          {"cluster extent 17", [](auto &a) { launch(a).cluster = {17}; }},
          {"cluster extent 4 does not divide the grid's 6",
           [](auto &a) { launch(a).cluster = {2, 4}; }},
          {"cluster extent 2 does not divide the grid's 1",
           [](auto &a) { launch(a).cluster = {1, 1, 2}; }},
          {"bytes of shared memory are out of range",
           [](auto &a) { launch(a).shared_bytes = 1 << 21; }},
          {"5000 parameters are too many",
           [](auto &a) {
             while (launch(a).params.size() < 5000) {
               launch(a).params.push_back(
                   std::make_unique<ParamEntryT>(*launch(a).params[0]));
             }
           }},
          {"launch scratch: a GPU's is a parameter",
           [](auto &a) { launch(a).scratch_bytes = 64; }},
          {"block, cluster and shared memory are a GPU's",
           [](auto &a) {
             a.variant().target = "cpu";
             a.metadata.binaries[0]->kind = BinaryKind::elf_shared_object;
             launch(a).grid = {4};
           }},
      });
}

/// A box of 64 x 8 of 2 x 10 x 72 bf16, which begin at byte 16 of the input.
TestArtifact soundMap() {
  TestArtifact artifact = sound();
  artifact.function().inputs[0]->dims = {1000};
  LaunchT &made = launch(artifact);
  made.params[0]->param.AsAddressParam()->address =
      std::make_unique<Address>(inputAddress(0, 16));
  TensorMapParamT map;
  map.param = 0;
  map.dtype = DType::bf16;
  map.dims = {72, 10, 2};
  map.strides = {144, 1440};
  map.box = {64, 8, 1};
  map.swizzle = 128;
  made.params.push_back(std::make_unique<ParamEntryT>());
  made.params.back()->param.Set(std::move(map));
  return artifact;
}

TensorMapParamT &mapOf(TestArtifact &artifact) {
  return *launch(artifact).params.back()->param.AsTensorMapParam();
}

/// The same of images.
TestArtifact soundImages() {
  TestArtifact artifact = soundMap();
  TensorMapParamT &map = mapOf(artifact);
  map.dims = {8, 7, 6, 2};
  map.strides = {16, 112, 672};
  map.box = {8, 64};
  map.swizzle = 32;
  map.im2col = std::make_unique<Im2colT>();
  map.im2col->lower = {-1, -128};
  map.im2col->upper = {-1, 127};
  map.im2col->steps = {1, 8};
  return artifact;
}

TEST(LaunchCheckerTest, checksTensorMapsOfImages) {
  expectSound(soundImages());
  expectDamageFound(
      soundImages,
      {
          {"expected 4 dims, 3 strides and 2 extents of a box of images, got "
           "3, 3 and 2",
           [](auto &a) { mapOf(a).dims.pop_back(); }},
          {"got 4, 2 and 2", [](auto &a) { mapOf(a).strides.pop_back(); }},
          {"got 4, 3 and 4", [](auto &a) { mapOf(a).box = {8, 1, 1, 1}; }},
          {"expected pixels of 2 dims, got 1",
           [](auto &a) { mapOf(a).im2col->lower.pop_back(); }},
          {"expected pixels of 2 dims, got 3",
           [](auto &a) { mapOf(a).im2col->upper.push_back(0); }},
          {"expected pixels of 2 dims, got 0",
           [](auto &a) { mapOf(a).im2col->steps.clear(); }},
          {"pixels from -129 to -1 are out of range",
           [](auto &a) { mapOf(a).im2col->lower[0] = -129; }},
          {"pixels from -128 to 128 are out of range",
           [](auto &a) { mapOf(a).im2col->upper[1] = 128; }},
          {"step 0 of its pixels is out of range",
           [](auto &a) { mapOf(a).im2col->steps[0] = 0; }},
          {"step 9 of its pixels is out of range",
           [](auto &a) { mapOf(a).im2col->steps[1] = 9; }},
          {"no pixels from -1 to -8",
           [](auto &a) { mapOf(a).im2col->upper[0] = -8; }},
      });
}

TEST(LaunchCheckerTest, checksTensorMaps) {
  expectSound(soundMap());
  expectDamageFound(
      soundMap,
      {
          {"parameter 3 is not an address ahead of it",
           [](auto &a) { mapOf(a).param = 3; }},
          {"parameter 4000000000 is not an address ahead of it",
           [](auto &a) { mapOf(a).param = 4000000000u; }},
          {"parameter 2 is not an address ahead of it",
           [](auto &a) { mapOf(a).param = 2; }},
          {"expected 1 to 5 dims, a stride fewer and as many extents of a box, "
           "got 0, 2 and 3",
           [](auto &a) { mapOf(a).dims.clear(); }},
          {"got 3, 1 and 3", [](auto &a) { mapOf(a).strides.pop_back(); }},
          {"got 3, 2 and 4", [](auto &a) { mapOf(a).box.push_back(1); }},
          {"got 6, 5 and 6",
           [](auto &a) {
             mapOf(a).dims.resize(6, 1);
             mapOf(a).strides.resize(5, 1440);
             mapOf(a).box.resize(6, 1);
           }},
          {"expected bf16 or f16, got dtype 3",
           [](auto &a) { mapOf(a).dtype = DType::i64; }},
          {"expected bf16 or f16, got dtype 200",
           [](auto &a) { mapOf(a).dtype = DType(200); }},
          {"dimension 0 is out of range",
           [](auto &a) { mapOf(a).dims[1] = 0; }},
          {"dimension -1 is out of range",
           [](auto &a) { mapOf(a).dims[0] = -1; }},
          {"dimension 4294967297 is out of range",
           [](auto &a) { mapOf(a).dims[2] = (int64_t(1) << 32) + 1; }},
          {"extent 257 of its box", [](auto &a) { mapOf(a).box[1] = 257; }},
          {"extent 0 of its box", [](auto &a) { mapOf(a).box[2] = 0; }},
          {"stride 8 is no multiple of 16",
           [](auto &a) { mapOf(a).strides[0] = 8; }},
          {"stride 0 is no multiple of 16",
           [](auto &a) { mapOf(a).strides[1] = 0; }},
          {"stride -16 is no multiple of 16",
           [](auto &a) { mapOf(a).strides[1] = -16; }},
          {"stride 1099511627776 is no multiple of 16",
           [](auto &a) { mapOf(a).strides[1] = int64_t(1) << 40; }},
          {"dimensions overflow",
           [](auto &a) {
             mapOf(a).dims[1] = int64_t(1) << 32;
             mapOf(a).strides[0] = int64_t(1) << 39;
           }},
          {"rows of 128 bytes with a swizzle of 64",
           [](auto &a) { mapOf(a).swizzle = 64; }},
          {"rows of 128 bytes with a swizzle of 48",
           [](auto &a) { mapOf(a).swizzle = 48; }},
          {"rows of 120 bytes with a swizzle of 128",
           [](auto &a) { mapOf(a).box[0] = 60; }},
          {"offset 24 is no multiple of 16",
           [](auto &a) {
             launch(a).params[0]->param.AsAddressParam()->address =
                 std::make_unique<Address>(inputAddress(0, 24));
           }},
          {"launch tensor map: 5616 bytes at offset 16",
           [](auto &a) { mapOf(a).strides[1] = 4176; }},
          {"tensor maps are a GPU's",
           [](auto &a) {
             a.variant().target = "cpu";
             a.metadata.binaries[0]->kind = BinaryKind::elf_shared_object;
             launch(a).grid = {4};
             launch(a).block.clear();
             launch(a).cluster.clear();
             launch(a).shared_bytes = 0;
             launch(a).programmatic = false;
           }},
      });
}

} // namespace
} // namespace minic::format
