// Fat binaries: the containers in which nvcc and clang put kernels, with PTX and machine code for several GPUs. Heddle
// reads the PTX, and passes containers with machine code to NVIDIA's driver. The layout is the one found in programs of
// CUDA 11 to 13; unknown parts are skipped where the sizes allow it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heddle::cuda_api {

struct FatPtx {
  unsigned arch = 0;  // 80: for compute_80 and later
  std::string text;
};

struct FatBinary {
  std::vector<FatPtx> ptx;
  std::vector<unsigned> machine_code;  // the GPUs for which there is machine code: 90 for sm_90
  // The container itself, if it has machine code and is the only one.
  std::vector<std::byte> container = {};
};

// A container, and any that follow it in `bytes`. Throws parse_error with the reason, unsupported for an unknown
// compression.
FatBinary read_fat_binary(std::span<const std::byte> bytes);
// The first container alone, whatever follows it in `bytes`. Its `container` is empty.
FatBinary read_first_binary(std::span<const std::byte> bytes);
// A container in memory, as long as its header says. Throws parse_error also if there is no memory behind its begin.
FatBinary read_fat_binary(const void* container);
// What a program registers: a wrapper that points to a container. Throws parse_error if it is no wrapper.
FatBinary read_registered_binary(const void* wrapper);
// The files that were linked into it (nvcc -rdc=true), in the same wrapper: relocatable PTX, each with its machine
// code. The wrapper's own container has only the machine code of the linked result. Empty for others.
std::vector<FatBinary> read_prelinked_binaries(const void* wrapper);

// Whether these bytes begin as a container.
bool is_fat_binary(std::span<const std::byte> bytes);

// A container with these PTX texts in it, which NVIDIA's driver and runtime read too.
std::vector<std::byte> write_fat_binary(std::span<const FatPtx> all, bool compressed = true);
inline std::vector<std::byte> write_fat_binary(const FatPtx& ptx, bool compressed = true) {
  return write_fat_binary(std::span(&ptx, 1), compressed);
}

// The text that runs best on a GPU of compute capability `arch`: the newest that is not newer; null if there is no such
// text. `arch` 0: the newest of all.
const FatPtx* choose_ptx(const FatBinary& binary, unsigned arch);
// The text for a device that runs all of them, and that programs see as one of compute capability `arch`: as
// choose_ptx(), since host code chooses its launches by the capability; the oldest where all are newer.
const FatPtx* closest_ptx(const FatBinary& binary, unsigned arch);

}  // namespace heddle::cuda_api
