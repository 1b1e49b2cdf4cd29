# SPDX-License-Identifier: Apache-2.0
# Finds what third_party/README.md lists. Compiler-only dependencies are looked
# for only where the compiler is built, so that the runtime-only preset
# configures on a machine without LLVM.

find_package(Threads REQUIRED)
find_package(absl REQUIRED)
include(AbseilStatic)
find_package(Flatbuffers REQUIRED NAMES FlatBuffers Flatbuffers)
find_program(MINIC_FLATC flatc REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(GTest REQUIRED)
find_path(MINIC_XXHASH_INCLUDE xxhash.h REQUIRED)
find_path(MINIC_ONEDNN_INCLUDE dnnl.h REQUIRED)
# For SHA-256. Static where there is one, as Abseil: few of its objects are used.
find_package(OpenSSL 3 REQUIRED COMPONENTS Crypto)
find_library(MINIC_CRYPTO_STATIC NAMES libcrypto.a)
if(MINIC_CRYPTO_STATIC)
  set_target_properties(OpenSSL::Crypto PROPERTIES
    IMPORTED_LOCATION ${MINIC_CRYPTO_STATIC})
endif()

# Types only, as oneDNN's: the libraries are opened at run time. From a CUDA
# toolkit, or the wheels that third_party/install.sh puts into .venv.
if(MINIC_BUILD_CUDA)
  # install.sh may have moved from wheels to a toolkit or back since.
  foreach(found MINIC_CUDA_INCLUDE MINIC_CUDNN_INCLUDE)
    if(DEFINED ${found} AND NOT EXISTS "${${found}}")
      unset(${found} CACHE)
    endif()
  endforeach()
  file(GLOB MINIC_CUDA_WHEELS
    ${CMAKE_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/cu13/include)
  find_path(MINIC_CUDA_INCLUDE cuda.h HINTS ${MINIC_CUDA_WHEELS}
    PATHS $ENV{CUDA_HOME}/include /usr/local/cuda/include REQUIRED)
  # Of the wheels cuDNN's headers have a folder of their own.
  file(GLOB MINIC_CUDNN_WHEEL
    ${CMAKE_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/cudnn/include)
  find_path(MINIC_CUDNN_INCLUDE cudnn.h
    HINTS ${MINIC_CUDNN_WHEEL} ${MINIC_CUDA_INCLUDE} REQUIRED)
  set(MINIC_CUDA_INCLUDES ${MINIC_CUDA_INCLUDE} ${MINIC_CUDNN_INCLUDE})
  list(REMOVE_DUPLICATES MINIC_CUDA_INCLUDES)
  file(GLOB MINIC_CUDNN_FRONTEND_WHEEL
    ${CMAKE_SOURCE_DIR}/.venv/lib/python3*/site-packages/include)
  find_path(MINIC_CUDNN_FRONTEND_INCLUDE cudnn_frontend.h
    HINTS ${MINIC_CUDNN_FRONTEND_WHEEL} REQUIRED)
endif()

find_package(SQLite3)
option(MINIC_BUILD_TUNER
  "Build the tuner's LLVM-free core and minic-tune (needs SQLite)"
  ${SQLite3_FOUND})
if(MINIC_BUILD_COMPILER)
  set(MINIC_BUILD_TUNER ON)
endif()
if(MINIC_BUILD_TUNER)
  find_package(SQLite3 REQUIRED)
  # Static where there is one, as the rest of the compiler is.
  find_library(MINIC_SQLITE_STATIC NAMES libsqlite3.a)
  if(MINIC_SQLITE_STATIC)
    set_target_properties(SQLite::SQLite3 PROPERTIES
      IMPORTED_LOCATION ${MINIC_SQLITE_STATIC}
      INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS};m")
  endif()
endif()

if(MINIC_BUILD_COMPILER)
  find_path(MINIC_MINIZIP_INCLUDE minizip/unzip.h REQUIRED)
  find_library(MINIC_MINIZIP NAMES libminizip.a minizip REQUIRED)
  include(LLVMStatic)
endif()
