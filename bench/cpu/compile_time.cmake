heddle_benchmark(compile_time
  SOURCES compile_time.cpp
  DEPENDS heddle_runtime heddle_device_cpu heddle_ptx heddle_bench_support)
