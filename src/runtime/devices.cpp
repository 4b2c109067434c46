#include "runtime/devices.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include "base/fail.hpp"
#include "base/nearest.hpp"
#include "base/variables.hpp"
#include "core/open_found.hpp"
#include "device/cpu/open.hpp"
#include "device/cuda/cuda.hpp"
#include "device/interp/interp.hpp"
#include "device/sim/sim.hpp"

namespace heddle::runtime {
namespace {

using core::Candidate;

void refuse_time_limit(std::string_view id, const DeviceOptions& options) {
  if (options.launch_timeout_ms == 0) return;
  base::fail(ErrorCode::unsupported,
             "{}: this device ends no kernel before its end, so launches there have no time limit. The CPU, the "
             "interpreter and simulated GPUs have one; elsewhere, end the process (timeout 60 heddle ...)",
             id);
}

// GPUs first: whoever has one wants it used.
std::vector<Candidate> candidates(const DeviceOptions& options, unsigned gpus_beside = 0) {
  std::vector<Candidate> all;
  const int gpus = device::cuda::cuda_device_count();
  for (int i = 0; i < gpus; ++i)
    all.push_back({fmt::format("cuda:{}", i), !options.check.kernels() && options.launch_timeout_ms == 0, [i, options] {
                     refuse_time_limit(fmt::format("cuda:{}", i), options);
                     return device::cuda::make_cuda_device(
                         {.ordinal = i, .trace = options.trace, .watcher = options.watcher});
                   }});
  // A core for each GPU's thread, and one for what submits.
  all.push_back({"cpu", true, [options, spare = gpus_beside > 0 ? gpus_beside + 1 : 0] {
                   return device::cpu::open_cpu_device(
                       {.workers = options.workers,
                        .spare_cores = spare,
                        .launch_timeout = std::chrono::milliseconds(options.launch_timeout_ms),
                        .check = options.check,
                        .on_finding = options.on_finding,
                        .trace = options.trace,
                        .watcher = options.watcher});
                 }});
  all.push_back(
      {"interp", false, [options] {
         return device::interp::make_interp_device(
             {.launch_timeout = std::chrono::milliseconds(options.launch_timeout_ms), .watcher = options.watcher});
       }});
  return all;
}

// A simulated GPU; its name says which, and with which options.
Candidate simulated(std::string_view id, const DeviceOptions& options) {
  return {
      std::string(id), false, [id = std::string(id), options] {
        device::sim::SimOptions chosen = device::sim::parse_sim_options(id);
        chosen.watcher = options.watcher;
        chosen.launch_timeout = std::chrono::milliseconds(options.launch_timeout_ms);
        if (chosen.sample_waves != 0)
          chosen.native = [options] {
            return device::cpu::open_cpu_device({.workers = options.workers,
                                                 .launch_timeout = std::chrono::milliseconds(options.launch_timeout_ms),
                                                 .watcher = options.watcher});
          };
        return device::sim::make_sim_device(std::move(chosen));
      }};
}

Candidate find(const std::vector<Candidate>& all, std::string_view id, const DeviceOptions& options) {
  if (id.starts_with("sim:")) return simulated(id, options);
  const auto found = std::find_if(all.begin(), all.end(), [&](const Candidate& device) { return device.id == id; });
  if (found != all.end()) return *found;
  std::string there, why;
  for (const Candidate& device : all) there += (there.empty() ? "" : ", ") + device.id;
  if (id.starts_with("cuda") && device::cuda::cuda_device_count(&why) == 0) there += "; no GPU, since " + why;
  std::vector<std::string> ids;
  for (const Candidate& device : all) ids.push_back(device.id);
  if (id.starts_with("cuda:")) ids.clear();  // another number is not meant
  base::fail(ErrorCode::not_found, "there is no device '{}'{} {}", id, base::before_list(id, ids), there);
}

}  // namespace

std::vector<std::unique_ptr<device::Device>> open_devices(std::string_view list, const DeviceOptions& options) {
  const bool found = list.empty() || list == "gpus";
  const std::vector<std::string_view> ids = found ? std::vector<std::string_view>() : base::split_devices(list);
  const auto gpus = found ? device::cuda::cuda_device_count()
                          : std::ranges::count_if(ids, [](std::string_view id) { return id.starts_with("cuda:"); });
  const std::vector<Candidate> all = candidates(options, static_cast<unsigned>(gpus));
  if (found) return core::open_found(all, !list.empty());
  std::vector<std::unique_ptr<device::Device>> opened;
  std::vector<Candidate> wanted;
  for (const std::string_view id : ids) {
    if (std::any_of(wanted.begin(), wanted.end(), [&](const Candidate& other) { return other.id == id; }))
      base::fail(ErrorCode::invalid_argument, "device '{}' is named twice in '{}'", id, list);
    wanted.push_back(find(all, id, options));
  }
  for (const Candidate& device : wanted) opened.push_back(device.open());
  return opened;
}

std::vector<std::string> device_ids() {
  std::vector<std::string> ids;
  for (const Candidate& device : candidates({})) ids.push_back(device.id);
  return ids;
}

}  // namespace heddle::runtime
