# heddle_ptx_run_test(NAME SOURCES main.cpp DEPENDS device library): the cases of tests/data/run on one device.
function(heddle_ptx_run_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;DEPENDS;LABELS" ${ARGN})
  heddle_test(${name}
    SOURCES ${ARG_SOURCES} ${PROJECT_SOURCE_DIR}/tests/support/ptx_case.cpp ${PROJECT_SOURCE_DIR}/tests/support/ptx_run.cpp
      ${PROJECT_SOURCE_DIR}/tests/support/ptx_test.cpp
    DEPENDS heddle_device_interp heddle_ptx heddle_ptx_semantics ${ARG_DEPENDS}
    LABELS ${ARG_LABELS})
endfunction()
