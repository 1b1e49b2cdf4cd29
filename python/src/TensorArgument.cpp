// SPDX-License-Identifier: Apache-2.0
//
// Four ways to memory, fastest first: DLPack's C functions (PyTorch), Python's
// buffers (NumPy), __array_interface__ for NumPy arrays of ml_dtypes.bfloat16,
// which have no buffer, and __dlpack__ for everything else.

#include "TensorArgument.h"

#include "Failure.h"

#include <nanobind/stl/string.h>

#include <cstring>
#include <string_view>
#include <utility>

namespace minic::python {

static const DLPackExchangeAPI *readExchangeApi(PyObject *type) {
  PyObject *capsule = PyObject_GetAttrString(type, "__dlpack_c_exchange_api__");
  auto *api = capsule
                  ? static_cast<const DLPackExchangeAPI *>(
                        PyCapsule_GetPointer(capsule, "dlpack_exchange_api"))
                  : nullptr;
  Py_XDECREF(capsule);
  if (!api) {
    PyErr_Clear();
    return nullptr;
  }
  return api->header.version.major == DLPACK_MAJOR_VERSION ? api : nullptr;
}

const DLPackExchangeAPI *exchangeApiOf(nb::handle object) {
  // NumPy has none; an attribute that is missing costs an exception.
  if (PyObject_CheckBuffer(object.ptr())) {
    return nullptr;
  }
  // Asking the type costs as much as the rest of a call, and programs use one
  // type. Guarded by the GIL; the type is kept.
  static PyObject *lastType = nullptr;
  static const DLPackExchangeAPI *lastApi = nullptr;
  auto *type = reinterpret_cast<PyObject *>(Py_TYPE(object.ptr()));
  if (type != lastType) {
    const DLPackExchangeAPI *api = readExchangeApi(type);
    Py_INCREF(type);
    PyObject *before = std::exchange(lastType, type);
    lastApi = api;
    Py_XDECREF(before);
  }
  return lastApi;
}

bool isTorch(nb::handle object) {
  nb::object module = nb::getattr(object.type(), "__module__", nb::none());
  return nb::isinstance<nb::str>(module) &&
         std::string_view(nb::cast<const char *>(module)).substr(0, 5) ==
             "torch";
}

TensorArgument::~TensorArgument() {
  if (buffer.obj) {
    PyBuffer_Release(&buffer);
  }
}

/// The Python error that is set, as text; it is cleared.
static std::string takeError() {
  nb::python_error error;
  return nb::str(error.value()).c_str();
}

static DLDataType parseFormat(const char *format, Py_ssize_t itemBytes) {
  const char *code = format ? format : "B";
  if (*code == '@' || *code == '=' || *code == '<' || *code == '|') {
    ++code;
  }
  uint8_t bits = uint8_t(8 * itemBytes);
  if (code[0] == 'Z' && code[1] && !code[2]) {
    return {kDLComplex, bits, 1};
  }
  if (*code && !code[1]) {
    if (*code == '?') {
      return {kDLBool, bits, 1};
    }
    if (std::strchr("efd", *code)) {
      return {kDLFloat, bits, 1};
    }
    if (std::strchr("bhilqn", *code)) {
      return {kDLInt, bits, 1};
    }
    if (std::strchr("BHILQN", *code)) {
      return {kDLUInt, bits, 1};
    }
  }
  refuse("expected elements of one machine type, got the format '" +
         std::string(format ? format : "") + "'");
}

/// Whether it is a NumPy array of ml_dtypes.bfloat16.
static bool isBfloatArray(nb::handle object) {
  if (!nb::hasattr(object, "__array_interface__")) {
    return false;
  }
  nb::object dtype = nb::getattr(object, "dtype", nb::none());
  return std::string_view(nb::str(dtype).c_str()) == "bfloat16";
}

bool TensorArgument::borrowBuffer(nb::handle object) {
  if (PyObject_GetBuffer(object.ptr(), &buffer, PyBUF_RECORDS_RO) != 0) {
    return false;
  }
  if (buffer.ndim > maxRank) {
    refuse("expected at most " + std::to_string(maxRank) + " dimensions, got " +
           std::to_string(buffer.ndim));
  }
  static_assert(sizeof(Py_ssize_t) == sizeof(int64_t));
  tensor = {buffer.buf,
            {kDLCPU, 0},
            buffer.ndim,
            parseFormat(buffer.format, buffer.itemsize),
            reinterpret_cast<int64_t *>(buffer.shape),
            nullptr,
            0};
  isReadOnly = buffer.readonly;
  if (!PyBuffer_IsContiguous(&buffer, 'C')) {
    for (int i = 0; i < buffer.ndim; ++i) {
      strides[i] = buffer.strides[i] / buffer.itemsize;
    }
    tensor.strides = strides.data();
  }
  return true;
}

void TensorArgument::borrowBfloats(nb::handle object) {
  nb::object interface = object.attr("__array_interface__");
  auto data = nb::cast<nb::tuple>(interface["data"]);
  auto dims = nb::cast<nb::tuple>(interface["shape"]);
  if (dims.size() > maxRank) {
    refuse("expected at most " + std::to_string(maxRank) + " dimensions, got " +
           std::to_string(dims.size()));
  }
  tensor = {reinterpret_cast<void *>(nb::cast<uintptr_t>(data[0])),
            {kDLCPU, 0},
            int32_t(dims.size()),
            {kDLBfloat, 16, 1},
            shape.data(),
            nullptr,
            0};
  isReadOnly = nb::cast<bool>(data[1]);
  nb::object byteStrides = interface["strides"];
  for (size_t i = 0; i < dims.size(); ++i) {
    shape[i] = nb::cast<int64_t>(dims[i]);
    if (!byteStrides.is_none()) {
      strides[i] = nb::cast<int64_t>(byteStrides[i]) / 2;
      tensor.strides = strides.data();
    }
  }
}

/// What __dlpack__ calls the stream.
static nb::object toStreamNumber(void *stream) {
  constexpr int legacyDefault = 1;
  return stream ? nb::int_(reinterpret_cast<uintptr_t>(stream))
                : nb::int_(legacyDefault);
}

void TensorArgument::borrowCapsule(nb::handle object, void *stream) {
  auto place = nb::cast<nb::tuple>(object.attr("__dlpack_device__")());
  nb::dict arguments;
  if (nb::cast<int>(place[0]) == kDLCUDA) {
    arguments["stream"] = toStreamNumber(stream);
  }
  nb::object dlpack = object.attr("__dlpack__");
  try {
    nb::dict versioned;
    versioned.update(arguments);
    versioned["max_version"] = nb::make_tuple(1, 0);
    owner = dlpack(**versioned);
  } catch (nb::python_error &error) {
    if (!error.matches(PyExc_TypeError)) {
      throw;
    }
    owner = dlpack(**arguments); // from before DLPack 1.0
  }
  // The capsule stays ours: it frees the view when it is dropped.
  if (PyCapsule_IsValid(owner.ptr(), "dltensor_versioned")) {
    auto *managed = static_cast<DLManagedTensorVersioned *>(
        PyCapsule_GetPointer(owner.ptr(), "dltensor_versioned"));
    if (managed->version.major != DLPACK_MAJOR_VERSION) {
      refuse("expected DLPack 1, got DLPack " +
             std::to_string(managed->version.major));
    }
    tensor = managed->dl_tensor;
    isReadOnly = managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY;
  } else if (PyCapsule_IsValid(owner.ptr(), "dltensor")) {
    tensor = static_cast<DLManagedTensor *>(
                 PyCapsule_GetPointer(owner.ptr(), "dltensor"))
                 ->dl_tensor;
  } else {
    refuse("its __dlpack__ returned no DLPack capsule");
  }
}

void TensorArgument::borrowOther(nb::handle object, void *stream) {
  bool hasBuffer = PyObject_CheckBuffer(object.ptr());
  if (hasBuffer && borrowBuffer(object)) {
    return;
  }
  std::string reason = hasBuffer ? takeError() : "";
  if (isBfloatArray(object)) {
    borrowBfloats(object);
  } else if (nb::hasattr(object, "__dlpack__")) {
    framework = isTorch(object) ? Framework::torch : Framework::dlpack;
    borrowCapsule(object, stream);
  } else if (hasBuffer) {
    refuse(reason);
  } else {
    refuse("expected an array or tensor, got " +
           nb::cast<std::string>(object.type().attr("__name__")));
  }
}

void TensorArgument::borrow(nb::handle object, const char *role,
                            const std::string &name, void *stream) {
  try {
    if (const DLPackExchangeAPI *api = exchangeApiOf(object)) {
      framework = Framework::exchange;
      if (api->dltensor_from_py_object_no_sync(object.ptr(), &tensor) != 0) {
        refuse(takeError());
      }
    } else {
      borrowOther(object, stream);
    }
  } catch (const nb::python_error &error) {
    refuse(std::string(role) + " '" + name +
           "': " + nb::str(error.value()).c_str());
  } catch (const Failure &failure) {
    refuse(std::string(role) + " '" + name + "': " + failure.what());
  }
}

} // namespace minic::python
