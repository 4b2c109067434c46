// NVIDIA's driver and what of the CUDA toolkit is there.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>

#include "base/file.hpp"
#include "device/cuda/cuda.hpp"
#include "device/cuda/driver.hpp"
#include "doctor/checks.hpp"

namespace heddle::doctor {
namespace {

namespace fs = std::filesystem;

// A display or compute controller of vendor 10de on the PCI bus.
bool has_nvidia_hardware() {
  std::error_code error;
  for (fs::directory_iterator it("/sys/bus/pci/devices", error), end; !error && it != end; it.increment(error)) {
    const auto vendor = base::read_file_if_there(it->path() / "vendor"),
               kind = base::read_file_if_there(it->path() / "class");
    if (vendor && kind && vendor->starts_with("0x10de") && kind->starts_with("0x03")) return true;
  }
  return fs::exists("/dev/nvidia0", error);
}

// The number in the first line of /proc/driver/nvidia/version.
std::string kernel_module_version() {
  const auto text = base::read_file_if_there("/proc/driver/nvidia/version");
  if (!text) return {};
  std::size_t at = 0;
  const std::string line = text->substr(0, text->find('\n'));
  while ((at = line.find_first_of("0123456789", at)) != std::string::npos) {
    const std::size_t end = line.find_first_not_of("0123456789.", at);
    const std::string word = line.substr(at, end - at);
    if (word.find('.') != std::string::npos && line[at - 1] == ' ') return word;
    at = end;
  }
  return {};
}

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

}  // namespace

NvidiaDriver find_nvidia_driver() {
  NvidiaDriver found;
  found.hardware = has_nvidia_hardware();
  found.kernel_module = kernel_module_version();
  const int count = device::cuda::cuda_device_count(&found.why);
  if (const auto driver = device::cuda::Driver::find()) {
    found.usable = true;
    found.cuda_version = driver->version();
  }
  for (int i = 0; i < count; ++i) found.gpus.push_back(fmt::format("cuda:{}", i));
  return found;
}

Finding check_nvidia_driver(const NvidiaDriver& driver) {
  const std::string subject = "NVIDIA driver", known = driver.kernel_module.empty() ? "" : driver.kernel_module + ", ";
  if (driver.usable && !driver.gpus.empty())
    return good(subject, fmt::format("{}CUDA {}; {} GPU{}", known, version_text(driver.cuda_version),
                                     driver.gpus.size(), driver.gpus.size() == 1 ? "" : "s"));
  const std::string why = driver.why.empty() ? "the NVIDIA driver sees no GPU" : driver.why;
  if (!driver.hardware)
    return {subject, Mark::not_here, fmt::format("{}, and no GPU of NVIDIA is on the PCI bus.", why), {}, false};
  if (driver.usable)
    return {subject, Mark::wrong, fmt::format("{}, though there is one in the machine.", why),
            "CUDA_VISIBLE_DEVICES may hide it; in a container, it must be handed in (docker run --gpus all).", false};
  return {subject, Mark::missing, fmt::format("there is a GPU of NVIDIA, but {}.", why),
          "Install NVIDIA's driver for CUDA 12.4 or later; in a container, use NVIDIA's container toolkit.", false};
}

std::optional<fs::path> find_tool(std::string_view program, const char* chosen, std::string_view search_path) {
  if (chosen != nullptr && *chosen != '\0') return is_program(chosen) ? std::optional<fs::path>(chosen) : std::nullopt;
  while (!search_path.empty()) {
    const std::size_t end = std::min(search_path.find(':'), search_path.size());
    fs::path file = fs::path(search_path.substr(0, end)) / program;
    if (file.is_absolute() && is_program(file)) return file;
    search_path.remove_prefix(std::min(end + 1, search_path.size()));
  }
  fs::path usual = fs::path("/usr/local/cuda/bin") / program;
  return is_program(usual) ? std::optional<fs::path>(usual) : std::nullopt;
}

Finding check_ptxas() {
  const char *chosen = std::getenv("HEDDLE_PTXAS"), *path = std::getenv("PATH");
  if (const auto found = find_tool("ptxas", chosen, path != nullptr ? path : "")) return good("ptxas", found->string());
  if (chosen != nullptr && *chosen != '\0')
    return {"ptxas", Mark::wrong, fmt::format("HEDDLE_PTXAS is '{}', which is not a program that can be run.", chosen),
            "Name the program, or unset it.", false};
  return {"ptxas",
          Mark::not_here,
          "not in the search path or in /usr/local/cuda/bin; only Heddle's own tests use it.",
          {},
          false};
}

}  // namespace heddle::doctor
