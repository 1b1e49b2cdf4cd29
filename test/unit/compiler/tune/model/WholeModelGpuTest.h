// SPDX-License-Identifier: Apache-2.0
//
// The fixture of whole-model checks on a GPU: plans, three ways of running
// each, two figures. A candidate is {stream, graph} back to back, {stream,
// graph} of one synchronized call, and both figures of a graph replayed when
// idle.

#ifndef MINIC_TEST_UNIT_COMPILER_TUNE_MODEL_WHOLEMODELGPUTEST_H
#define MINIC_TEST_UNIT_COMPILER_TUNE_MODEL_WHOLEMODELGPUTEST_H

#include "compiler/tune/model/WholeModelCheck.h"
#include "test/unit/compiler/tune/FakeWorker.h"
#include "test/unit/compiler/tune/TempFolder.h"

#include "gmock/gmock.h"

#include <fstream>

namespace minic::tune {

/// Microseconds.
struct Times {
  double stream, graph, streamCall, graphCall; // graph < 0: refused
  /// 0: as slow as the slower of the others.
  double whenIdle = 0, whenIdleCall = 0;
  double device = 1; // of its own time
};

/// How a plan is run.
enum class Ships { stream, graph, whenIdle };

class WholeModelGpuTest : public testing::Test {
protected:
  WholeModelGpuTest() { inputs.graphs = true; }

  WholeModelResult check(Times tuned, Times byDefault) {
    std::vector<std::pair<std::string, Times>> plans = {{"tuned", tuned},
                                                        {"default", byDefault}};
    inputs.hasGenerated = generated.has_value();
    if (generated) {
      plans.push_back({"generated", *generated});
    }
    for (auto &[name, times] : plans) {
      if (times.whenIdle == 0) {
        times.whenIdle = std::max(times.stream, times.graph);
        times.whenIdleCall = std::max(times.streamCall, times.graphCall);
      }
      machine.candidates[name] = {.us = times.device,
                                  .noise = 0.005,
                                  .crashesInFinal = name == crashing,
                                  .streamUs = times.stream,
                                  .graphUs = times.graph,
                                  .whenIdleUs = times.whenIdle,
                                  .streamCallUs = times.streamCall,
                                  .graphCallUs = times.graphCall,
                                  .whenIdleCallUs = times.whenIdleCall,
                                  .changedUs = changedUs,
                                  .outOfMemoryForMore = lacksMore,
                                  .outOfMemory = name == lacking};
      std::ofstream(folder / name) << name;
    }
    inputs.tunedPath = folder / "tuned";
    inputs.defaultPath = folder / "default";
    inputs.generatedPath = folder / "generated";
    inputs.planKey = "plan";
    inputs.device = "cuda";
    inputs.description = "@main";
    inputs.onGpu = true;
    inputs.roundUs = 1000;
    inputs.rounds.maxRounds = 200;
    inputs.rounds.maxSeconds = 1.5;
    double start = machine.clock.now();
    auto result = checkWholeModel(inputs, *db, worker, machine.clock);
    seconds = machine.clock.now() - start;
    EXPECT_TRUE(result.ok()) << result.status();
    EXPECT_TRUE(worker.loaded.empty());
    return result.ok() ? *result : WholeModelResult();
  }
  WholeModelResult check(Times plan) {
    inputs.plansDiffer = false;
    return check(plan, plan);
  }

  /// The tuned plan ships, and for `reason` replays or launches.
  WholeModelResult expectTunedShips(Ships ships, const std::string &reason,
                                    Times tuned, Times byDefault) {
    WholeModelResult result = check(tuned, byDefault);
    EXPECT_TRUE(result.plans && result.plans->tunedShips);
    EXPECT_EQ(result.failure, "");
    result.graph = result.graph.value_or(Verdict());
    EXPECT_EQ(result.graph->tunedShips, ships == Ships::graph);
    EXPECT_EQ(result.whenIdle && result.whenIdle->tunedShips,
              ships == Ships::whenIdle);
    EXPECT_EQ(result.graph->reason, reason);
    return result;
  }

  TempFolder folder;
  FakeMachine machine;
  FakeWorker worker{machine};
  std::unique_ptr<TuningDb> db = folder.openDb();
  WholeModelInputs inputs;
  std::optional<Times> generated; // of the plan without libraries, if any
  /// Of every plan; see FakeCandidate.
  std::map<runtime::ChangedPointers, std::pair<double, double>> changedUs;
  bool lacksMore = false;
  std::string lacking;  // the plan that finds no memory
  std::string crashing; // the plan that does among three
  double seconds = 0;   // of the last check, by the machine's clock
};

} // namespace minic::tune

#endif // MINIC_TEST_UNIT_COMPILER_TUNE_MODEL_WHOLEMODELGPUTEST_H
