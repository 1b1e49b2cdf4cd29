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

/// In the first function, whose rows are padded.
void addSizeWord(TestArtifact &artifact, uint32_t dim, uint64_t offset) {
  entry(artifact).dims[0]->result_axes = {0};
  VariantT &variant = *artifact.metadata.functions[0]->variants[0];
  variant.arena_bytes = variant.zeroed_bytes = 64;
  auto word = std::make_unique<SizeWordT>();
  word->dim = dim;
  word->offset = offset;
  variant.sizes.push_back(std::move(word));
}

TEST(EntryCheckerTest, takesSoundOnes) {
  expectSound(sound());
  TestArtifact words = sound();
  addSizeWord(words, 0, 60);
  expectSound(words);
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
       {"variant size word: offset 64 is not a multiple of 4 within 64 zeroed",
        [](TestArtifact &a) { addSizeWord(a, 0, 64); }},
       {"variant size word: offset 6 is not",
        [](TestArtifact &a) { addSizeWord(a, 0, 6); }},
       {"variant size word: dimension 0 does not ascend, or has the place of "
        "another word",
        [](TestArtifact &a) {
          addSizeWord(a, 0, 0);
          addSizeWord(a, 0, 4);
        }},
       {"variant size word: dimension 1 does not ascend, or has the place of "
        "another word",
        [](TestArtifact &a) {
          addSizeWord(a, 0, 8);
          addSizeWord(a, 1, 8);
        }},
       {"variant size word: dimension 0 does not ascend, or has the place of "
        "another word",
        [](TestArtifact &a) {
          addSizeWord(a, 0, 8);
          a.metadata.functions[0]->variants[0]->status = 8;
        }},
       {"entry 0: size word of dimension 1, which is not padded",
        [](TestArtifact &a) { addSizeWord(a, 1, 0); }},
       {"entry 0: size word of dimension 0, which is not padded",
        [](TestArtifact &a) {
          addSizeWord(a, 0, 0);
          entry(a).dims[0]->result_axes.clear();
        }},
       {"function 0 has a size word and no entry",
        [](TestArtifact &a) {
          addSizeWord(a, 0, 0);
          a.metadata.entries.clear();
        }},
       {"entry 0: name used twice",
        [](TestArtifact &a) { entry(a).name = "main[N=4]"; }}});
}

} // namespace
} // namespace minic::format
