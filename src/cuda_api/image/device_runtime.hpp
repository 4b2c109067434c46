// The CUDA device runtime that programs link from libcudadevrt.a: the functions that synchronise a grid. NVIDIA's
// library is machine code; this is the same interface in PTX.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace heddle::cuda_api {

// Whether these bytes are libcudadevrt.a: an archive of ar(1) that has cuda_device_runtime.o in it. Any thread.
bool is_device_runtime(std::span<const std::byte> bytes);

// PTX with cudaCGGetIntrinsicHandle() and cudaCGSynchronize(). The barrier counts blocks in the workspace of a
// cooperative launch (device/launch_config.hpp); in other launches it traps, as cooperative groups do. What else of the
// device runtime a program calls stays undefined, and linking names it: launches and copies from kernels are not there.
std::string_view device_runtime_ptx();

}  // namespace heddle::cuda_api
