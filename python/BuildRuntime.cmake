# SPDX-License-Identifier: Apache-2.0
# minic::runtime: an installed one where -DCMAKE_PREFIX_PATH has it, else one
# that is built here, without the compiler. What it needs is brought by
# third_party/install.sh.

find_package(minic CONFIG QUIET)
if(minic_FOUND)
  return()
endif()

set(source ${CMAKE_CURRENT_LIST_DIR}/..)
set(build ${CMAKE_CURRENT_BINARY_DIR}/runtime)
option(MINIC_BUILD_CUDA "Build the CUDA device into the runtime" ON)
set(step_fatal COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --preset runtime-only -S ${source}
  -B ${build} -DMINIC_BUILD_CUDA=${MINIC_BUILD_CUDA}
  WORKING_DIRECTORY ${source} ${step_fatal})
execute_process(COMMAND ${CMAKE_COMMAND} --build ${build} --parallel
  --target minic_runtime_shared minic_runtime_static ${step_fatal})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${build}
  --component runtime --prefix ${build}/prefix ${step_fatal})
find_package(minic CONFIG REQUIRED PATHS ${build}/prefix NO_DEFAULT_PATH)
