# SPDX-License-Identifier: Apache-2.0
"""minic's C interface by ctypes: one program, one context, tensors of its own.
Needs Python alone."""

import ctypes

DL_CPU = 1


class DlTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64)]


class TensorInfo(ctypes.Structure):  # minic_tensor_info
    _fields_ = [("name", ctypes.c_char_p), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("ndim", ctypes.c_int32),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("bytes", ctypes.c_uint64), ("alignment", ctypes.c_uint64)]


class ProgramOptions(ctypes.Structure):  # minic_program_options
    _fields_ = [("struct_size", ctypes.c_size_t),
                ("function", ctypes.c_char_p), ("threads", ctypes.c_int32),
                ("strict_libraries", ctypes.c_int32),
                ("device", ctypes.c_int32)]


class ContextOptions(ctypes.Structure):  # minic_context_options
    _fields_ = [("struct_size", ctypes.c_size_t), ("arena", ctypes.c_void_p),
                ("arena_bytes", ctypes.c_uint64),
                ("parallel_for", ctypes.c_void_p), ("pool", ctypes.c_void_p),
                ("stream", ctypes.c_void_p), ("pooled_arena", ctypes.c_int32),
                ("graph", ctypes.c_int32), ("staging", ctypes.c_int32),
                ("graph_updates", ctypes.c_int32)]


class Tensor:
    """Memory of an input or output: aligned, zero at first."""

    def __init__(self, info):
        self.name, self.bytes = info.name.decode(), info.bytes
        self.dims = info.shape[:info.ndim]
        self.memory = ctypes.create_string_buffer(info.bytes + info.alignment)
        start = ctypes.addressof(self.memory)
        self.address = -(-start // info.alignment) * info.alignment
        self.described = DlTensor(
            data=self.address, device=(DL_CPU, 0), ndim=info.ndim,
            code=info.code, bits=info.bits, lanes=info.lanes, shape=info.shape)

    def write(self, data):
        if len(data) != self.bytes:
            raise ValueError(f"{self.name}: expected {self.bytes} bytes, got "
                             f"{len(data)}")
        ctypes.memmove(self.address, data, self.bytes)

    def read(self):
        return ctypes.string_at(self.address, self.bytes)


class Model:
    """A loaded artifact of a CPU. Failures are RuntimeErrors with the
    runtime's line."""

    def __init__(self, library, artifact, threads=0, parallel_for=None):
        """`threads`: the plan for so many, 0: the first. `parallel_for`: the
        caller's pool, a C function."""
        self.library = ctypes.CDLL(str(library))
        self.library.minic_last_error.restype = ctypes.c_char_p
        self.program, self.context = ctypes.c_void_p(), ctypes.c_void_p()
        options = ProgramOptions(ctypes.sizeof(ProgramOptions),
                                 threads=threads)
        self.check(self.library.minic_program_load(
            str(artifact).encode(), ctypes.byref(options),
            ctypes.byref(self.program)))
        options = ContextOptions(ctypes.sizeof(ContextOptions))
        if parallel_for:
            options.parallel_for = ctypes.cast(parallel_for,
                                               ctypes.c_void_p).value
        self.check(self.library.minic_context_create(
            self.program, ctypes.byref(options), ctypes.byref(self.context)))
        self.inputs = self.tensors("input")
        self.outputs = self.tensors("output")
        # Nothing but the call is left to do in a run.
        run, arguments = self.library.minic_context_run, [self.context]
        for tensors in (self.inputs, self.outputs):
            array = (DlTensor * len(tensors))(
                *(tensor.described for tensor in tensors))
            arguments += [array, ctypes.c_size_t(len(tensors))]
        self.arguments = arguments
        self.run = lambda: run(*arguments)

    def tensors(self, kind):
        count = getattr(self.library, f"minic_program_{kind}_count")
        count.restype = ctypes.c_size_t
        found = []
        for i in range(count(self.program)):
            info = TensorInfo()
            self.check(getattr(self.library, f"minic_program_{kind}")(
                self.program, ctypes.c_size_t(i), ctypes.byref(info)))
            found.append(Tensor(info))
        return found

    def check(self, status):
        if status != 0:
            raise RuntimeError(self.library.minic_last_error().decode())
