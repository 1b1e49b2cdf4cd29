// SPDX-License-Identifier: Apache-2.0
//
// cuDNN's backend interface: descriptors that keep what they are given, and the
// few that know something.

#include "test/unit/runtime/device/cuda/cudnn/FakeCudnn.h"

#include <cuda.h>
#include <cudnn.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

using minic::testing::FakeCudnn;

#define EXPORT extern "C" __attribute__((visibility("default")))

static FakeCudnn state;
EXPORT FakeCudnn *minicFakeCudnn() { return &state; }

static std::mutex mutex; // of `state` and the three below
static std::condition_variable changed;
static int running; // engines being made
static std::set<cudnnHandle_t> busy;

struct cudnnContext {};

namespace {

struct Descriptor;
using Shared = std::shared_ptr<Descriptor>;

struct Attribute {
  std::vector<char> bytes;
  std::vector<Shared> descriptors;
  int64_t count;
};

struct Descriptor {
  cudnnBackendDescriptorType_t type;
  std::map<int, Attribute> attributes;

  Shared child(int name) const { return attributes.at(name).descriptors.at(0); }
  template <typename T> T get(int name) const {
    T value;
    std::memcpy(&value, attributes.at(name).bytes.data(), sizeof(T));
    return value;
  }
  template <typename T> void set(int name, T value) {
    auto *bytes = reinterpret_cast<const char *>(&value);
    attributes[name] = {{bytes, bytes + sizeof(T)}, {}, 1};
  }
};

/// What a cudnnBackendDescriptor_t points to; several may share a descriptor.
struct Reference {
  Shared descriptor;
};

Shared &at(void *descriptor) {
  return static_cast<Reference *>(descriptor)->descriptor;
}

size_t bytesOf(cudnnBackendAttributeType_t type) {
  switch (type) {
  case CUDNN_TYPE_BOOLEAN:
  case CUDNN_TYPE_CHAR:
    return 1;
  case CUDNN_TYPE_HANDLE:
  case CUDNN_TYPE_INT64:
  case CUDNN_TYPE_DOUBLE:
  case CUDNN_TYPE_VOID_PTR:
    return 8;
  default:
    return 4;
  }
}

void needContext() {
  CUcontext current = nullptr;
  if (cuCtxGetCurrent(&current) != CUDA_SUCCESS || !current) {
    ++state.strays;
  }
}

/// The configuration of `engine` for `graph`.
Shared configure(const FakeCudnn::Engine &engine, const Shared &graph) {
  auto config = std::make_shared<Descriptor>();
  auto its = std::make_shared<Descriptor>();
  its->attributes[CUDNN_ATTR_ENGINE_OPERATION_GRAPH] = {{}, {graph}, 1};
  its->set(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, engine.index);
  config->attributes[CUDNN_ATTR_ENGINECFG_ENGINE] = {{}, {its}, 1};
  Attribute &knobs = config->attributes[CUDNN_ATTR_ENGINECFG_KNOB_CHOICES];
  for (auto [type, value] : engine.knobs) {
    auto knob = std::make_shared<Descriptor>();
    knob->set(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, int32_t(type));
    knob->set(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, value);
    knobs.descriptors.push_back(knob);
  }
  knobs.count = int64_t(engine.knobs.size());
  return config;
}

cudnnStatus_t list(Descriptor &query) {
  int mode = query.get<int32_t>(CUDNN_ATTR_ENGINEHEUR_MODE);
  state.asked.push_back(mode);
  auto known = state.heuristics.find(mode);
  if (known == state.heuristics.end()) {
    return CUDNN_STATUS_NOT_SUPPORTED;
  }
  Attribute &results = query.attributes[CUDNN_ATTR_ENGINEHEUR_RESULTS];
  for (const FakeCudnn::Engine &engine : known->second) {
    results.descriptors.push_back(
        configure(engine, query.child(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH)));
  }
  results.count = int64_t(results.descriptors.size());
  return CUDNN_STATUS_SUCCESS;
}

const FakeCudnn::Engine *find(int64_t index) {
  for (const auto &[mode, engines] : state.heuristics) {
    for (const FakeCudnn::Engine &engine : engines) {
      if (engine.index == index) {
        return &engine;
      }
    }
  }
  return nullptr;
}

/// The only thing that takes its time, without the lock.
cudnnStatus_t make(Descriptor &plan, std::unique_lock<std::mutex> &lock) {
  needContext();
  Shared its = plan.child(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG)
                   ->child(CUDNN_ATTR_ENGINECFG_ENGINE);
  auto handle = its->child(CUDNN_ATTR_ENGINE_OPERATION_GRAPH)
                    ->get<cudnnHandle_t>(CUDNN_ATTR_OPERATIONGRAPH_HANDLE);
  auto index = its->get<int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
  const FakeCudnn::Engine *engine = find(index);
  if (!engine) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  state.made.push_back(index);
  state.sharedHandles += !busy.insert(handle).second;
  state.mostAtOnce = std::max(state.mostAtOnce, ++running);
  changed.notify_all();
  bool hasCompany = changed.wait_for(lock, std::chrono::seconds(10), [] {
    return state.mostAtOnce >= state.company;
  });
  if (!hasCompany) {
    state.company = 0; // it is not coming for the others either
  }
  lock.unlock();
  std::this_thread::sleep_for(std::chrono::milliseconds(engine->milliseconds));
  lock.lock();
  --running;
  busy.erase(handle);
  if (engine->behaviour == FakeCudnn::Engine::Throws) {
    throw std::runtime_error("engine " + std::to_string(index) + " throws");
  }
  if (engine->behaviour == FakeCudnn::Engine::IsNotSupported || !hasCompany) {
    return CUDNN_STATUS_NOT_SUPPORTED;
  }
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, engine->workspaceBytes);
  return CUDNN_STATUS_SUCCESS;
}

} // namespace

EXPORT size_t cudnnGetVersion() { return state.version; }
EXPORT const char *cudnnGetErrorString(cudnnStatus_t) { return "fake text"; }
EXPORT void cudnnGetLastErrorString(char *message, size_t bytes) {
  std::strncpy(message, state.lastError.c_str(), bytes);
}

EXPORT cudnnStatus_t cudnnCreate(cudnnHandle_t *handle) {
  std::lock_guard<std::mutex> lock(mutex);
  needContext();
  ++state.handles;
  *handle = new cudnnContext;
  return CUDNN_STATUS_SUCCESS;
}
EXPORT cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  std::lock_guard<std::mutex> lock(mutex);
  needContext();
  --state.handles;
  delete handle;
  return CUDNN_STATUS_SUCCESS;
}
EXPORT cudnnStatus_t cudnnSetStream(cudnnHandle_t, cudaStream_t) {
  return CUDNN_STATUS_SUCCESS;
}

EXPORT cudnnStatus_t cudnnBackendCreateDescriptor(
    cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t *descriptor) {
  auto made = std::make_shared<Descriptor>();
  made->type = type;
  if (type == CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR) {
    made->set(CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT, int64_t(1000));
  }
  *descriptor = new Reference{std::move(made)};
  return CUDNN_STATUS_SUCCESS;
}
EXPORT cudnnStatus_t
cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
  delete static_cast<Reference *>(descriptor);
  return CUDNN_STATUS_SUCCESS;
}

EXPORT cudnnStatus_t cudnnBackendSetAttribute(
    cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
    cudnnBackendAttributeType_t type, int64_t count, const void *elements) {
  Attribute attribute;
  attribute.count = count;
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    auto *given = static_cast<void *const *>(elements);
    for (int64_t i = 0; i < count; ++i) {
      attribute.descriptors.push_back(at(given[i]));
    }
  } else {
    auto *given = static_cast<const char *>(elements);
    attribute.bytes.assign(given, given + count * bytesOf(type));
  }
  at(descriptor)->attributes[name] = std::move(attribute);
  return CUDNN_STATUS_SUCCESS;
}

/// Of what was not set there are none.
EXPORT cudnnStatus_t cudnnBackendGetAttribute(
    const cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
    cudnnBackendAttributeType_t type, int64_t most, int64_t *count,
    void *elements) {
  const auto &attributes = at(descriptor)->attributes;
  auto found = attributes.find(name);
  if (count) {
    *count = found == attributes.end() ? 0 : found->second.count;
  }
  if (found == attributes.end() || !elements) {
    return CUDNN_STATUS_SUCCESS;
  }
  most = std::min(most, found->second.count);
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    auto *into = static_cast<void *const *>(elements);
    for (int64_t i = 0; i < most; ++i) {
      at(into[i]) = found->second.descriptors[i];
    }
  } else {
    std::memcpy(elements, found->second.bytes.data(), most * bytesOf(type));
  }
  return CUDNN_STATUS_SUCCESS;
}

EXPORT cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
  std::unique_lock<std::mutex> lock(mutex);
  Descriptor &made = *at(descriptor);
  switch (made.type) {
  case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
    return list(made);
  case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
    return make(made, lock);
  case CUDNN_BACKEND_TENSOR_DESCRIPTOR:
    if (made.attributes.count(CUDNN_ATTR_TENSOR_IS_BY_VALUE)) {
      state.byValue.insert(made.get<int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID));
    }
    return CUDNN_STATUS_SUCCESS;
  default:
    return CUDNN_STATUS_SUCCESS;
  }
}

/// Reads the tensors given by value, as a launch copies them.
EXPORT cudnnStatus_t cudnnBackendExecute(cudnnHandle_t,
                                         cudnnBackendDescriptor_t,
                                         cudnnBackendDescriptor_t pack) {
  std::lock_guard<std::mutex> lock(mutex);
  const Attribute &ids =
      at(pack)->attributes.at(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  const Attribute &pointers =
      at(pack)->attributes.at(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  state.scalars.clear();
  for (int64_t i = 0; i < ids.count; ++i) {
    int64_t id;
    const uint32_t *pointer;
    std::memcpy(&id, &ids.bytes[i * sizeof(id)], sizeof(id));
    std::memcpy(&pointer, &pointers.bytes[i * sizeof(pointer)],
                sizeof(pointer));
    if (state.byValue.count(id)) {
      state.scalars[id] = *pointer;
    }
  }
  return CUDNN_STATUS_SUCCESS;
}
