# The package that other projects find.
#
# Libraries, tools, headers, and what find_package(Evo) reads. Everything of the
# package is in the component `Evo`; the target EvoPackage builds what
# `cmake --install build --component Evo` then takes.

include(CMakePackageConfigHelpers)

# libEvo starts the worker, so a package without it fails only when it is used.
add_custom_target(EvoPackage DEPENDS Evo evo-opt evo-worker EvoPlugin)

set(EVO_PACKAGE_DIR lib/cmake/Evo)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/evo" DESTINATION include
  COMPONENT Evo FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.def")
install(DIRECTORY "${PROJECT_BINARY_DIR}/include/evo" DESTINATION include
  COMPONENT Evo FILES_MATCHING PATTERN "*.inc")
install(EXPORT EvoTargets NAMESPACE Evo:: DESTINATION ${EVO_PACKAGE_DIR}
  COMPONENT Evo)
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/EvoConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/cmake/EvoConfig.cmake" INSTALL_DESTINATION ${EVO_PACKAGE_DIR})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cmake/EvoConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/cmake/EvoConfig.cmake"
  "${PROJECT_BINARY_DIR}/cmake/EvoConfigVersion.cmake"
  DESTINATION ${EVO_PACKAGE_DIR} COMPONENT Evo)
