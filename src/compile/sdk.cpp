#include "compile/sdk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <system_error>

namespace heddle::compile {
namespace {

struct Part {
  std::string_view start;  // of the name of a header
  std::string_view name;
};

// Folders end in a slash; the others are whole names, or beginnings that only these projects' headers have.
constexpr std::array parts{
    Part{"cccl/", "the CUDA toolkit"},
    Part{"cooperative_groups/", "the CUDA toolkit"},
    Part{"crt/", "the CUDA toolkit"},
    Part{"cub/", "CUB"},
    Part{"cublas", "cuBLAS"},
    Part{"cudaEGL", "the CUDA toolkit"},
    Part{"cudaGL", "the CUDA toolkit"},
    Part{"cudaProfiler", "the CUDA toolkit"},
    Part{"cudaTypedefs.h", "the CUDA toolkit"},
    Part{"cudaVDPAU", "the CUDA toolkit"},
    Part{"cuda_awbarrier", "the CUDA toolkit"},
    Part{"cuda_egl_interop.h", "the CUDA toolkit"},
    Part{"cuda_fp", "the CUDA toolkit"},
    Part{"cuda_gl_interop.h", "the CUDA toolkit"},
    Part{"cuda_occupancy.h", "the CUDA toolkit"},
    Part{"cuda_pipeline_helpers.h", "the CUDA toolkit"},
    Part{"cuda_stdint.h", "the CUDA toolkit"},
    Part{"cuda_vdpau_interop.h", "the CUDA toolkit"},
    Part{"cudalibxt.h", "the CUDA toolkit"},
    Part{"cudart_platform.h", "the CUDA toolkit"},
    Part{"cudnn", "cuDNN"},
    Part{"cufft", "cuFFT"},
    Part{"cufile.h", "cuFile"},
    Part{"cupti", "CUPTI"},
    Part{"curand", "cuRAND"},
    Part{"cusolver", "cuSOLVER"},
    Part{"cusparse", "cuSPARSE"},
    Part{"cutensor", "cuTENSOR"},
    Part{"fatbinary_section.h", "the CUDA toolkit"},
    Part{"generated_cuda", "the CUDA toolkit"},
    Part{"generated_nvtx", "the CUDA toolkit"},
    Part{"nccl.h", "NCCL"},
    Part{"nccl_device", "NCCL"},
    Part{"npp.h", "NPP"},
    Part{"nppcore.h", "NPP"},
    Part{"nppdefs.h", "NPP"},
    Part{"nppi", "NPP"},
    Part{"npps", "NPP"},
    Part{"nv/detail/", "libcu++ (cuda::std)"},
    Part{"nv/target", "libcu++ (cuda::std)"},
    Part{"nvJitLink.h", "nvJitLink"},
    Part{"nvToolsExt", "NVTX"},
    Part{"nv_decode.h", "the CUDA toolkit"},
    Part{"nvblas.h", "cuBLAS"},
    Part{"nvjpeg", "nvJPEG"},
    Part{"nvml.h", "NVML"},
    Part{"nvperf_", "CUPTI"},
    Part{"nvrtc.h", "NVRTC"},
    Part{"nvtx3/", "NVTX"},
    Part{"nvvm.h", "the CUDA toolkit"},
    Part{"sm_20_", "the CUDA toolkit"},
    Part{"sm_30_", "the CUDA toolkit"},
    Part{"sm_32_", "the CUDA toolkit"},
    Part{"sm_35_", "the CUDA toolkit"},
    Part{"sm_60_", "the CUDA toolkit"},
    Part{"sm_61_", "the CUDA toolkit"},
    Part{"sm_90_", "the CUDA toolkit"},
    Part{"thrust/", "Thrust"},
};

// Other projects have a folder cuda/, too; libcu++ writes its names without an ending.
bool is_libcudacxx(std::string_view name) {
  constexpr std::string_view folder = "cuda/";
  if (!name.starts_with(folder)) return false;
  name.remove_prefix(folder.size());
  return name.starts_with("std/") || name.starts_with("__") || name.find('.') == name.npos;
}

bool names_same_folder(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return a == b || std::filesystem::equivalent(a, b, ignored);
}

// The part of an SDK that a file below `folder` is, "" where it is none.
std::string_view part_below(const std::string& file, const std::string& folder, std::string& name) {
  if (!file.starts_with(folder) || file.size() <= folder.size() + 1) return {};
  name = file.substr(folder.size() + (folder.ends_with('/') ? 0 : 1));
  return sdk_part(name);
}

}  // namespace

std::string_view sdk_part(std::string_view name) {
  if (is_libcudacxx(name)) return "libcu++ (cuda::std)";
  const auto part =
      std::find_if(parts.begin(), parts.end(), [&](const Part& each) { return name.starts_with(each.start); });
  return part == parts.end() ? std::string_view() : part->name;
}

std::string find_unasked_sdk(const std::vector<std::string>& entered, const SearchPath& path,
                             const std::vector<std::string>& users_folders, const std::string& own) {
  std::vector<std::string> folders;
  for (const std::string& folder : path.angled) {
    const bool users = std::any_of(users_folders.begin(), users_folders.end(),
                                   [&](const std::string& each) { return names_same_folder(each, folder); });
    if (!users && folder != own) folders.push_back(folder);
  }
  for (const std::string& file : entered) {
    if (file.starts_with(own + '/')) continue;
    for (const std::string& folder : folders) {
      std::string name;
      const std::string_view part = part_below(file, folder, name);
      if (part.empty()) continue;
      return fmt::format(
          "<{}> was found in {}, which nobody named: it is a part of {}, which Heddle does not have and does not use "
          "unasked. If that copy is meant, name its folder with -I {}.",
          name, folder, part, folder);
    }
  }
  return {};
}

std::string explain_missing(std::string_view diagnostics) {
  constexpr std::string_view before = "fatal error: '", behind = "' file not found";
  std::set<std::string> sentences;
  for (std::size_t at = 0; (at = diagnostics.find(before, at)) != diagnostics.npos;) {
    at += before.size();
    const std::size_t end = diagnostics.find(behind, at);
    if (end == diagnostics.npos) break;
    const std::string_view name = diagnostics.substr(at, end - at);
    if (const std::string_view part = sdk_part(name); !part.empty() && name.find('\n') == name.npos) {
      sentences.insert(fmt::format("\n<{}> is a part of {}, which Heddle does not have.", name, part));
    }
  }
  std::string text;
  for (const std::string& sentence : sentences) text += sentence;
  return text;
}

}  // namespace heddle::compile
