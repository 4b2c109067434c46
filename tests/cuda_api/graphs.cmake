# CUDA graphs and stream capture, through the functions that libcudart exports.
heddle_test(cuda_graph_test
  SOURCES graph_build_test.cpp graph_capture_rules_test.cpp graph_capture_test.cpp graph_condition_test.cpp graph_memory_test.cpp graph_run_test.cpp graph_support.cpp
          graph_threads_test.cpp graph_update_test.cpp
  DEPENDS heddle_cudart_12 heddle_cuda_image NEEDS_SOURCE)
heddle_test(cuda_graph_13_test SOURCES graph_versions_test.cpp DEPENDS heddle_cudart_13 NEEDS_SOURCE)
set_tests_properties(cuda_graph_13_test PROPERTIES ENVIRONMENT "HEDDLE_RUN_DEVICE=cpu")
heddle_test(cuda_tenant_test SOURCES graph_support.cpp held_streams_test.cpp tenant_test.cpp
  DEPENDS heddle_cudart_12 heddle_cuda_image heddle_daemon heddle_base heddle::heddle NEEDS_SOURCE)
foreach(test cuda_graph_test cuda_graph_13_test cuda_tenant_test)
  target_include_directories(${test} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_compile_options(${test} PRIVATE -Wno-unknown-pragmas)  # those of the headers are clang's
endforeach()
heddle_test(cuda_graph_program_test SOURCES graph_program_test.cpp NEEDS_SOURCE)
target_compile_definitions(cuda_graph_program_test PRIVATE
  HEDDLE_CUDA_LIBRARIES="${PROJECT_BINARY_DIR}/lib/heddle/cuda:${PROJECT_BINARY_DIR}/src/runtime")
heddle_runs_programs(cuda_graph_program_test)
add_dependencies(cuda_graph_program_test heddle_cudart_11 heddle_cudart_12 heddle_cudart_13)
