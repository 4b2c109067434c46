#include "cuda_api/core/process.hpp"

#include <algorithm>

#include "base/log.hpp"

namespace heddle::cuda_api {

ThreadState& thread_state() {
  thread_local ThreadState state;
  return state;
}

Registry& registry() {
  static Registry* const made = new Registry;  // never taken down, see Process
  return *made;
}

Process::Process()
    : settings_(read_settings()),
      runtime_({.devices = settings_.devices, .check = settings_.check, .slice = settings_.slice}) {
  const std::vector<DeviceInfo> devices = runtime_.devices();
  // A CUDA program sees GPUs; the CPU stands in for one where there is none, or where it is asked for.
  const bool gpus = std::any_of(devices.begin(), devices.end(), [](const DeviceInfo& d) { return !d.host_memory; });
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (settings_.devices.empty() && gpus && devices[i].host_memory) continue;
    contexts_.push_back(
        std::make_unique<Context>(*this, static_cast<int>(contexts_.size()), runtime_.device(static_cast<int>(i))));
  }
}

Process& Process::get() {
  static Process* const made = [] {
    try {
      return new Process;  // never taken down
    } catch (const Error& error) {
      base::log_error("{}", error.what());
      throw Failure(cudaErrorNoDevice, error.what());
    }
  }();
  return *made;
}

Context& Process::context(int number) {
  if (number < 0 || number >= device_count())
    throw Failure(cudaErrorInvalidDevice,
                  "there is no device " + std::to_string(number) + "; there are " + std::to_string(device_count()));
  return *contexts_[static_cast<std::size_t>(number)];
}

void Process::end_later(heddle::Queue queue) {
  heddle::Event end = runtime_.device(queue.device()).event();
  queue.record(end);
  std::vector<Ending> done;  // ends after the lock is given back
  const std::lock_guard lock(ending_mutex_);
  for (auto it = ending_.begin(); it != ending_.end();) {
    if (it->end.done()) {
      done.push_back(std::move(*it));
      it = ending_.erase(it);
    } else {
      ++it;
    }
  }
  ending_.push_back({std::move(end), std::move(queue)});
}

}  // namespace heddle::cuda_api
