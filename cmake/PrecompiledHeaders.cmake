# SPDX-License-Identifier: Apache-2.0
# Headers of other projects, of the dialects and of what most files of the compiler
# include, parsed once instead of in every translation unit: a cold build spends most
# of its time there.
#
# Not where ccache is used: it shares objects between checkouts, while a
# precompiled header names the checkout that it was made in. Builds with ccache
# also are what finds a missing #include.

set(_status_headers <algorithm> <functional> <map> <memory> <optional> <string>
  <vector> <absl/status/statusor.h> <absl/strings/str_cat.h>
  <absl/strings/str_format.h> <absl/strings/str_join.h> <absl/types/span.h>
  <flatbuffers/flatbuffers.h> <nlohmann/json.hpp>
  ${CMAKE_BINARY_DIR}/runtime/format/plan_generated.h)
set(_mlir_headers ${_status_headers} <mlir/Bytecode/BytecodeImplementation.h>
  <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Func/IR/FuncOps.h>
  <mlir/Dialect/LLVMIR/LLVMDialect.h> <mlir/Dialect/LLVMIR/NVVMDialect.h>
  <mlir/Dialect/Math/IR/Math.h> <mlir/Dialect/SCF/IR/SCF.h>
  <mlir/Dialect/Vector/IR/VectorOps.h> <mlir/IR/BuiltinOps.h>
  <mlir/IR/PatternMatch.h> <mlir/Pass/Pass.h> <llvm/Support/Error.h>)
set(_dialect_headers dialects/graph/Graph.h dialects/kernel/Kernel.h
  dialects/kernel/FusionShape.h dialects/plan/Plan.h compiler/target/KernelFamily.h)
list(TRANSFORM _dialect_headers PREPEND ${CMAKE_SOURCE_DIR}/)
set(_dialect_tables minic_graph_inc minic_graph_interfaces_inc minic_kernel_inc
  minic_plan_inc)

# _precompile(name HEADERS ... [DEPS ...] [POSITION -fPIE]): what targets reuse.
# Programs are compiled with -fPIE, libraries with -fPIC, and neither can use
# what was precompiled for the other.
function(_precompile name)
  cmake_parse_arguments(ARG "" "POSITION" "HEADERS;DEPS" ${ARGN})
  add_library(${name} OBJECT EXCLUDE_FROM_ALL
    ${CMAKE_SOURCE_DIR}/cmake/PrecompiledHeaders.cpp)
  target_include_directories(${name} PRIVATE
    ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
  add_dependencies(${name} minic_plan_fbs)
  target_compile_options(${name} PRIVATE ${ARG_POSITION})
endfunction()

_precompile(minic_library_headers HEADERS ${_status_headers})
_precompile(minic_test_headers HEADERS ${_status_headers} <gmock/gmock.h>
  DEPS GTest::gmock POSITION -fPIE)
minic_compile_quickly(minic_test_headers)
if(MINIC_BUILD_COMPILER)
  _precompile(minic_mlir_library_headers
    HEADERS ${_mlir_headers} ${_dialect_headers} DEPS minic::mlir_headers)
  _precompile(minic_mlir_test_headers
    HEADERS ${_mlir_headers} ${_dialect_headers} <mlir/Parser/Parser.h>
      <gmock/gmock.h>
    DEPS minic::mlir_headers GTest::gmock POSITION -fPIE)
  add_dependencies(minic_mlir_library_headers ${_dialect_tables})
  minic_compile_quickly(minic_mlir_test_headers)
  add_dependencies(minic_mlir_test_headers ${_dialect_tables})
endif()
