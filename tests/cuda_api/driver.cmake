# libcuda, the driver API: programs that link it and libcudart, against Heddle's own headers.
heddle_test(cuda_driver_test
  SOURCES driver_context_test.cpp driver_graph_test.cpp driver_interop_test.cpp driver_lifetime_test.cpp driver_link_test.cpp driver_memory_test.cpp driver_module_test.cpp
    driver_names_test.cpp driver_stream_test.cpp driver_texture_test.cpp driver_support.cpp driver_virtual_memory_test.cpp
  DEPENDS heddle_libcuda heddle_cudart_13 heddle_cuda_image ${CMAKE_DL_LIBS}
  NEEDS_SOURCE)
target_compile_options(cuda_driver_test PRIVATE -Wno-unknown-pragmas)  # those of the headers are clang's
set_tests_properties(cuda_driver_test PROPERTIES ENVIRONMENT HEDDLE_RUN_DEVICE=cpu)

heddle_test(cuda_private_tables_test
  SOURCES private_tables_test.cpp ${PROJECT_SOURCE_DIR}/src/cuda_api/driver/runtime_check.cpp
  DEPENDS heddle_libcuda NEEDS_SOURCE)
target_compile_options(cuda_private_tables_test PRIVATE -Wno-unknown-pragmas)
set_tests_properties(cuda_private_tables_test PROPERTIES ENVIRONMENT HEDDLE_RUN_DEVICE=cpu)

# The thin libraries keep no state of their own.
add_test(NAME cuda_driver_state_test
  COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} "-DOBJECTS=$<JOIN:$<TARGET_OBJECTS:heddle_cuda_common>,,>"
    -P ${CMAKE_CURRENT_SOURCE_DIR}/driver_state_test.cmake)
set_tests_properties(cuda_driver_state_test PROPERTIES LABELS fast)

# A program that was written for NVIDIA's headers, where they are there.
heddle_test(cuda_driver_program_test
  SOURCES driver_program_test.cpp
  DEPENDS heddle_base
  NEEDS_SOURCE)
target_compile_definitions(cuda_driver_program_test PRIVATE
  HEDDLE_CUDA_LIBRARIES="${PROJECT_BINARY_DIR}/lib/heddle/cuda" HEDDLE_LIBRARIES="$<TARGET_FILE_DIR:heddle_shared>"
  HEDDLE_CXX="${CMAKE_CXX_COMPILER}" HEDDLE_HEADERS="${PROJECT_SOURCE_DIR}/src/compile/headers")
heddle_runs_programs(cuda_driver_program_test)
add_dependencies(cuda_driver_program_test heddle_libcuda)

heddle_test(cuda_jitlink_test SOURCES jitlink_test.cpp DEPENDS heddle_jitlink_12 NEEDS_SOURCE)

heddle_test(cuda_image_test SOURCES image_test.cpp DEPENDS heddle_cuda_image)
