// SPDX-License-Identifier: Apache-2.0
//
// Generates text with gpt2_cached or llama_cached of examples/models: always
// the likeliest token. Prints the tokens' ids, and how many a second. Usage:
// generate model.minic COUNT ID...   COUNT more after the prompt's IDs
//
// Keys and values of earlier tokens stay in buffers of this program. Both
// functions get one tensor as a cache and as its update, and write only what
// is new. On a GPU they never leave it.

#include <minic/minic.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Tokens = std::vector<int64_t>;

int fail(const std::string &why) {
  std::fprintf(stderr, "generate: %s\n", why.c_str());
  return 1;
}

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// By the names of inputs, which both functions give alike.
using Caches = std::map<std::string, minic::DeviceBuffer>;

/// One function with its tensors: caches that it shares, the rest its own.
class Step {
public:
  static minic::Result<Step> create(const minic::Program &program,
                                    Caches &caches) {
    auto context = minic::Context::create(program);
    if (!context.ok()) {
      return context.status();
    }
    Step step(std::move(*context));
    std::vector<minic::TensorInfo> inputs = program.inputs(),
                                   outputs = program.outputs();
    std::vector<bool> isCache(inputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (auto input = program.inPlaceInput(i)) {
        isCache[*input] = true;
      }
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      auto known = caches.find(inputs[i].name);
      if (isCache[i] && known != caches.end()) {
        step.inputs.push_back(known->second.tensor());
        continue;
      }
      auto buffer = minic::DeviceBuffer::create(program, inputs[i]);
      if (!buffer.ok()) {
        return buffer.status();
      }
      step.inputs.push_back(buffer->tensor());
      if (isCache[i]) {
        caches.emplace(inputs[i].name, std::move(*buffer));
      } else {
        step.own.push_back(std::move(*buffer));
      }
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (auto input = program.inPlaceInput(i)) {
        step.outputs.push_back(step.inputs[*input]);
        continue;
      }
      auto buffer = minic::DeviceBuffer::create(program, outputs[i]);
      if (!buffer.ok()) {
        return buffer.status();
      }
      step.outputs.push_back(buffer->tensor());
      step.own.push_back(std::move(*buffer));
    }
    return step;
  }

  /// The likeliest token after `ids`, of which the last one stands at
  /// `position`.
  minic::Result<int64_t> run(const Tokens &ids, int64_t position) {
    auto status = own[0].copyFrom(ids.data());
    status = status.ok() ? own[1].copyFrom(&position) : status;
    status = status.ok() ? context.run(inputs, outputs) : status;
    status = status.ok() ? context.synchronize() : status;
    std::vector<float> logits(own[2].bytes() / sizeof(float));
    status = status.ok() ? own[2].copyTo(logits.data()) : status;
    if (!status.ok()) {
      return status;
    }
    return std::max_element(logits.begin(), logits.end()) - logits.begin();
  }

private:
  explicit Step(minic::Context context) : context(std::move(context)) {}

  minic::Context context;
  std::vector<minic::DeviceBuffer> own; // ids, a position, logits
  std::vector<DLTensor> inputs, outputs;
};

/// Reads COUNT and IDs; false where one is no number from 0 on.
bool readNumbers(int argc, char **argv, Tokens &numbers) {
  for (int i = 2; i < argc; ++i) {
    char *end = nullptr;
    numbers.push_back(std::strtoll(argv[i], &end, 10));
    if (end == argv[i] || *end || numbers.back() < 0) {
      return false;
    }
  }
  return numbers.size() >= 2;
}

/// Whether the artifact's functions are what this program knows; else why not.
std::string misfit(const minic::Program &prefill,
                   const minic::Program &decode) {
  auto in = prefill.inputs(), one = decode.inputs(), out = decode.outputs();
  bool fits = in.size() >= 3 && one.size() == in.size() && !out.empty() &&
              in[0].ndim == 2 && in[0].shape[0] == 1 && one[2].ndim == 4 &&
              decode.inPlaceInput(1) == 2 && in[0].dtype.bits == 64 &&
              in[1].bytes == sizeof(int64_t);
  if (!fits) {
    return "expected the functions of gpt2_cached, with a batch of 1";
  }
  return out[0].dtype.bits == 32 ? "" : "expected a model of f32";
}

} // namespace

int main(int argc, char **argv) {
  Tokens tokens;
  if (argc < 4 || !readNumbers(argc, argv, tokens)) {
    std::fprintf(stderr, "usage: %s model.minic COUNT ID...\n", argv[0]);
    return 2;
  }
  size_t count = size_t(tokens.front());
  tokens.erase(tokens.begin());

  minic::ProgramOptions options;
  options.function = "prefill";
  auto prefill = minic::Program::load(argv[1], options);
  if (!prefill.ok()) {
    return fail(prefill.message());
  }
  options.function = "decode";
  auto decode = prefill->loadFunction(options); // shares file and weights
  if (!decode.ok()) {
    return fail(decode.message());
  }
  if (std::string why = misfit(*prefill, *decode); !why.empty()) {
    return fail(why);
  }
  size_t longest = size_t(prefill->inputs()[0].shape[1]);
  size_t positions = size_t(decode->inputs()[2].shape[2]);
  if (tokens.size() > longest || count > positions + 1 - tokens.size()) {
    return fail("expected a prompt of at most " + std::to_string(longest) +
                " tokens and " + std::to_string(positions + 1) + " in all");
  }

  Caches caches;
  auto first = Step::create(*prefill, caches);
  auto next = first.ok() ? Step::create(*decode, caches) : first.status();
  if (!next.ok()) {
    return fail(next.message());
  }

  // The whole prompt at once; what pads it is never looked at.
  Tokens padded = tokens;
  padded.resize(longest);
  auto start = Clock::now();
  auto token = first->run(padded, int64_t(tokens.size()) - 1);
  double promptSeconds = secondsSince(start);
  start = Clock::now();
  for (size_t i = 0; i < count && token.ok(); ++i) {
    tokens.push_back(*token);
    if (i + 1 < count) {
      token = next->run({*token}, int64_t(tokens.size()) - 1);
    }
  }
  double seconds = secondsSince(start);
  if (!token.ok()) {
    return fail(token.message());
  }
  for (int64_t id : tokens) {
    std::printf("%lld ", static_cast<long long>(id));
  }
  std::printf("\nprompt: %.1f ms; then %.1f tokens a second\n",
              promptSeconds * 1e3,
              count > 1 ? double(count - 1) / seconds : 0.0);
}
