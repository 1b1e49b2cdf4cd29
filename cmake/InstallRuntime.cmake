# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` installs of the runtime, as component "runtime":
# headers, both libraries, find_package(minic), pkg-config.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(include_dir $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME runtime)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/minic)

install(DIRECTORY ${CMAKE_SOURCE_DIR}/runtime/include/minic
  ${CMAKE_SOURCE_DIR}/third_party/dlpack/minic
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h*")

foreach(kind shared static)
  if(TARGET minic_runtime_${kind})
    target_include_directories(minic_runtime_${kind} INTERFACE ${include_dir})
    install(TARGETS minic_runtime_${kind} EXPORT minic-${kind}
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(EXPORT minic-${kind} NAMESPACE minic:: DESTINATION ${package_dir})
  endif()
endforeach()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/minic-config.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/minic-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(
  ${CMAKE_CURRENT_BINARY_DIR}/minic-config-version.cmake
  COMPATIBILITY ${MINIC_PACKAGE_COMPATIBILITY})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/minic-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/minic-config-version.cmake
  DESTINATION ${package_dir})

# Relative to the file, so that an installed tree can be moved.
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/minic.pc.in
  ${CMAKE_CURRENT_BINARY_DIR}/minic.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/minic.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
