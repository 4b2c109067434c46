extern "C" __attribute__((visibility("default"))) int heddle_cpu_device_of_another_version() { return 0; }
