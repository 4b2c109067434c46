# Both ways to use Heddle from another project. Sanitized builds are left out: the consumer itself is not sanitized.
# As a subfolder all of Heddle is compiled again; with the same flags, from a folder as deep as the project's build folder,
# ccache has it all.
if(NOT HEDDLE_SANITIZE AND NOT HEDDLE_BUILD_FUZZ)
  include(ProcessorCount)
  ProcessorCount(cores)
  foreach(mode package subdirectory)
    add_test(NAME consumer_${mode} COMMAND ${CMAKE_COMMAND} -DMODE=${mode} -DBUILD=${PROJECT_BINARY_DIR}
      -DSOURCE=${PROJECT_SOURCE_DIR} -DWORK=${PROJECT_BINARY_DIR}-consumer-${mode} -DBUILD_TYPE=${CMAKE_BUILD_TYPE}
      -DWERROR=${HEDDLE_WERROR}
      -DC_COMPILER=${CMAKE_C_COMPILER} -DCXX_COMPILER=${CMAKE_CXX_COMPILER} -DJOBS=${cores}
      -P ${PROJECT_SOURCE_DIR}/tests/consumer/run.cmake)
    set_tests_properties(consumer_${mode} PROPERTIES LABELS slow TIMEOUT 1800 RUN_SERIAL ON)
  endforeach()
endif()
