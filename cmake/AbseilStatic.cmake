# SPDX-License-Identifier: Apache-2.0
# Points the imported absl:: targets at the archives beside the shared objects:
# a tool then starts without loading forty libraries and can be carried to
# another machine, and libminic_runtime.so keeps Abseil to itself.

function(_absl_link_statically dir)
  get_property(targets DIRECTORY ${dir} PROPERTY IMPORTED_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(NOT target MATCHES "^absl::" OR NOT type STREQUAL "SHARED_LIBRARY")
      continue()
    endif()
    get_target_property(configs ${target} IMPORTED_CONFIGURATIONS)
    foreach(config IN LISTS configs)
      get_target_property(shared ${target} IMPORTED_LOCATION_${config})
      string(REGEX REPLACE "\\.so[.0-9]*$" ".a" archive "${shared}")
      if(EXISTS ${archive})
        set_target_properties(${target} PROPERTIES
          IMPORTED_LOCATION_${config} ${archive} IMPORTED_SONAME_${config} "")
      endif()
    endforeach()
  endforeach()
endfunction()
_absl_link_statically(${CMAKE_CURRENT_SOURCE_DIR})

# What a shared library links instead of absl::status and its like.
add_library(minic_abseil_in_shared_library STATIC
  ${CMAKE_SOURCE_DIR}/cmake/AbseilInSharedLibrary.cpp)
add_library(minic::abseil_in_shared_library ALIAS
  minic_abseil_in_shared_library)
target_link_libraries(minic_abseil_in_shared_library PUBLIC
  absl::status absl::statusor absl::strings)
