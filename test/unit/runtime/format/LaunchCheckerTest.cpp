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

} // namespace
} // namespace minic::format
