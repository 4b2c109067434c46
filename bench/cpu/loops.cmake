# The plain C++ loops, compiled by clang++-19 -O3 -march=native (or HEDDLE_BENCH_MARCH) -fopenmp whatever compiler builds the rest: target
# heddle_bench_loops, a shared library. Not there when clang++-19 or its OpenMP is missing.
find_program(HEDDLE_BENCH_CLANG NAMES clang++-19)
if(HEDDLE_BENCH_CLANG AND NOT DEFINED HEDDLE_BENCH_OPENMP)
  set(probe ${CMAKE_CURRENT_BINARY_DIR}/openmp_probe.cpp)
  file(WRITE ${probe} "#include <omp.h>\nint main() { return omp_get_max_threads() > 0 ? 0 : 1; }\n")
  execute_process(COMMAND ${HEDDLE_BENCH_CLANG} -fopenmp ${probe} -o ${probe}.out RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed EQUAL 0)
    set(HEDDLE_BENCH_OPENMP TRUE CACHE INTERNAL "clang++-19 links OpenMP programs")
  endif()
endif()
if(NOT HEDDLE_BENCH_OPENMP)
  message(STATUS "bench/cpu: no clang++-19 with OpenMP (libomp-19-dev); the comparison with C++ loops is left out")
  return()
endif()

set(HEDDLE_BENCH_MARCH native CACHE STRING "The processor that the C++ loops of bench/cpu are compiled for")
set(loops_flags -std=c++20 -O3 -march=${HEDDLE_BENCH_MARCH} -fopenmp -fPIC -Wall -Wextra)
set(loops_objects)
function(add_loops_object name source)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/loops/${name}.o)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/kernels/${source}.cpp)
  add_custom_command(OUTPUT ${object}
    COMMAND ${HEDDLE_BENCH_CLANG} ${loops_flags} ${ARGN} -I${CMAKE_CURRENT_SOURCE_DIR} -MD -MF ${object}.d -c ${source} -o ${object}
    DEPENDS ${source} DEPFILE ${object}.d VERBATIM)
  set(loops_objects ${loops_objects} ${object} PARENT_SCOPE)
endfunction()
foreach(name 2mm 3mm black_scholes conv2d conv3d copy correlation covariance fdtd_2d gemm gemm_tiled gramschmidt histogram
             mandelbrot reduction saxpy spmv stencil_3d threads transpose triad)
  add_loops_object(${name} ${name})
endforeach()
# With long sums: in order, and in any order (kernels/sums.hpp).
foreach(name atax bicg gesummv mvt nbody syr2k syrk)
  add_loops_object(${name} ${name})
  add_loops_object(${name}_reordered ${name} -DHEDDLE_REORDER_SUMS)
endforeach()
set(loops_library ${CMAKE_CURRENT_BINARY_DIR}/loops/libheddle_bench_loops.so)
add_custom_command(OUTPUT ${loops_library}
  COMMAND ${HEDDLE_BENCH_CLANG} -shared -fopenmp ${loops_objects} -o ${loops_library} -Wl,-soname,libheddle_bench_loops.so
  DEPENDS ${loops_objects} VERBATIM)
add_custom_target(heddle_bench_loops_files DEPENDS ${loops_library})
add_library(heddle_bench_loops SHARED IMPORTED)
set_target_properties(heddle_bench_loops PROPERTIES IMPORTED_LOCATION ${loops_library} IMPORTED_SONAME libheddle_bench_loops.so)
add_dependencies(heddle_bench_loops heddle_bench_loops_files)
if(HEDDLE_BUNDLE)
  install(FILES ${loops_library} DESTINATION lib/heddle COMPONENT bundle EXCLUDE_FROM_ALL)
endif()
