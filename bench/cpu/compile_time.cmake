heddle_benchmark(compile_time
  SOURCES compile_time.cpp
  DEPENDS heddle_runtime heddle_device_cpu heddle_ptx heddle_bench_support)
target_compile_definitions(compile_time PRIVATE HEDDLE_SOURCE="${PROJECT_SOURCE_DIR}")
