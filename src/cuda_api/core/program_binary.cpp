#include "cuda_api/core/program_binary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "cuda_api/core/failure.hpp"
#include "heddle/link.hpp"

namespace heddle::cuda_api {
namespace {

// The files with PTX that nvcc linked, where it is not in what they became.
std::vector<FatBinary> linked_files(const FatBinary& whole, const void* wrapper) {
  if (!whole.ptx.empty()) return {};
  std::vector<FatBinary> files = read_prelinked_binaries(wrapper);
  // Parts of NVIDIA's libraries may have none.
  std::erase_if(files, [](const FatBinary& file) { return file.ptx.empty(); });
  return files;
}

std::vector<FatPtx> join(const std::vector<FatBinary>& files) {
  std::vector<FatPtx> joined;
  for (const FatPtx& first : files.front().ptx) {
    std::vector<PtxSource> sources;
    for (std::size_t i = 0; i < files.size(); ++i) {
      const FatPtx* const ptx = choose_ptx(files[i], first.arch);
      // NVIDIA's own (libcudadevrt) has machine code for older GPUs. Who calls it is told what is missing.
      if (!ptx && !files[i].machine_code.empty()) continue;
      if (!ptx)
        throw Failure(cudaErrorNoKernelImageForDevice,
                      fmt::format("the files of the program were compiled for different GPUs: not all have PTX for "
                                  "compute_{} or older",
                                  first.arch));
      sources.push_back({ptx->text, fmt::format("file {} of the program's device code", i + 1)});
    }
    joined.push_back({first.arch, link_ptx(sources)});
  }
  return joined;
}

}  // namespace

FatBinary read_program_binary(std::span<const void* const> wrappers) {
  FatBinary whole;
  std::vector<FatBinary> files;
  for (const void* wrapper : wrappers) {
    whole = read_registered_binary(wrapper);
    std::vector<FatBinary> linked = linked_files(whole, wrapper);
    if (linked.empty()) linked.push_back(whole);
    std::ranges::move(linked, std::back_inserter(files));
  }
  // The machine code is that of all files only where nvcc has linked it.
  if (wrappers.size() > 1) whole = {};
  whole.ptx = files.size() == 1 ? std::move(files.front().ptx) : join(files);
  return whole;
}

}  // namespace heddle::cuda_api
