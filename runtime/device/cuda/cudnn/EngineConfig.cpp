// SPDX-License-Identifier: Apache-2.0
//
// Engines, knobs and numerical notes.

#include "runtime/device/cuda/cudnn/EngineConfig.h"

namespace minic::runtime {

absl::StatusOr<EngineConfig>
EngineConfig::create(const EngineChoice &choice, cudnnBackendDescriptor_t graph,
                     std::shared_ptr<const fe::DeviceProperties> properties) {
  fe::detail::backend_descriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  if (auto error =
          fe::detail::create_engine(engine, choice.engine, graph, properties);
      error.is_bad()) {
    return absl::InvalidArgumentError(error.get_message());
  }
  std::vector<fe::detail::backend_descriptor> knobs;
  for (auto [type, value] : choice.knobs) {
    fe::detail::backend_descriptor knob(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
    auto rawType = cudnnBackendKnobType_t(type);
    if (type < 0 || type >= CUDNN_KNOB_TYPE_COUNTS ||
        fe::detail::set_attribute(
            knob.get_ptr(), CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE,
            CUDNN_TYPE_KNOB_TYPE, 1, &rawType) != CUDNN_STATUS_SUCCESS ||
        fe::detail::set_attribute(
            knob.get_ptr(), CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64,
            1, &value) != CUDNN_STATUS_SUCCESS ||
        fe::detail::finalize(knob.get_ptr()) != CUDNN_STATUS_SUCCESS) {
      return absl::InvalidArgumentError(
          absl::StrCat("knob ", type, "=", value));
    }
    knobs.push_back(std::move(knob));
  }
  auto config =
      fe::make_shared_backend_pointer(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  if (auto error = fe::detail::create_engine_config(config, engine, knobs);
      error.is_bad()) {
    return error.get_code() == fe::error_code_t::GRAPH_NOT_SUPPORTED
               ? absl::UnimplementedError(error.get_message())
               : absl::InvalidArgumentError(error.get_message());
  }
  return EngineConfig{std::move(config)};
}

EngineChoice EngineConfig::choice() const {
  auto get = [](cudnnBackendDescriptor_t from, cudnnBackendAttributeName_t name,
                cudnnBackendAttributeType_t type, int64_t most, void *into) {
    int64_t count = 0;
    cudnnStatus_t status =
        fe::detail::get_attribute(from, name, type, most, &count, into);
    if (status != CUDNN_STATUS_SUCCESS) {
      throw fe::cudnnException("engine of a configuration", status);
    }
    return count;
  };
  EngineChoice choice;
  auto engine =
      fe::make_shared_backend_pointer(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  cudnnBackendDescriptor_t rawEngine = engine->get_backend_descriptor();
  cudnnBackendDescriptor_t rawConfig = descriptor->get_backend_descriptor();
  get(rawConfig, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
      &rawEngine);
  get(rawEngine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1,
      &choice.engine);
  std::vector<fe::ManagedOpaqueDescriptor> knobs;
  std::vector<cudnnBackendDescriptor_t> rawKnobs;
  for (int i = 0; i < CUDNN_KNOB_TYPE_COUNTS; ++i) {
    knobs.push_back(
        fe::make_shared_backend_pointer(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR));
    rawKnobs.push_back(knobs.back()->get_backend_descriptor());
  }
  int64_t count =
      get(rawConfig, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
          CUDNN_TYPE_BACKEND_DESCRIPTOR, rawKnobs.size(), rawKnobs.data());
  for (int64_t i = 0; i < count; ++i) {
    cudnnBackendKnobType_t type;
    int64_t value;
    get(rawKnobs[i], CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, 1,
        &type);
    get(rawKnobs[i], CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, 1,
        &value);
    choice.knobs.emplace_back(int64_t(type), value);
  }
  return choice;
}

bool EngineNumerics::allow(cudnnBackendDescriptor_t config) const {
  // Not 4x4 alone: every transformed product mixes neighbours.
  return !fe::hasNumericalNote<CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS>(
             config) &&
         !fe::hasNumericalNote<
             CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION>(config) &&
         !fe::hasNumericalNote<CUDNN_NUMERICAL_NOTE_FFT>(config) &&
         !fe::hasNumericalNote<CUDNN_NUMERICAL_NOTE_WINOGRAD>(config) &&
         // Tensor cores take no f32.
         (!isF32 || allowsTf32 ||
          !fe::hasNumericalNote<CUDNN_NUMERICAL_NOTE_TENSOR_CORE>(config));
}

} // namespace minic::runtime
