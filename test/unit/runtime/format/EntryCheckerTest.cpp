// SPDX-License-Identifier: Apache-2.0
//
// What an entry says of its functions is checked.

#include "test/unit/runtime/format/DamageCases.h"

namespace minic::format {
namespace {

using namespace ::minic::testing;

TestArtifact sound() { return scaleBuckets({4, 12}); }

EntryT &entry(TestArtifact &artifact) { return *artifact.metadata.entries[0]; }

void addFill(TestArtifact &artifact, uint32_t input, uint64_t element) {
  auto fill = std::make_unique<InputFillT>();
  fill->input = input;
  fill->element = element;
  entry(artifact).fills.push_back(std::move(fill));
}

TEST(EntryCheckerTest, takesSoundOnes) {
  expectSound(sound());
  TestArtifact filled = sound();
  addFill(filled, 0, 0xff800000); // -infinity
  expectSound(filled);
}

TEST(EntryCheckerTest, refusesUnsoundOnes) {
  expectDamageFound(
      sound,
      {{"entry 0: expected dimensions and buckets, got none",
        [](TestArtifact &a) { entry(a).dims.clear(); }},
       {"entry 0: expected dimensions and buckets, got none",
        [](TestArtifact &a) { entry(a).buckets.clear(); }},
       {"entry 0: a dimension of no input",
        [](TestArtifact &a) { entry(a).dims[0]->places.clear(); }},
       {"entry 0: input 1 of 1",
        [](TestArtifact &a) { entry(a).dims[0]->places[0]->input = 1; }},
       {"entry 0: axis 1 of input 0 has not the size 4",
        [](TestArtifact &a) { entry(a).dims[0]->places[0]->axis = 1; }},
       {"entry 0: axis 0 of input 0 has not the size 5",
        [](TestArtifact &a) { entry(a).buckets[0]->sizes[0] = 5; }},
       {"entry 0: expected 1 sizes of a bucket, got 2",
        [](TestArtifact &a) { entry(a).buckets[0]->sizes.push_back(1); }},
       {"entry 0: expected axes of 1 outputs, got 2",
        [](TestArtifact &a) { entry(a).dims[0]->result_axes = {0, 0}; }},
       {"entry 0: axis 1 of output 0 cannot have the rows of 4",
        [](TestArtifact &a) { entry(a).dims[0]->result_axes = {1}; }},
       {"entry 0: fill of input 1 of 1, or not ascending",
        [](TestArtifact &a) { addFill(a, 1, 0); }},
       {"entry 0: fill of input 0 of 1, or not ascending",
        [](TestArtifact &a) {
          addFill(a, 0, 0);
          addFill(a, 0, 0);
        }},
       {"entry 0: fill 4294967296 is no element of input 0",
        [](TestArtifact &a) { addFill(a, 0, uint64_t(1) << 32); }},
       {"entry 0: function 2 of 2",
        [](TestArtifact &a) { entry(a).buckets[0]->function = 2; }},
       {"entry 0: buckets do not ascend",
        [](TestArtifact &a) {
          std::swap(entry(a).buckets[0], entry(a).buckets[1]);
        }},
       {"entry 0: functions of different signatures",
        [](TestArtifact &a) {
          a.metadata.functions[1]->outputs[0]->name = "z";
        }},
       {"entry 0: name used twice",
        [](TestArtifact &a) { entry(a).name = "main[N=4]"; }}});
}

} // namespace
} // namespace minic::format
