// The public handles, in terms of the runtime's own classes.
#include <string>
#include <vector>

#include "heddle/array.hpp"
#include "heddle/kernel.hpp"
#include "heddle/launch.hpp"
#include "heddle/module.hpp"
#include "runtime/buffer.hpp"
#include "runtime/core.hpp"
#include "runtime/launch_state.hpp"
#include "runtime/module_state.hpp"

namespace heddle {

const char* name(Access access) {
  switch (access) {
    case Access::none: return "none";
    case Access::read: return "read";
    case Access::write: return "write";
    case Access::read_write: return "read-write";
    case Access::unknown: return "unknown";
  }
  return "unknown";
}

const std::string& Kernel::name() const { return state_->name(); }
const KernelInfo& Kernel::info() const { return state_->info(); }

Kernel Module::kernel(std::string_view name) const { return Kernel(state_->kernel(name)); }

std::vector<std::string> Module::kernel_names() const {
  std::vector<std::string> names;
  for (const auto& kernel : state_->kernels()) names.push_back(kernel->name());
  return names;
}

const std::string& Module::ptx() const { return state_->text(); }

void Module::write_variable(std::string_view name, std::size_t offset, std::span<const std::byte> bytes,
                            std::string_view device) {
  state_->write_variable(name, offset, bytes, state_->core()->find(device));
}

void Module::read_variable(std::string_view name, std::size_t offset, std::span<std::byte> bytes,
                           std::string_view device) const {
  state_->read_variable(name, offset, bytes, state_->core()->find(device));
}

std::size_t ArrayBytes::bytes() const { return buffer_->bytes(); }
const void* ArrayBytes::read_bytes() const { return buffer_->read(); }
void* ArrayBytes::write_bytes() { return buffer_->write(); }
std::uint64_t ArrayBytes::address(std::string_view device) { return buffer_->pin(buffer_->core()->find(device)); }

bool Launch::done() const noexcept { return state_->done(); }
void Launch::wait() const { state_->wait(); }
double Launch::seconds() const { return state_->seconds(); }
const std::string& Launch::device() const { return state_->device(); }

}  // namespace heddle
