// SPDX-License-Identifier: Apache-2.0
//
// One unsound number of a graph's verdict at a time.

#include "runtime/format/GraphChecker.h"
#include "test/unit/runtime/format/DamageCases.h"

#include <cmath>

namespace minic::format {
namespace {

using namespace ::minic::testing;

TestArtifact sound() {
  TestArtifact artifact = scaleArtifact(16);
  artifact.variant().graph = std::make_unique<GraphVerdictT>();
  GraphVerdictT &graph = *artifact.variant().graph;
  graph.replay = Replay::when_idle;
  graph.run_us = 8.5;
  graph.graph_us = 8.5;
  graph.pointer_changes = std::make_unique<PointerChangesT>();
  graph.pointer_changes->stage = true;
  graph.pointer_changes->runs_before_update = mostRunsBeforeUpdate;
  graph.pointer_changes->launch_us = 12.5;
  return artifact;
}

GraphVerdictT &graph(TestArtifact &artifact) {
  return *artifact.variant().graph;
}
PointerChangesT &changes(TestArtifact &artifact) {
  return *graph(artifact).pointer_changes;
}

TEST(GraphCheckerTest, acceptsWhatIsSound) {
  expectSound(sound());
  TestArtifact unmeasured = sound();
  graph(unmeasured).pointer_changes.reset();
  expectSound(unmeasured);
}

TEST(GraphCheckerTest, checksTimesAndCounts) {
  expectDamageFound(sound,
                    {
                        {"graph verdict: unknown replay 3",
                         [](auto &a) { graph(a).replay = Replay(3); }},
                        {"graph verdict: graph_us: expected 0 to 1e+12, got -1",
                         [](auto &a) { graph(a).graph_us = -1; }},
                        {"stream_us: expected 0 to 1e+12, got nan",
                         [](auto &a) { graph(a).stream_us = NAN; }},
                        {"graph_call_us: expected 0 to 1e+12, got inf",
                         [](auto &a) { graph(a).graph_call_us = INFINITY; }},
                        {"stream_call_us: expected 0 to 1e+12, got 2e+12",
                         [](auto &a) { graph(a).stream_call_us = 2e12; }},
                        {"when_idle_us: expected 0 to 1e+12, got -inf",
                         [](auto &a) { graph(a).when_idle_us = -INFINITY; }},
                        {"when_idle_call_us: expected 0 to 1e+12, got nan",
                         [](auto &a) { graph(a).when_idle_call_us = NAN; }},
                        {"run_us: expected 0 to 1e+12, got -8.5",
                         [](auto &a) { graph(a).run_us = -8.5; }},
                        {"runs_before_update: expected 0 to 1000, got 1001",
                         [](auto &a) { changes(a).runs_before_update = 1001; }},
                        {" stage_us: expected 0 to 1e+12, got -0.5",
                         [](auto &a) { changes(a).stage_us = -0.5; }},
                        {" launch_us: expected 0 to 1e+12, got -inf",
                         [](auto &a) { changes(a).launch_us = -INFINITY; }},
                        {"stage_call_us: expected 0 to 1e+12, got nan",
                         [](auto &a) { changes(a).stage_call_us = NAN; }},
                        {"launch_call_us: expected 0 to 1e+12, got -1",
                         [](auto &a) { changes(a).launch_call_us = -1; }},
                        {"update_us: expected 0 to 1e+12, got inf",
                         [](auto &a) { changes(a).update_us = INFINITY; }},
                    });
}

} // namespace
} // namespace minic::format
