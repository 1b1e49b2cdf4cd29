# SPDX-License-Identifier: Apache-2.0
"""An entry whose sizes vary, called through minic's C interface, on a CPU or a GPU.
Needs Python alone."""

import ctypes

import minic_library
from minic_library import ContextOptions, DlTensor, ProgramOptions, TensorInfo

DL_CPU, DL_CUDA = 1, 2


class Gpu:
    """Memory of the first GPU, by the driver."""

    def __init__(self):
        self.driver = ctypes.CDLL("libcuda.so.1")
        context, device = ctypes.c_void_p(), ctypes.c_int()
        self.check(self.driver.cuInit(0))
        self.check(self.driver.cuDeviceGet(ctypes.byref(device), 0))
        self.check(self.driver.cuDevicePrimaryCtxRetain(ctypes.byref(context),
                                                        device))
        self.check(self.driver.cuCtxSetCurrent(context))

    def check(self, status):
        if status != 0:
            raise RuntimeError(f"CUDA driver: error {status}")

    def allocate(self, size):
        address = ctypes.c_uint64()
        self.check(self.driver.cuMemAlloc_v2(ctypes.byref(address),
                                             ctypes.c_size_t(max(size, 1))))
        self.check(self.driver.cuMemsetD8_v2(
            address, ctypes.c_ubyte(0), ctypes.c_size_t(max(size, 1))))
        return address.value

    def create_stream(self):
        """One that does not wait for the legacy default stream."""
        stream = ctypes.c_void_p()
        self.check(self.driver.cuStreamCreate(ctypes.byref(stream), 1))
        return stream

    def used_bytes(self):
        """Of the whole device."""
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self.check(self.driver.cuMemGetInfo_v2(ctypes.byref(free),
                                               ctypes.byref(total)))
        return total.value - free.value


class Entry:
    """A program with its context. Tensors have room for the largest sizes and
    are zero. Failures are RuntimeErrors with the runtime's line."""

    def __init__(self, library, artifact, function="main", gpu=None,
                 threads=0, beside=None):
        """`beside`: another Entry of the same file, which shares it."""
        self.gpu = gpu
        self.library = ctypes.CDLL(str(library))
        self.library.minic_last_error.restype = ctypes.c_char_p
        self.program, self.context = ctypes.c_void_p(), ctypes.c_void_p()
        options = ProgramOptions(ctypes.sizeof(ProgramOptions),
                                 function=function.encode(), threads=threads)
        if beside:
            self.check(self.library.minic_program_load_function(
                beside.program, ctypes.byref(options),
                ctypes.byref(self.program)))
        else:
            self.check(self.library.minic_program_load(
                str(artifact).encode(), ctypes.byref(options),
                ctypes.byref(self.program)))
        options = ContextOptions(ctypes.sizeof(ContextOptions))
        self.check(self.library.minic_context_create(
            self.program, ctypes.byref(options), ctypes.byref(self.context)))

    check = minic_library.Model.check

    def allocate(self):
        self.inputs = self.tensors("input")
        self.outputs = self.tensors("output")
        in_place = self.library.minic_program_in_place_input
        in_place.restype = ctypes.c_int64
        for i, (info, _, _) in enumerate(self.outputs):
            updated = in_place(self.program, ctypes.c_size_t(i))
            if updated >= 0:
                self.outputs[i] = (info, *self.inputs[updated][1:])

    def tensors(self, kind):
        count = getattr(self.library, f"minic_program_{kind}_count")
        count.restype = ctypes.c_size_t
        found = []
        for i in range(count(self.program)):
            info = TensorInfo()
            self.check(getattr(self.library, f"minic_program_{kind}")(
                self.program, ctypes.c_size_t(i), ctypes.byref(info)))
            if self.gpu:
                memory, address = None, self.gpu.allocate(info.bytes)
            else:
                memory = ctypes.create_string_buffer(info.bytes + 64)
                address = -(-ctypes.addressof(memory) // 64) * 64
            found.append((info, address, memory))
        return found

    def described(self, tensors, size):
        """Each open dimension is `size`."""
        array, kept = (DlTensor * len(tensors))(), []
        for place, (info, address, _) in zip(array, tensors):
            dims = [size if d < 0 else d for d in info.shape[:info.ndim]]
            shape = (ctypes.c_int64 * max(1, info.ndim))(*dims)
            kept.append(shape)
            place.data, place.ndim, place.shape = address, info.ndim, shape
            place.device = (DL_CUDA if self.gpu else DL_CPU, 0)
            place.code, place.bits, place.lanes = (info.code, info.bits,
                                                   info.lanes)
        return array, kept

    def call(self, size):
        """One run, waited for."""
        inputs, kept = self.described(self.inputs, size)
        outputs, more = self.described(self.outputs, size)
        self.check(self.library.minic_context_run(
            self.context, inputs, ctypes.c_size_t(len(self.inputs)), outputs,
            ctypes.c_size_t(len(self.outputs))))
        self.check(self.library.minic_context_synchronize(self.context))
