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

// Names of folders end in a slash; the others are beginnings that no other project's headers have, or whole names.
constexpr std::array parts{
    Part{"cub/", "CUB"},
    Part{"thrust/", "Thrust"},
    Part{"cuda/", "libcu++ (cuda::std)"},
    Part{"nv/", "libcu++ (cuda::std)"},
    Part{"cooperative_groups/", "the CUDA toolkit"},
    Part{"crt/", "the CUDA toolkit"},
    Part{"curand", "cuRAND"},
    Part{"cublas", "cuBLAS"},
    Part{"cufft", "cuFFT"},
    Part{"cusparse", "cuSPARSE"},
    Part{"cusolver", "cuSOLVER"},
    Part{"cudnn", "cuDNN"},
    Part{"cutensor", "cuTENSOR"},
    Part{"nccl.h", "NCCL"},
    Part{"nccl_", "NCCL"},
    Part{"npp.h", "NPP"},
    Part{"nppi", "NPP"},
    Part{"npps", "NPP"},
    Part{"nppcore.h", "NPP"},
    Part{"nppdefs.h", "NPP"},
    Part{"nvjpeg", "nvJPEG"},
    Part{"nvrtc.h", "NVRTC"},
    Part{"nvJitLink.h", "nvJitLink"},
    Part{"nvml.h", "NVML"},
    Part{"nvToolsExt", "NVTX"},
    Part{"nvtx3/", "NVTX"},
    Part{"cupti", "CUPTI"},
    Part{"cudaProfiler.h", "the CUDA toolkit"},
    Part{"cudaTypedefs.h", "the CUDA toolkit"},
    Part{"cudaGL", "the CUDA toolkit"},
    Part{"cudaEGL", "the CUDA toolkit"},
    Part{"cudaVDPAU", "the CUDA toolkit"},
    Part{"cudart_platform.h", "the CUDA toolkit"},
    Part{"cuda_awbarrier", "the CUDA toolkit"},
    Part{"cuda_pipeline_helpers.h", "the CUDA toolkit"},
    Part{"cuda_egl_interop.h", "the CUDA toolkit"},
    Part{"cuda_gl_interop.h", "the CUDA toolkit"},
    Part{"cuda_vdpau_interop.h", "the CUDA toolkit"},
    Part{"cuda_occupancy.h", "the CUDA toolkit"},
    Part{"cuda_stdint.h", "the CUDA toolkit"},
    Part{"sm_90_rt.h", "the CUDA toolkit"},
};

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
