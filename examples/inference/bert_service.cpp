// SPDX-License-Identifier: Apache-2.0
//
// A service around bert of examples/models: clients send one sentence each, a
// queue makes batches of them, and two Contexts of one Program serve those side
// by side, on two streams of a GPU or on two threads of a CPU.
// Usage: bert_service model.minic [REQUESTS [CLIENTS]]
//
// Every sentence is sent several times, in other company: the program fails
// where its answers differ.

#include "batch_queue.hpp"
#include "cuda_streams.hpp"

#include <minic/minic.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
/// The vector of the first token, which stands for the sentence.
using Answer = minic::Result<std::vector<float>>;

struct Request {
  std::vector<int64_t> tokens;
  std::promise<Answer> answer;
};
using Queue = BatchQueue<Request>;

int fail(const std::string &why) {
  std::fprintf(stderr, "bert_service: %s\n", why.c_str());
  return 1;
}

/// One Context with host tensors for a whole batch.
class Server {
public:
  static minic::Result<Server> create(const minic::Program &program,
                                      void *stream) {
    minic::ContextOptions options;
    options.stream = stream;
    // On a GPU minic copies host tensors to the device and back.
    options.staging = program.device().device_type == kDLCUDA;
    auto context = minic::Context::create(program, options);
    if (!context.ok()) {
      return context.status();
    }
    return Server(program, std::move(*context));
  }

  /// Answers batches until the queue is closed; returns how many there were.
  int serve(Queue &queue) {
    int batches = 0;
    for (auto batch = queue.take(); !batch.empty(); batch = queue.take()) {
      answer(batch);
      ++batches;
    }
    return batches;
  }

private:
  Server(const minic::Program &program, minic::Context context)
      : context(std::move(context)), ids(program.inputs()[0]),
        mask(program.inputs()[1]), hidden(program.outputs()[0]),
        sequence(size_t(program.inputs()[0].shape[1])),
        width(size_t(program.outputs()[0].shape[2])) {}

  void answer(std::vector<Request> &batch) {
    // Places without a token, and rows without a request, are masked.
    std::fill_n(ids.data<char>(), ids.bytes(), 0);
    std::fill_n(mask.data<char>(), mask.bytes(), 0);
    for (size_t row = 0; row < batch.size(); ++row) {
      const std::vector<int64_t> &tokens = batch[row].tokens;
      std::copy(tokens.begin(), tokens.end(),
                ids.data<int64_t>() + row * sequence);
      std::fill_n(mask.data<int64_t>() + row * sequence, tokens.size(), 1);
    }
    auto status = context.run({ids.tensor(), mask.tensor()}, {hidden.tensor()});
    for (size_t row = 0; row < batch.size(); ++row) {
      if (!status.ok()) {
        batch[row].answer.set_value(status);
        continue;
      }
      const float *first = hidden.data<float>() + row * sequence * width;
      batch[row].answer.set_value(std::vector<float>(first, first + width));
    }
  }

  minic::Context context;
  minic::Buffer ids, mask, hidden;
  size_t sequence, width;
};

/// Sentence number `index`: from two tokens up to the longest.
std::vector<int64_t> sentence(size_t index, size_t longest) {
  std::mt19937 random(static_cast<unsigned>(index));
  std::vector<int64_t> tokens(2 + random() % (longest - 1));
  for (int64_t &token : tokens) {
    token = int64_t(random() % 100);
  }
  return tokens;
}

/// What clients saw, of all of them.
struct Seen {
  std::mutex mutex;
  std::vector<double> latenciesMs;
  std::vector<std::vector<float>> answers; // by sentence
  double worst = 0;                        // difference of equal sentences
  std::string failure;
};

/// Sends one request after the other.
void runClient(Queue &queue, Seen &seen, std::atomic<int> &next, int requests,
               size_t longest) {
  for (int i = next++; i < requests; i = next++) {
    size_t index = size_t(i) % seen.answers.size();
    Request request{sentence(index, longest), {}};
    auto future = request.answer.get_future();
    auto start = Clock::now();
    queue.push(std::move(request));
    Answer answer = future.get();
    double ms =
        std::chrono::duration<double, std::milli>(Clock::now() - start).count();

    std::lock_guard<std::mutex> lock(seen.mutex);
    seen.latenciesMs.push_back(ms);
    if (!answer.ok()) {
      seen.failure = answer.message();
      continue;
    }
    std::vector<float> &known = seen.answers[index];
    if (known.empty()) {
      known = *answer;
    }
    for (size_t k = 0; k < known.size(); ++k) {
      // A NaN is a difference, too.
      double difference = std::fabs(double(known[k]) - double((*answer)[k]));
      seen.worst = difference <= seen.worst ? seen.worst : difference;
    }
  }
}

bool isBert(const minic::Program &program) {
  auto in = program.inputs(), out = program.outputs();
  return in.size() == 2 && out.size() == 1 && in[0].ndim == 2 &&
         in[1].ndim == 2 && out[0].ndim == 3 && in[0].dtype.bits == 64 &&
         in[1].dtype.bits == 64 && out[0].dtype.bits == 32 &&
         in[0].shape[1] >= 2;
}

} // namespace

int main(int argc, char **argv) {
  int requests = argc > 2 ? std::atoi(argv[2]) : 200;
  int clients = argc > 3 ? std::atoi(argv[3]) : 8;
  if (argc < 2 || argc > 4 || requests < 1 || clients < 1) {
    std::fprintf(stderr, "usage: %s model.minic [REQUESTS [CLIENTS]]\n",
                 argv[0]);
    return 2;
  }
  auto program = minic::Program::load(argv[1]);
  if (!program.ok()) {
    return fail(program.message());
  }
  if (!isBert(*program)) {
    return fail("expected bert of examples/models, of f32");
  }

  CudaStreams driver;
  std::vector<void *> streams(2);
  if (program->device().device_type == kDLCUDA) {
    if (driver.open(program->device().device_id)) {
      streams = {driver.create(), driver.create()};
    }
    if (!streams[0] || !streams[1]) {
      return fail("the CUDA driver gives no streams");
    }
  }
  std::vector<Server> servers;
  for (void *stream : streams) {
    auto server = Server::create(*program, stream);
    if (!server.ok()) {
      return fail(server.message());
    }
    servers.push_back(std::move(*server));
  }

  size_t rows = size_t(program->inputs()[0].shape[0]);
  size_t longest = size_t(program->inputs()[0].shape[1]);
  Queue queue(rows, std::chrono::milliseconds(2));
  Seen seen;
  seen.answers.resize(std::max(1, requests / 4)); // each about four times
  std::atomic<int> next{0};
  auto start = Clock::now();
  std::vector<std::future<int>> batches;
  for (Server &server : servers) {
    batches.push_back(
        std::async(std::launch::async, [&] { return server.serve(queue); }));
  }
  std::vector<std::thread> senders;
  for (int i = 0; i < clients; ++i) {
    senders.emplace_back(
        [&] { runClient(queue, seen, next, requests, longest); });
  }
  for (std::thread &sender : senders) {
    sender.join();
  }
  double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  queue.close();
  int batchCount = 0;
  for (auto &count : batches) {
    batchCount += count.get();
  }
  servers.clear();
  for (void *stream : streams) {
    driver.destroy(stream);
  }

  if (!seen.failure.empty()) {
    return fail(seen.failure);
  }
  std::sort(seen.latenciesMs.begin(), seen.latenciesMs.end());
  std::printf("%d requests by 2 contexts: %.1f a second; median %.2f ms, 99 %% "
              "within %.2f ms; %.1f of %zu rows used\n",
              requests, requests / seconds, seen.latenciesMs[requests / 2],
              seen.latenciesMs[requests * 99 / 100],
              double(requests) / batchCount, rows);
  std::printf("equal sentences differ by at most %.1e\n", seen.worst);
  return seen.worst <= 1e-3 ? 0 : fail("equal sentences, different answers");
}
