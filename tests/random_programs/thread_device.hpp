// A device whose queues are threads and whose kernels are functions: what overlaps there overlaps really, and whoever
// goes first is chance. For tests of scheduling without a code generator.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "device/device.hpp"

namespace heddle::test {

struct ThreadLaunch {
  device::LaunchConfig config;
  BlockRange range;  // the blocks to run
  std::span<const std::byte> arguments;
  const std::vector<device::ParameterLayout>* layout;
  // The parameter at this place.
  template <class T>
  T argument(std::size_t i) const {
    T value;
    std::memcpy(&value, arguments.data() + (*layout)[i].offset, sizeof value);
    return value;
  }
};
using ThreadKernel = std::function<void(const ThreadLaunch&)>;

// `host_reaches_memory`: else its addresses are no host pointers for others, and bytes must be copied. `on_load`:
// called as a module is loaded, in place of a compiler; null: nothing is.
std::unique_ptr<device::Device> make_thread_device(std::string id, bool host_reaches_memory,
                                                   std::map<std::string, ThreadKernel> kernels,
                                                   std::function<void(const ptx::Module&)> on_load = nullptr);

// Waits until the progress flag at this address says that all bytes below `end` have arrived.
void await_arrival(std::uint64_t word, std::uint64_t end);

// What an address in a launch's arguments points to.
void* reach(std::uint64_t address);

}  // namespace heddle::test
