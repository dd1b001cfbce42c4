# cmake --install: the command, the libraries with their headers, and a package for find_package(heddle).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/heddle)

foreach(room ir transform target runtime)
  set_target_properties(heddle_${room} PROPERTIES EXPORT_NAME ${room})
  install(TARGETS heddle_${room} EXPORT heddle ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/${room} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heddle FILES_MATCHING PATTERN "*.h")
endforeach()
install(TARGETS heddle RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(EXPORT heddle FILE heddleTargets.cmake NAMESPACE heddle:: DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/heddleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_SOURCE_DIR}/cmake/heddleConfig.cmake ${CMAKE_SOURCE_DIR}/cmake/FindISL.cmake
  ${CMAKE_SOURCE_DIR}/cmake/FindXXHash.cmake ${CMAKE_BINARY_DIR}/heddleConfigVersion.cmake DESTINATION ${package_dir})
