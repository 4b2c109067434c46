// How kernels of several programs share a GPU.
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string>

#include "base/file.hpp"
#include "doctor/checks.hpp"

namespace heddle::doctor {

Mps find_mps(const char* pipe_folder, const std::filesystem::path& processes) {
  Mps mps;
  mps.folder = pipe_folder != nullptr && *pipe_folder != '\0' ? pipe_folder : "/tmp/nvidia-mps";
  const auto text = base::read_file_if_there(mps.folder / "nvidia-cuda-mps-control.pid");
  if (!text) return mps;
  unsigned long process = 0;
  const auto read = std::from_chars(text->data(), text->data() + text->size(), process);
  if (read.ec != std::errc() || process == 0) return mps;
  // The number may be another process's by now. Linux keeps 15 letters of a name.
  const auto name = base::read_file_if_there(processes / std::to_string(process) / "comm");
  mps.running = name && name->starts_with("nvidia-cuda-mps");
  return mps;
}

Finding check_sharing(const Mps& mps, bool has_gpu, bool can_start) {
  const std::string subject = "shared GPUs";
  if (!has_gpu) return {subject, Mark::not_here, "there is no GPU that programs could share.", {}, false};
  if (mps.running)
    return good(subject, fmt::format("NVIDIA's MPS runs ({}): kernels of several programs run at the same time",
                                     mps.folder.string()));
  return {subject, Mark::ok,
          "without MPS, programs have a GPU in turns of the driver; heddle tenant run holds back the launches of batch "
          "programs while others have work",
          can_start
              ? "For kernels of several programs at the same time, start MPS with a folder of your own and give the "
                "programs the same variable: export CUDA_MPS_PIPE_DIRECTORY=$HOME/mps; nvidia-cuda-mps-control -d."
              : "",
          false};
}

}  // namespace heddle::doctor
