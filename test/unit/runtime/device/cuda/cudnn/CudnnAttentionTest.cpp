// SPDX-License-Identifier: Apache-2.0
//
// Attention by every engine that cuDNN lists, compared with sums in double;
// what it makes of keys that take no part.

#include "runtime/device/cuda/cudnn/CudnnLibrary.h"
#include "test/unit/runtime/device/cuda/LibraryCallFixture.h"
#include "test/unit/runtime/device/cuda/cudnn/AttentionProblem.h"

#include <cstdio>
#include <functional>
#include <limits>

namespace minic::runtime {
namespace {

using minic::testing::PackedTable;

class CudnnAttentionTest : public LibraryCallFixture {
protected:
  void SetUp() override {
    GpuOrSkip::SetUp();
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    auto found = CudnnLibrary::open();
    if (!found.ok()) {
      return giveUp(found.status().ToString());
    }
    version = (*found)->version;
    allocateArena(kArenaBytes);
  }

  struct Data {
    StridedTensor query, key, value, bias, result;
    std::vector<void *> callers;
  };

  static StridedTensor tensorOf(const AttentionProblem &test,
                                const std::vector<int64_t> &dims, int seed) {
    StridedTensor made(test.dtype, dims, test.stridesOf(dims));
    made.fill(seed);
    return made;
  }

  Data prepare(const AttentionProblem &test) {
    Data data;
    data.query = tensorOf(test, test.queryDims(), 1);
    data.key = tensorOf(test, test.keyDims(), 2);
    data.value = tensorOf(test, test.valueDims(), 3);
    data.result = tensorOf(test, test.resultDims(), 5);
    if (test.biasType) {
      data.bias =
          StridedTensor(*test.biasType, test.biasDims, test.biasStrides());
      data.bias.fill(4);
    }
    // Scores of several units: some keys count much more than others.
    data.query.forEach(
        [&](int64_t at) { data.query.set(at, 4 * data.query.get(at)); });
    uploadAll(data);
    return data;
  }

  void uploadAll(Data &data) {
    data.callers = {upload(data.query), upload(data.key), upload(data.value),
                    upload(data.bias), upload(data.result)};
  }

  absl::StatusOr<std::unique_ptr<LibraryCall>>
  make(const AttentionProblem &test) {
    packed.push_back(
        std::make_unique<PackedTable<format::Call>>(test.descriptor()));
    return createCudnnCall(**packed.back(),
                           {*context, "", false, 0, constants, nullptr});
  }

  PlanBases basesOf(const Data &data) const {
    return LibraryCallFixture::basesOf(data.callers, 4);
  }

  void fetch(Data &data) {
    ASSERT_TRUE(waitForStream().ok());
    download(data.result, data.callers[4]);
  }

  void run(LibraryCall &call, Data &data) {
    poison(data.result, data.callers[4]);
    absl::Status status = call.enqueue(stream, basesOf(data));
    ASSERT_TRUE(status.ok()) << status;
    ASSERT_NO_FATAL_FAILURE(fetch(data));
  }

  /// Scores of one query in double, -infinity for keys that take no part.
  static std::vector<double> scoresOf(const AttentionProblem &test,
                                      const Data &data, int64_t b, int64_t h,
                                      int64_t t) {
    std::vector<double> scores(size_t(test.keys), -HUGE_VAL);
    int64_t g = h / (test.heads / test.keyHeads);
    for (int64_t s = 0; s < test.keys; ++s) {
      if (!test.takesPart(t, s)) {
        continue;
      }
      double score = 0;
      for (int64_t d = 0; d < test.depth; ++d) {
        score += data.query.at({b, h, t, d}) * data.key.at({b, g, s, d});
      }
      scores[size_t(s)] = score * test.scoreScale() +
                          (test.biasType ? data.bias.at({b, h, t, s}) : 0);
    }
    return scores;
  }

  /// Compares every element; the largest error in units of its bound.
  static double compare(const AttentionProblem &test, const Data &data) {
    double worst = 0;
    int wrong = 0;
    for (int64_t b = 0; b < test.batch; ++b) {
      for (int64_t h = 0; h < test.heads; ++h) {
        int64_t g = h / (test.heads / test.keyHeads);
        for (int64_t t = 0; t < test.rows; ++t) {
          std::vector<double> scores = scoresOf(test, data, b, h, t);
          double greatest = *std::max_element(scores.begin(), scores.end());
          double sum = 0;
          for (double &score : scores) {
            score = std::exp(score - greatest);
            sum += score;
          }
          for (int64_t e = 0; e < test.valueDepth; ++e) {
            double want = 0, magnitude = 0;
            for (int64_t s = 0; s < test.keys; ++s) {
              if (scores[size_t(s)] != 0) {
                double part =
                    scores[size_t(s)] / sum * data.value.at({b, g, s, e});
                want += part;
                magnitude += std::abs(part);
              }
            }
            // Weights are rounded once, then the result; the rest is f32.
            double rounding = roundingOf(test.dtype);
            double bound = magnitude * (rounding + 0x1p-14) +
                           1.01 * rounding * std::abs(want) + 0x1p-24;
            double got = data.result.at({b, h, t, e});
            double error = std::abs(got - want) / bound;
            worst = error <= worst ? worst : error;
            if (!(error <= 1) && ++wrong <= 3) {
              ADD_FAILURE()
                  << test.name << " " << test.engine << ": result[" << b << ", "
                  << h << ", " << t << ", " << e << "] = " << got << ", want "
                  << want << " within " << bound;
            }
          }
        }
      }
    }
    EXPECT_EQ(wrong, 0) << test.name << " " << test.engine;
    return worst;
  }

  /// By the first of the heuristics and by every listed engine.
  void checkAll(AttentionProblem test, Data &data) {
    SCOPED_TRACE(test.name);
    auto first = make(test);
    ASSERT_TRUE(first.ok()) << "cuDNN " << version << ": " << first.status();
    ASSERT_NO_FATAL_FAILURE(run(**first, data));
    std::string line = "first " + std::to_string(compare(test, data));
    auto algorithms = (*first)->algorithms(12, kArenaBytes);
    ASSERT_TRUE(algorithms.ok()) << algorithms.status();
    EXPECT_FALSE(algorithms->empty());
    for (const LibraryAlgorithm &algorithm : *algorithms) {
      SCOPED_TRACE(algorithm.algorithm);
      test.engine = algorithm.name;
      test.scratchBytes = algorithm.scratchBytes;
      auto call = make(test);
      ASSERT_TRUE(call.ok()) << call.status();
      ASSERT_NO_FATAL_FAILURE(run(**call, data));
      line += "; " + algorithm.name + " " +
              std::to_string(algorithm.scratchBytes) + " bytes, " +
              std::to_string(compare(test, data));
    }
    std::printf("cuDNN %s, %s, errors of the bound: %s\n", version.c_str(),
                test.name.c_str(), line.c_str());
  }

  void checkAll(const AttentionProblem &test) {
    Data data = prepare(test);
    checkAll(test, data);
  }

  /// What each engine makes of `test` where `change` made something of the
  /// data, as one line: the number of NaN results, of others than 0, of all
  /// that `isAsked` asks for.
  std::string examine(AttentionProblem test,
                      const std::function<void(Data &)> &change,
                      const std::function<bool(int64_t row)> &isAsked) {
    Data data = prepare(test);
    change(data);
    uploadAll(data);
    auto lister = make(test);
    if (!lister.ok()) {
      return lister.status().ToString();
    }
    auto algorithms = (*lister)->algorithms(12, kArenaBytes);
    if (!algorithms.ok()) {
      return algorithms.status().ToString();
    }
    std::string line = "cuDNN " + version + ", " + test.name;
    for (const LibraryAlgorithm &algorithm : *algorithms) {
      test.engine = algorithm.name;
      auto call = make(test);
      if (!call.ok()) {
        line += "; " + call.status().ToString();
        continue;
      }
      run(**call, data);
      int nan = 0, other = 0, all = 0;
      for (int64_t b = 0; b < test.batch; ++b) {
        for (int64_t h = 0; h < test.heads; ++h) {
          for (int64_t t = 0; t < test.rows; ++t) {
            for (int64_t e = 0; isAsked(t) && e < test.valueDepth; ++e) {
              double got = data.result.at({b, h, t, e});
              ++all;
              nan += std::isnan(got);
              other += !std::isnan(got) && got != 0;
            }
          }
        }
      }
      line += "; " + algorithm.name + ": " + std::to_string(nan) + " NaN, " +
              std::to_string(other) + " neither NaN nor 0, of " +
              std::to_string(all);
    }
    return line;
  }

  static constexpr uint64_t kArenaBytes = 64 << 20;
  std::string version;
  std::vector<std::unique_ptr<PackedTable<format::Call>>> packed;
};

AttentionProblem problem(const std::string &name,
                         const std::function<void(AttentionProblem &)> &set) {
  AttentionProblem test;
  test.name = name;
  set(test);
  return test;
}

TEST_F(CudnnAttentionTest, Bf16AndF16) {
  for (DType dtype : {DType::bf16, DType::f16}) {
    checkAll(problem(std::string("plain ") + format::EnumNameDType(dtype),
                     [&](auto &test) { test.dtype = dtype; }));
    checkAll(problem(std::string("causal ") + format::EnumNameDType(dtype),
                     [&](auto &test) {
                       test.dtype = dtype;
                       test.causal = "upper_left";
                     }));
  }
}

TEST_F(CudnnAttentionTest, Shapes) {
  checkAll(problem("long", [](auto &test) {
    test.batch = 1;
    test.heads = test.keyHeads = 2;
    test.rows = test.keys = 640;
    test.depth = test.valueDepth = 128;
  }));
  checkAll(problem("another key length", [](auto &test) {
    test.rows = 33;
    test.keys = 77;
  }));
  checkAll(problem("one query", [](auto &test) {
    test.rows = 1;
    test.keys = 333;
  }));
  checkAll(problem("shared keys", [](auto &test) {
    test.heads = 6;
    test.keyHeads = 2;
  }));
  checkAll(problem("one query, shared keys", [](auto &test) {
    test.heads = 8;
    test.keyHeads = 2;
    test.rows = 1;
    test.keys = 200;
    test.depth = test.valueDepth = 128;
  }));
  checkAll(problem("merged heads", [](auto &test) { test.isMerged = true; }));
  checkAll(problem("scale", [](auto &test) { test.scale = 0.3; }));
  for (int64_t depth : {8, 40, 72, 128, 256}) {
    checkAll(problem("depth " + std::to_string(depth), [&](auto &test) {
      test.depth = test.valueDepth = depth;
    }));
  }
  checkAll(problem("value depth", [](auto &test) { test.valueDepth = 128; }));
}

TEST_F(CudnnAttentionTest, Causal) {
  for (auto [causal, rows, keys] :
       {std::tuple("upper_left", 77, 77), std::tuple("upper_left", 40, 90),
        std::tuple("upper_left", 90, 40), std::tuple("lower_right", 77, 77),
        std::tuple("lower_right", 17, 80), std::tuple("lower_right", 128, 256),
        std::tuple("upper_left", 300, 300),
        std::tuple("lower_right", 130, 300)}) {
    checkAll(problem(std::string(causal) + " " + std::to_string(rows) + " " +
                         std::to_string(keys),
                     [&](auto &test) {
                       test.causal = causal;
                       test.rows = rows;
                       test.keys = keys;
                     }));
  }
}

TEST_F(CudnnAttentionTest, Bias) {
  for (DType dtype : {DType::bf16, DType::f32}) {
    for (const std::vector<int64_t> &dims : std::vector<std::vector<int64_t>>{
             {1, 1, 48, 72}, {2, 1, 1, 72}, {2, 4, 48, 72}, {1, 4, 48, 72}}) {
      std::string name = std::string("bias ") + format::EnumNameDType(dtype);
      for (int64_t dim : dims) {
        name += " " + std::to_string(dim);
      }
      checkAll(problem(name, [&](auto &test) {
        test.keys = 72;
        test.biasType = dtype;
        test.biasDims = dims;
      }));
    }
  }
  checkAll(problem("bias of odd rows", [](auto &test) {
    test.rows = test.keys = 77;
    test.biasType = DType::bf16;
    test.biasDims = {1, 1, 77, 77};
  }));
  checkAll(problem("bias and causal", [](auto &test) {
    test.causal = "upper_left";
    test.biasType = DType::bf16;
    test.biasDims = {1, 1, 48, 48};
  }));
}

// -infinity and the lowest number leave keys out; each query keeps some.
TEST_F(CudnnAttentionTest, BiasThatMasks) {
  for (float lowest : {-std::numeric_limits<float>::infinity(), -3.0e38f}) {
    AttentionProblem test =
        problem("bias of " + std::to_string(lowest), [](auto &test) {
          test.keys = 200;
          test.biasType = DType::f32;
          test.biasDims = {1, 1, 48, 200};
        });
    Data data = prepare(test);
    for (int64_t t = 0; t < test.rows; ++t) {
      // All of the first keys for every other query.
      for (int64_t s = 0; s < test.keys; ++s) {
        if (t % 2 ? s < 130 : s % 3 == 0) {
          data.bias.set(data.bias.offset({0, 0, t, s}), lowest);
        }
      }
    }
    uploadAll(data);
    checkAll(test, data);
  }
}

// A scalar given by value is part of what is captured.
TEST_F(CudnnAttentionTest, CallsCanBeCaptured) {
  const CudaDriver &driver = context->driver();
  AttentionProblem test = problem("captured", [](auto &test) {
    test.causal = "lower_right";
    test.keys = 64;
  });
  auto lister = make(test);
  ASSERT_TRUE(lister.ok()) << lister.status();
  auto algorithms = (*lister)->algorithms(6, kArenaBytes);
  ASSERT_TRUE(algorithms.ok()) << algorithms.status();
  Data data = prepare(test);
  for (const LibraryAlgorithm &algorithm : *algorithms) {
    SCOPED_TRACE(algorithm.name);
    test.engine = algorithm.name;
    auto call = make(test);
    ASSERT_TRUE(call.ok()) << call.status();
    poison(data.result, data.callers[4]);
    ASSERT_EQ(driver.cuStreamBeginCapture(stream,
                                          CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
              CUDA_SUCCESS);
    absl::Status status = (*call)->enqueue(stream, basesOf(data));
    CUgraph graph = nullptr;
    CUresult ended = driver.cuStreamEndCapture(stream, &graph);
    ASSERT_TRUE(status.ok()) << status;
    ASSERT_EQ(ended, CUDA_SUCCESS);
    CUgraphExec executable = nullptr;
    ASSERT_EQ(driver.cuGraphInstantiate(&executable, graph, 0), CUDA_SUCCESS);
    ASSERT_EQ(driver.cuGraphLaunch(executable, stream), CUDA_SUCCESS);
    ASSERT_NO_FATAL_FAILURE(fetch(data));
    compare(test, data);
    driver.cuGraphExecDestroy(executable);
    driver.cuGraphDestroy(graph);
  }
}

TEST_F(CudnnAttentionTest, ClonesAreIndependent) {
  AttentionProblem test = problem("clone", [](auto &) {});
  auto first = make(test);
  ASSERT_TRUE(first.ok()) << first.status();
  auto second = (*first)->clone();
  ASSERT_TRUE(second.ok()) << second.status();
  Data one = prepare(test), two = prepare(test);
  two.value.forEach([&](int64_t at) { two.value.set(at, float(at % 7) - 3); });
  uploadAll(two);
  ASSERT_NO_FATAL_FAILURE(run(**first, one));
  ASSERT_NO_FATAL_FAILURE(run(**second, two));
  compare(test, one);
  compare(test, two);
}

// What the compiler does not ask for, because graph.attention says 0 and cuDNN
// says nothing. The line tells whether it might.
TEST_F(CudnnAttentionTest, QueriesWithoutKeys) {
  std::string behind = examine(
      problem("queries before all keys",
              [](auto &test) {
                test.causal = "lower_right";
                test.rows = 80;
              }),
      [](Data &) {}, [](int64_t row) { return row < 32; });
  std::string masked = examine(
      problem("queries whose bias is -infinity",
              [](auto &test) {
                test.biasType = DType::f32;
                test.biasDims = {1, 1, 48, 48};
              }),
      [](Data &data) {
        for (int64_t s = 0; s < 48; ++s) {
          data.bias.set(data.bias.offset({0, 0, 5, s}),
                        -std::numeric_limits<float>::infinity());
        }
      },
      [](int64_t row) { return row == 5; });
  GTEST_SKIP() << behind << "\n" << masked;
}

// graph.attention says that a key that is left out has no influence.
TEST_F(CudnnAttentionTest, ValuesLeftOut) {
  GTEST_SKIP() << examine(
      problem("NaN in the last value of a causal attention",
              [](auto &test) { test.causal = "upper_left"; }),
      [](Data &data) {
        for (int64_t e = 0; e < 64; ++e) {
          data.value.set(data.value.offset({0, 0, 47, e}), NAN);
        }
      },
      [](int64_t row) { return row < 47; });
}

} // namespace
} // namespace minic::runtime
