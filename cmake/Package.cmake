# SPDX-License-Identifier: Apache-2.0
# What ships beside the binaries, and `cpack`, which makes one archive of all.

find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(notices ${CMAKE_BINARY_DIR}/notices/THIRD_PARTY_NOTICES
  ${CMAKE_BINARY_DIR}/notices/minic.spdx.json)
file(GLOB license_texts CONFIGURE_DEPENDS
  ${CMAKE_SOURCE_DIR}/third_party/licenses/*.txt)
add_custom_command(OUTPUT ${notices}
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/cmake/write_notices.py
    ${PROJECT_VERSION} ${CMAKE_BINARY_DIR}/notices
  DEPENDS ${CMAKE_SOURCE_DIR}/cmake/write_notices.py
    ${CMAKE_SOURCE_DIR}/third_party/components.json ${CMAKE_SOURCE_DIR}/LICENSE
    ${license_texts}
  COMMENT "Writing THIRD_PARTY_NOTICES and minic.spdx.json")
add_custom_target(minic-notices ALL DEPENDS ${notices})
foreach(component runtime tools)
  install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${notices}
    DESTINATION share/licenses/minic COMPONENT ${component})
endforeach()

# Records of measurements, which tools in bin/ find in share/. A build tree has
# them, too.
set(shipped_records ${CMAKE_SOURCE_DIR}/compiler/tune/shipped)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/minic)
file(CREATE_LINK ${shipped_records} ${CMAKE_BINARY_DIR}/share/minic/tuned
  SYMBOLIC)
install(DIRECTORY ${shipped_records}/ DESTINATION share/minic/tuned
  COMPONENT tools FILES_MATCHING PATTERN "*.json")

# minic-0.1.0-linux-x86_64.tar.gz, with one folder of that name.
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_FILE_NAME
  minic-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR})
set(CPACK_STRIP_FILES ON)
include(CPack)
