// SPDX-License-Identifier: Apache-2.0
//
// One unsound field at a time of oneDNN's calls along rows.

#include "test/unit/runtime/format/DamageCases.h"

#include <cmath>

namespace minic::format {
namespace {

using namespace ::minic::testing;

/// A call of `op` from [2, 5, 4] to `result`.
TestArtifact rows(const std::string &op, std::vector<int64_t> result) {
  TestArtifact artifact;
  artifact.variant().arena_bytes = 1024;
  CallT &call = artifact.call(libraryCall("onednn", op));
  setOperand(call, "input", arenaView(0, {2, 5, 4}));
  setOperand(call, "result", arenaView(512, std::move(result)));
  return artifact;
}

TestArtifact softmax() {
  TestArtifact artifact = rows("softmax", {2, 5, 4});
  setInteger(lastCall(artifact), "axis", 2);
  return artifact;
}

TestArtifact layerNorm() {
  TestArtifact artifact = rows("layer_norm", {2, 5, 4});
  setOperand(lastCall(artifact), "scale", arenaView(256, {4}));
  setOperand(lastCall(artifact), "bias", arenaView(320, {4}));
  setNumber(lastCall(artifact), "epsilon", 1e-5);
  return artifact;
}

TestArtifact reduction() {
  TestArtifact artifact = rows("reduction", {2, 1, 4});
  setText(lastCall(artifact), "kind", "mean");
  return artifact;
}

TEST(OnednnRowsCheckerTest, acceptsWhatIsSound) {
  expectSound(softmax());
  expectSound(layerNorm());
  expectSound(reduction());
}

TEST(OnednnRowsCheckerTest, checksSoftmax) {
  expectDamageFound(
      softmax, {{"axis: expected less than the rank 3, got 3",
                 [](auto &a) { setInteger(lastCall(a), "axis", 3); }},
                {"axis: expected 0 to 11, got -1",
                 [](auto &a) { setInteger(lastCall(a), "axis", -1); }},
                {"input: shape or dtype is not the result's", [](auto &a) {
                   setOperand(lastCall(a), "input", arenaView(0, {2, 5, 3}));
                 }}});
}

TEST(OnednnRowsCheckerTest, checksLayerNorms) {
  expectDamageFound(
      layerNorm,
      {{"scale: expected one value per column of the result",
        [](auto &a) { setOperand(lastCall(a), "scale", arenaView(256, {5})); }},
       {"input: expected rank 2 to 5, got 1",
        [](auto &a) { setOperand(lastCall(a), "input", arenaView(0, {4})); }},
       {"epsilon: expected a finite float, got inf",
        [](auto &a) { setNumber(lastCall(a), "epsilon", INFINITY); }}});
}

TEST(OnednnRowsCheckerTest, checksReductions) {
  expectDamageFound(
      reduction,
      {{"kind: expected sum or mean or max or min or prod, got 'mode'",
        [](auto &a) { setText(lastCall(a), "kind", "mode"); }},
       {"result: expected 1 or 5 of dimension 1, got 2",
        [](auto &a) {
          setOperand(lastCall(a), "result", arenaView(512, {2, 2, 4}));
        }},
       {"result: expected rank 3, got 2", [](auto &a) {
          setOperand(lastCall(a), "result", arenaView(512, {2, 4}));
        }}});
}

} // namespace
} // namespace minic::format
