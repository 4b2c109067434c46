# Tensor-core instructions on the CPU device. The kernels are compiled when this is built and lie beside the program.
set(matrices_ptx ${CMAKE_CURRENT_BINARY_DIR}/kernels/matrices.ptx)
add_custom_command(OUTPUT ${matrices_ptx}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/kernels
  COMMAND heddle compile ${CMAKE_CURRENT_SOURCE_DIR}/kernels/matrices.cu -o ${matrices_ptx}
  DEPENDS kernels/matrices.cu heddle VERBATIM)
add_custom_target(heddle_bench_matrices_kernels DEPENDS ${matrices_ptx})
heddle_benchmark(matrices SOURCES matrices.cpp DEPENDS heddle::heddle heddle_bench_support fmt::fmt)
add_dependencies(matrices heddle_bench_matrices_kernels)
if(HEDDLE_BUILD_TESTS)
  add_test(NAME bench_matrices COMMAND matrices --check)
  set_tests_properties(bench_matrices PROPERTIES LABELS fast TIMEOUT 300)
endif()
