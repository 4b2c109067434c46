#include "device/cpu/cpu.hpp"
#include "conformance/conformance.hpp"
HEDDLE_CONFORMANCE(cpu, [] { return heddle::device::cpu::make_cpu_device({.workers = 2}); })
