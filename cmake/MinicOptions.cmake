# SPDX-License-Identifier: Apache-2.0
# Build options and the flags that every minic target shares.

option(MINIC_BUILD_COMPILER
  "Build dialects, passes and compiler (needs LLVM/MLIR); OFF: runtime only" ON)
option(MINIC_BUILD_CUDA
  "Build the CUDA device (needs CUDA's headers; the driver is opened at run time)"
  ON)
set(MINIC_SANITIZE "" CACHE STRING
  "Sanitizers for all minic code, for example 'address,undefined' or 'thread'")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

add_compile_options(-Wall -Wextra -Wno-unused-parameter -Werror=return-type
  -Werror=switch -ffunction-sections -fdata-sections)

if(MINIC_SANITIZE)
  add_compile_options(-fsanitize=${MINIC_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${MINIC_SANITIZE})
endif()

# Either ccache or precompiled headers: see PrecompiledHeaders.cmake.
find_program(MINIC_CCACHE ccache)
if(MINIC_CCACHE AND NOT DEFINED ENV{CCACHE_DISABLE})
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${MINIC_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${MINIC_CCACHE})
endif()
