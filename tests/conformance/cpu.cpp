#include "conformance/conformance.hpp"
#include "device/cpu/cpu.hpp"
HEDDLE_CONFORMANCE(cpu, [] { return heddle::device::cpu::make_cpu_device({.workers = 2}); })
