# What `cmake --install` puts in place: the program, the library, its headers and the CMake package.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The library of the CPU device, which the library and the program open, lies in a folder of our own; so do third-party
# libraries in an archive of script/bundle.
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_BINDIR BASE_DIRECTORY /prefix OUTPUT_VARIABLE bin)
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_LIBDIR BASE_DIRECTORY /prefix OUTPUT_VARIABLE lib)
cmake_path(RELATIVE_PATH lib BASE_DIRECTORY ${bin})
set_target_properties(heddle PROPERTIES INSTALL_RPATH "\$ORIGIN/${lib}/heddle")
set_target_properties(heddle_shared PROPERTIES INSTALL_RPATH "\$ORIGIN/heddle")
if(HEDDLE_BUNDLE)
  set_target_properties(heddle_cpu PROPERTIES INSTALL_RPATH "\$ORIGIN")
  foreach(target heddle heddle_shared heddle_cpu)
    target_link_options(${target} PRIVATE LINKER:--disable-new-dtags)
  endforeach()
endif()
install(TARGETS heddle RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
add_dependencies(heddle heddle_shared)
install(TARGETS heddle_shared EXPORT heddleTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS heddle_cpu LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/heddle)
# CUDA's libraries, which `heddle cc` links programs with and `heddle run` gives them; they find libheddle from wherever
# they lie. Who builds the program alone, as `script/build release heddle` does, gets all that is installed.
foreach(target heddle_cudart_11 heddle_cudart_12 heddle_cudart_13 heddle_cuda heddle_libcuda heddle_jitlink_12
    heddle_jitlink_13 heddle_open)
  if(TARGET ${target})
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "\$ORIGIN;\$ORIGIN/../..;\$ORIGIN/..")
    if(HEDDLE_BUNDLE)
      target_link_options(${target} PRIVATE LINKER:--disable-new-dtags)
    endif()
    install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/heddle/cuda)
    add_dependencies(heddle ${target})
  endif()
endforeach()
if(TARGET heddle_libcuda)
  set(linked ${PROJECT_BINARY_DIR}/lib/heddle/cuda)
  install(FILES ${linked}/libcudart.so ${linked}/libcuda.so ${linked}/libcudart_static.a ${linked}/libcudadevrt.a
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/heddle/cuda)
  # nvcc's command line as a program of its own, which is what CMAKE_CUDA_COMPILER takes.
  file(CREATE_LINK heddle ${PROJECT_BINARY_DIR}/src/cli/heddle-nvcc SYMBOLIC)
  # ptxas's, for Python packages that heddle run starts without a GPU.
  file(CREATE_LINK heddle ${PROJECT_BINARY_DIR}/src/cli/heddle-ptxas SYMBOLIC)
  install(FILES ${PROJECT_BINARY_DIR}/src/cli/heddle-nvcc ${PROJECT_BINARY_DIR}/src/cli/heddle-ptxas
    DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET heddle_interpose)
  set_target_properties(heddle_interpose PROPERTIES INSTALL_RPATH "\$ORIGIN/..")
  if(HEDDLE_BUNDLE)
    target_link_options(heddle_interpose PRIVATE LINKER:--disable-new-dtags)
  endif()
  install(TARGETS heddle_interpose LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/heddle/interpose)
  add_dependencies(heddle heddle_interpose)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/heddle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.hpp PATTERN *.h)
install(EXPORT heddleTargets NAMESPACE heddle:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/heddle)

write_basic_package_version_file(${PROJECT_BINARY_DIR}/heddleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
file(WRITE ${PROJECT_BINARY_DIR}/heddleConfig.cmake "include(\${CMAKE_CURRENT_LIST_DIR}/heddleTargets.cmake)\n")
install(FILES ${PROJECT_BINARY_DIR}/heddleConfig.cmake ${PROJECT_BINARY_DIR}/heddleConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/heddle)

cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig
  OUTPUT_VARIABLE HEDDLE_PC_TO_PREFIX)
configure_file(${PROJECT_SOURCE_DIR}/cmake/heddle.pc.in ${PROJECT_BINARY_DIR}/heddle.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/heddle.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Completion for shells and the manual page, which the program has written (src/cli).
get_target_property(written heddle HEDDLE_COMMAND_LINE)
if(written)
  install(FILES ${written}/heddle DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${written}/_heddle DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${written}/heddle.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  install(FILES ${written}/heddle.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()

# The headers carry the version as text, so that they can be used without CMake; it must be the project's.
file(READ ${PROJECT_SOURCE_DIR}/include/heddle/version.hpp version_header)
if(NOT version_header MATCHES "\"${PROJECT_VERSION}\"")
  message(FATAL_ERROR "include/heddle/version.hpp does not say ${PROJECT_VERSION}, the project's version")
endif()
