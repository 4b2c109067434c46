# The CPU device against PoCL and against plain C++ loops. Each peer is left out where it is missing.
include(${CMAKE_CURRENT_LIST_DIR}/loops.cmake)
find_package(OpenCL QUIET)
if(NOT OpenCL_FOUND)
  message(STATUS "bench/cpu: no OpenCL headers or loader (opencl-headers, ocl-icd-opencl-dev); PoCL is left out")
endif()

heddle_benchmark(compare
  SOURCES compare.cpp compare/case.cpp compare/check.cpp compare/heddle_contender.cpp compare/host_memory.cpp
    compare/loops_contender.cpp compare/measure.cpp compare/report.cpp compare/cases.cpp compare/cases_matrix.cpp
    compare/cases_other.cpp compare/cases_statistics.cpp compare/cases_stencil.cpp compare/cases_stream.cpp
    compare/cases_vector.cpp
    $<IF:$<BOOL:${OpenCL_FOUND}>,compare/opencl_contender.cpp,compare/opencl_absent.cpp>
  DEPENDS heddle::heddle heddle_bench_support heddle_base CLI11::CLI11 fmt::fmt)
if(OpenCL_FOUND)
  target_link_libraries(compare PRIVATE OpenCL::OpenCL)
endif()
if(TARGET heddle_bench_loops)
  # Its functions are weak, so that nothing seems to need it.
  target_link_libraries(compare PRIVATE -Wl,--push-state,--no-as-needed heddle_bench_loops -Wl,--pop-state)
endif()
target_include_directories(compare PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
