# SPDX-License-Identifier: Apache-2.0
# minic::mlir_headers and minic::mlir_link: MLIR, LLVM and lld linked
# statically, so that the compiler can be carried to another machine.
#
# Debian's exported CMake targets pull in libLLVM.so beside the static archives,
# so the archives are named here directly; the two must never be mixed.

file(STRINGS ${CMAKE_SOURCE_DIR}/third_party/LLVM.version MINIC_LLVM_VERSION)
find_program(MINIC_LLVM_CONFIG
  NAMES llvm-config-${MINIC_LLVM_VERSION} REQUIRED)

function(_llvm_config result)
  execute_process(COMMAND ${MINIC_LLVM_CONFIG} ${ARGN}
    OUTPUT_VARIABLE out OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  set(${result} "${out}" PARENT_SCOPE)
endfunction()

_llvm_config(MINIC_LLVM_INCLUDE --includedir)
_llvm_config(MINIC_LLVM_LIBDIR --libdir)
_llvm_config(MINIC_LLVM_TOOLS --bindir)
_llvm_config(_llvm_libs --link-static --libs
  x86 nvptx passes asmparser bitwriter lto option windowsdriver targetparser)

# Debian builds LLVM with Polly registered but does not ship its archives.
separate_arguments(_llvm_libs UNIX_COMMAND "${_llvm_libs}")
list(FILTER _llvm_libs EXCLUDE REGEX "Polly")

file(GLOB _mlir_libs ${MINIC_LLVM_LIBDIR}/libMLIR*.a)
list(FILTER _mlir_libs EXCLUDE REGEX
  "libMLIR(.*CAPI.*|.*Test.*|MlirOpt.*|Lsp.*|.*Opt(Lib|Main)|Query.*|Reduce.*|TableGen|Tblgen.*|.*Runner.*|ExecutionEngine.*|PDLL.*)\\.a$")
# mlir-opt's driver is what minic-opt is a thin main over.
list(APPEND _mlir_libs ${MINIC_LLVM_LIBDIR}/libMLIROptLib.a)

add_library(minic_mlir_headers INTERFACE)
add_library(minic::mlir_headers ALIAS minic_mlir_headers)
target_include_directories(minic_mlir_headers SYSTEM INTERFACE
  ${MINIC_LLVM_INCLUDE})
target_compile_definitions(minic_mlir_headers INTERFACE
  _GNU_SOURCE __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS __STDC_LIMIT_MACROS)

add_library(minic_mlir_link STATIC
  ${CMAKE_SOURCE_DIR}/cmake/LLVMStaticStubs.cpp
  ${CMAKE_SOURCE_DIR}/cmake/OldGlibc.cpp)
add_library(minic::mlir_link ALIAS minic_mlir_link)
target_link_libraries(minic_mlir_link PRIVATE minic::mlir_headers INTERFACE
  -Wl,--start-group ${_mlir_libs}
  ${MINIC_LLVM_LIBDIR}/liblldELF.a ${MINIC_LLVM_LIBDIR}/liblldCommon.a
  ${MINIC_LLVM_LIBDIR}/libLLVMDTLTO.a ${_llvm_libs} -Wl,--end-group
  -l:libz.a -l:libzstd.a -lrt -ldl -lm Threads::Threads)
target_link_directories(minic_mlir_link INTERFACE ${MINIC_LLVM_LIBDIR})
