#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command in which opening a socket is death.

A seccomp filter ends the process, and each of its children, with SIGSYS at the
first socket() or io_uring_setup(), or at a call of the 32-bit tables.

Usage: without_network.py COMMAND ARGUMENT...
"""

import ctypes
import os
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, FILTER = 38, 22, 2
LOAD, JUMP_EQUAL, JUMP_AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
KILL_PROCESS, ALLOW = 0x80000000, 0x7FFF0000
X86_64, X32_TABLE = 0xC000003E, 0x40000000
SOCKET, IO_URING_SETUP = 41, 425


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]


def forbid_sockets():
    # Of struct seccomp_data: the number at 0, the architecture at 4.
    code = b"".join(struct.pack("=HBBI", *instruction) for instruction in [
        (LOAD, 0, 0, 4),
        (JUMP_EQUAL, 0, 4, X86_64),
        (LOAD, 0, 0, 0),
        (JUMP_AT_LEAST, 2, 0, X32_TABLE),
        (JUMP_EQUAL, 1, 0, SOCKET),
        (JUMP_EQUAL, 0, 1, IO_URING_SETUP),
        (RETURN, 0, 0, KILL_PROCESS),
        (RETURN, 0, 0, ALLOW),
    ])
    libc = ctypes.CDLL(None, use_errno=True)
    for arguments in ((PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
                      (PR_SET_SECCOMP, FILTER,
                       ctypes.byref(Program(len(code) // 8, code)), 0, 0)):
        if libc.prctl(*arguments) != 0:
            sys.exit("without_network: error: the kernel takes no filter: "
                     + os.strerror(ctypes.get_errno()))


if __name__ == "__main__":
    forbid_sockets()
    os.execvp(sys.argv[1], sys.argv[1:])
