// Fat binaries: what nvcc and clang put into a program for its kernels, PTX and machine code for several GPUs in one
// container. Heddle reads the PTX, and hands containers with machine code on to NVIDIA's driver. The layout is as found
// in programs of CUDA 11 to 13; what is not understood is passed over where the sizes allow it.
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
  // The container itself, where it has machine code and is the only one.
  std::vector<std::byte> container = {};
};

// A container, and any that follow it in `bytes`. Throws parse_error with what is wrong, unsupported for a compression
// that is not known.
FatBinary read_fat_binary(std::span<const std::byte> bytes);
// A container in memory, as long as it says it is.
FatBinary read_fat_binary(const void* container);
// What a program registers: a wrapper that points to a container. Throws parse_error when it is none.
FatBinary read_registered_binary(const void* wrapper);
// The files that were linked into it (nvcc -rdc=true), in the same wrapper: relocatable PTX, each with what it was
// compiled to. Of what they became together the wrapper's own container has only the machine code. Empty for others.
std::vector<FatBinary> read_prelinked_binaries(const void* wrapper);

// Whether these bytes begin as a container.
bool is_fat_binary(std::span<const std::byte> bytes);

// A container with these PTX texts in it, which NVIDIA's driver and runtime read too.
std::vector<std::byte> write_fat_binary(std::span<const FatPtx> all, bool compressed = true);
inline std::vector<std::byte> write_fat_binary(const FatPtx& ptx, bool compressed = true) {
  return write_fat_binary(std::span(&ptx, 1), compressed);
}

// The text that runs best on a GPU of compute capability `arch`: the newest that is not newer; null where there is
// none. `arch` 0: the newest of all.
const FatPtx* choose_ptx(const FatBinary& binary, unsigned arch);

}  // namespace heddle::cuda_api
