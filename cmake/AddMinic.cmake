# SPDX-License-Identifier: Apache-2.0
# The functions that every CMakeLists.txt of the tree is written with. Paths in
# #include start at the source root or, for generated files, the build root.

# minic_library(name SOURCES ... [DEPS ...] [MLIR])
# MLIR: the sources include MLIR headers (archives are linked by executables).
function(minic_library name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC
    ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  if(ARG_MLIR)
    target_link_libraries(${name} PUBLIC minic::mlir_headers)
    target_precompile_headers(${name} REUSE_FROM minic_mlir_library_headers)
  else()
    target_precompile_headers(${name} REUSE_FROM minic_library_headers)
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_DEPS})
endfunction()

# minic_tablegen(target SOURCE file.td OUTPUTS "file.inc=-flag[ -flag...]" ...)
# Runs mlir-tblgen once per output, into the mirrored build folder.
function(minic_tablegen target)
  cmake_parse_arguments(ARG "" "SOURCE" "OUTPUTS" ${ARGN})
  set(outputs)
  foreach(entry IN LISTS ARG_OUTPUTS)
    string(REGEX MATCH "^([^=]+)=(.+)$" _ "${entry}")
    set(out ${CMAKE_CURRENT_BINARY_DIR}/${CMAKE_MATCH_1})
    separate_arguments(flags UNIX_COMMAND "${CMAKE_MATCH_2}")
    add_custom_command(OUTPUT ${out}
      COMMAND ${MINIC_LLVM_TOOLS}/mlir-tblgen ${flags}
        -I ${MINIC_LLVM_INCLUDE} -I ${CMAKE_SOURCE_DIR}
        ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_SOURCE} -o ${out}
        --write-if-changed -d ${out}.d
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_SOURCE}
      DEPFILE ${out}.d
      COMMENT "tblgen ${CMAKE_MATCH_1}")
    list(APPEND outputs ${out})
  endforeach()
  add_custom_target(${target} DEPENDS ${outputs})
endfunction()

# minic_compile_quickly(target): for code whose speed nobody measures. Half of a
# test's compile time is optimization and coverage for fuzzers that never run it.
# References that compute whole GEMMs go into libraries, which are optimized.
function(minic_compile_quickly target)
  target_compile_options(${target} PRIVATE -O0)
  if(MINIC_SANITIZE MATCHES fuzzer)
    target_compile_options(${target} PRIVATE -fno-sanitize=fuzzer-no-link)
  endif()
endfunction()

# minic_ships(target): its linker writes down all that it reads, for
# .ci/check_components.py.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/linked)
function(minic_ships target)
  target_link_options(${target} PRIVATE
    LINKER:--dependency-file=${CMAKE_BINARY_DIR}/linked/${target}.d)
endfunction()

# minic_tool(name SOURCES ... DEPS ... [MLIR] [TEST_ONLY])
# TEST_ONLY: not installed.
function(minic_tool name)
  cmake_parse_arguments(ARG "MLIR;TEST_ONLY" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  if(MINIC_SANITIZE)
    minic_compile_quickly(${name})
  else()
    # As libraries are, whose precompiled headers it uses.
    target_compile_options(${name} PRIVATE -fPIC)
    if(ARG_MLIR)
      target_precompile_headers(${name} REUSE_FROM minic_mlir_library_headers)
    else()
      target_precompile_headers(${name} REUSE_FROM minic_library_headers)
    endif()
  endif()
  set_property(GLOBAL APPEND PROPERTY MINIC_TOOLS ${name})
  target_include_directories(${name} PRIVATE
    ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS})
  # Not -static-libgcc: its unwinder needs a function of glibc 2.35, and each
  # machine's libgcc_s.so.1 fits its own glibc.
  target_link_options(${name} PRIVATE -static-libstdc++)
  # Archives alone: no folder of the machine that built it is looked through.
  set_target_properties(${name} PROPERTIES SKIP_BUILD_RPATH ON)
  if(NOT ARG_TEST_ONLY)
    minic_ships(${name})
    install(TARGETS ${name} RUNTIME COMPONENT tools)
  endif()
  if(ARG_MLIR)
    target_link_libraries(${name} PRIVATE minic::mlir_headers minic::mlir_link)
  endif()
endfunction()

# minic_unittest([PART part] SOURCES ... DEPS ... [MLIR] [LABELS ...])
# One GoogleTest program; target and ctest name are its folder's path under
# test/unit: test/unit/runtime/base gives test-runtime-base. PART is appended
# where a folder has several programs. Give the label `slow` to what takes more
# than 20 s.
function(minic_unittest)
  cmake_parse_arguments(ARG "MLIR" "PART" "SOURCES;DEPS;LABELS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "minic_unittest does not know ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  file(RELATIVE_PATH folder
    ${CMAKE_SOURCE_DIR}/test/unit ${CMAKE_CURRENT_SOURCE_DIR})
  string(REGEX REPLACE "[/_]" "-" name "test/${folder}")
  if(ARG_PART)
    string(APPEND name "-${ARG_PART}")
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE
    ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gmock
    GTest::gtest_main)
  if(ARG_MLIR)
    target_link_libraries(${name} PRIVATE minic::mlir_headers minic::mlir_link)
    target_precompile_headers(${name} REUSE_FROM minic_mlir_test_headers)
  else()
    target_precompile_headers(${name} REUSE_FROM minic_test_headers)
  endif()
  minic_compile_quickly(${name})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "unit;${ARG_LABELS}"
    ENVIRONMENT MINIC_SHIPPED_DB=off)
endfunction()
