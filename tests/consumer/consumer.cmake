# Both ways to use Heddle from another project. As a subfolder all of Heddle is compiled again; with the same flags, from a
# folder as deep as the project's build folder, ccache has it all. Of sanitized builds, which take long, only the package.
if(NOT HEDDLE_BUILD_FUZZ)
  set(modes package)
  if(NOT HEDDLE_SANITIZE)
    list(APPEND modes subdirectory)
  endif()
  include(ProcessorCount)
  ProcessorCount(cores)
  foreach(mode ${modes})
    add_test(NAME consumer_${mode} COMMAND ${CMAKE_COMMAND} -DMODE=${mode} -DBUILD=${PROJECT_BINARY_DIR}
      -DSOURCE=${PROJECT_SOURCE_DIR} -DWORK=${PROJECT_BINARY_DIR}-consumer-${mode} -DBUILD_TYPE=${CMAKE_BUILD_TYPE}
      -DWERROR=${HEDDLE_WERROR} -DSANITIZE=${HEDDLE_SANITIZE}
      -DC_COMPILER=${CMAKE_C_COMPILER} -DCXX_COMPILER=${CMAKE_CXX_COMPILER} -DJOBS=${cores}
      -P ${PROJECT_SOURCE_DIR}/tests/consumer/run.cmake)
    set_tests_properties(consumer_${mode} PROPERTIES LABELS slow TIMEOUT 1800 RUN_SERIAL ON)
  endforeach()
endif()
