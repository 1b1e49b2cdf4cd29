// SPDX-License-Identifier: Apache-2.0

#include "Results.h"

#include "AlignedMemory.h"
#include "Failure.h"

#include <nanobind/ndarray.h>

namespace minic::python {

static nb::dlpack::dtype toNanobind(DLDataType dtype) {
  return {dtype.code, dtype.bits, dtype.lanes};
}

/// `data`, which `owner` frees, as an array of `Kind`.
template <typename Kind>
static nb::object wrap(const TensorSpec &spec, void *data, nb::object owner,
                       DLDevice device, DLDataType dtype) {
  std::vector<size_t> shape(spec.shape.begin(), spec.shape.end());
  return nb::ndarray<Kind>(data, shape.size(), shape.data(), owner,
                           /*strides=*/nullptr, toNanobind(dtype),
                           device.device_type, device.device_id)
      .cast();
}

static nb::object toArray(const TensorSpec &spec, void *data,
                          nb::object owner) {
  if (spec.dtype.code != kDLBfloat) {
    return wrap<nb::numpy>(spec, data, owner, {kDLCPU, 0}, spec.dtype);
  }
  nb::object bfloat16;
  try {
    bfloat16 = nb::module_::import_("ml_dtypes").attr("bfloat16");
  } catch (const nb::python_error &) {
    throw Failure(MINIC_FAILED_PRECONDITION,
                  "'" + spec.name +
                      "' is bf16, which NumPy lacks: install ml_dtypes, or "
                      "pass tensors of a framework that has it");
  }
  return wrap<nb::numpy>(spec, data, owner, {kDLCPU, 0}, {kDLUInt, 16, 1})
      .attr("view")(bfloat16);
}

static nb::object ownerOf(AlignedMemory memory) {
  nb::capsule owner(memory.get(), [](void *data) noexcept { Free()(data); });
  memory.release();
  return owner;
}

nb::object emptyArray(const TensorSpec &spec) {
  for (int64_t size : spec.shape) {
    if (size < 0) {
      refuse("'" + spec.name +
             "': expected fixed sizes to make an array, got " + spec.text());
    }
  }
  AlignedMemory memory = allocateAligned(spec.bytes, spec.alignment);
  void *data = memory.get();
  return toArray(spec, data, ownerOf(std::move(memory)));
}

namespace {

/// Memory of a GPU, which its program frees.
struct DeviceMemory {
  std::shared_ptr<minic_program> program;
  void *data = nullptr;

  ~DeviceMemory() { minic_program_release(program.get(), data); }
};

} // namespace

/// An object of `Kind` in memory of `device`.
template <typename Kind>
static nb::object emptyTensor(const TensorSpec &spec, DLDevice device,
                              const std::shared_ptr<minic_program> &program,
                              void *&data) {
  if (device.device_type == kDLCPU) {
    AlignedMemory memory = allocateAligned(spec.bytes, spec.alignment);
    data = memory.get();
    return wrap<Kind>(spec, data, ownerOf(std::move(memory)), device,
                      spec.dtype);
  }
  auto memory = std::make_unique<DeviceMemory>();
  memory->program = program;
  check(minic_program_allocate(program.get(), spec.bytes, &memory->data));
  data = memory->data;
  nb::capsule owner(memory.get(), [](void *owned) noexcept {
    delete static_cast<DeviceMemory *>(owned);
  });
  memory.release();
  return wrap<Kind>(spec, data, owner, device, spec.dtype);
}

/// A tensor of the framework behind `api`.
static DLManagedTensorVersioned *emptyManaged(const TensorSpec &spec,
                                              DLDevice device,
                                              const DLPackExchangeAPI &api) {
  DLTensor prototype = spec.at(nullptr, device);
  DLManagedTensorVersioned *managed = nullptr;
  std::string reason;
  auto setError = [](void *text, const char *, const char *message) {
    static_cast<std::string *>(text)->assign(message);
  };
  if (api.managed_tensor_allocator(&prototype, &managed, &reason, setError) !=
      0) {
    throw Failure(MINIC_OUT_OF_MEMORY,
                  "output '" + spec.name +
                      "': the framework allocates no tensor: " + reason);
  }
  return managed;
}

Results::~Results() {
  for (Result &result : results) {
    if (result.managed && result.managed->deleter) {
      result.managed->deleter(result.managed);
    }
  }
}

DLTensor Results::add(const TensorSpec &spec) {
  Result result;
  void *data = nullptr;
  if (framework == Framework::exchange) {
    result.managed = emptyManaged(spec, device, *api);
    const DLTensor &tensor = result.managed->dl_tensor;
    data = static_cast<char *>(tensor.data) + tensor.byte_offset;
  } else if (framework == Framework::numpy && device.device_type == kDLCPU) {
    AlignedMemory memory = allocateAligned(spec.bytes, spec.alignment);
    data = memory.get();
    result.object = toArray(spec, data, ownerOf(std::move(memory)));
  } else {
    result.object =
        framework == Framework::torch
            ? emptyTensor<nb::pytorch>(spec, device, program, data)
            : emptyTensor<nb::array_api>(spec, device, program, data);
  }
  results.push_back(std::move(result));
  return spec.at(data, device);
}

nb::object Results::take(size_t index) {
  Result &result = results[index];
  if (!result.managed) {
    return std::move(result.object);
  }
  DLManagedTensorVersioned *managed = std::exchange(result.managed, nullptr);
  void *object = nullptr;
  if (api->managed_tensor_to_py_object_no_sync(managed, &object) != 0) {
    throw nb::python_error();
  }
  return nb::steal(static_cast<PyObject *>(object));
}

} // namespace minic::python
