#===- EvoInstall.cmake - The package that other projects find ----------------===#
#
# Headers, and what find_package(Evo) reads. Everything of the package is in the
# component `Evo`, so that `cmake --install build --component Evo` takes what is
# built and needs nothing else.
#
#===--------------------------------------------------------------------------===#

include(CMakePackageConfigHelpers)

set(EVO_PACKAGE_DIR lib/cmake/Evo)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/evo" DESTINATION include
  COMPONENT Evo FILES_MATCHING PATTERN "*.h" PATTERN "*.td")
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
