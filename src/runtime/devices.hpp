// The devices that this build supports and this machine has.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/trace.hpp"
#include "base/watcher.hpp"
#include "device/device.hpp"
#include "heddle/checks.hpp"

namespace heddle::runtime {

struct DeviceOptions {
  unsigned workers = 0;  // of the CPU device; 0: one for each core the process may use
  Checks check = false;  // only devices that can do it are opened by default
  std::function<void(const std::string&)> on_finding = {};  // RuntimeOptions::on_finding
  base::TraceSink* trace = nullptr;                         // must outlive the devices
  std::shared_ptr<base::Watcher> watcher = base::process_watcher();
};

// "cuda:0,cpu": these, in that order. Empty: all devices that are found, GPUs first, without the interpreter, which is
// an oracle for tests and is opened only by name. "gpus": all GPUs; if there are none, the CPU, which takes time and
// threads to open. "sim:MACHINE" and what parse_sim_options() (device/sim/sim.hpp) permits after it: a simulated GPU,
// which is opened only by name too. Throws not_found for an unknown id and invalid_argument for one that is named
// twice.
std::vector<std::unique_ptr<device::Device>> open_devices(std::string_view list, const DeviceOptions& options);

// All valid ids.
std::vector<std::string> device_ids();

}  // namespace heddle::runtime
