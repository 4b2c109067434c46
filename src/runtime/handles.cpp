// The public handles, in terms of the runtime's own classes.
#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "base/fail.hpp"
#include "core/core.hpp"
#include "heddle/array.hpp"
#include "heddle/kernel.hpp"
#include "heddle/launch.hpp"
#include "heddle/module.hpp"
#include "runtime/buffer.hpp"
#include "runtime/held.hpp"
#include "runtime/launch.hpp"
#include "runtime/module_state.hpp"

namespace heddle {

using runtime::held;

const std::string& Kernel::name() const { return held(state_, "Kernel").name(); }
const KernelInfo& Kernel::info() const { return held(state_, "Kernel").info(); }

KernelHistory Kernel::history() const {
  runtime::KernelState& kernel = held(state_, "Kernel");
  const base::Lock lock(kernel.core().mutex());
  return *kernel.history();
}

Kernel Module::kernel(std::string_view name) const { return Kernel(held(state_, "Module").kernel(name)); }

Kernel Module::kernel(std::string_view name, std::string_view signature) const {
  return Kernel(held(state_, "Module").kernel(name, signature));
}

std::vector<std::string> Module::kernel_names() const {
  std::vector<std::string> names;
  for (const auto& kernel : held(state_, "Module").kernels()) names.push_back(kernel->name());
  return names;
}

const std::string& Module::ptx() const { return held(state_, "Module").code().text(); }

VariableType Module::variable_type(std::string_view name) const { return held(state_, "Module").variable_type(name); }

void Module::set_variable(std::string_view name, ElementType type, std::span<const std::byte> bytes,
                          std::string_view device) {
  held(state_, "Module").check_variable(name, type, bytes.size());
  write_variable(name, 0, bytes, device);
}

void Module::get_variable(std::string_view name, ElementType type, std::span<std::byte> bytes,
                          std::string_view device) const {
  held(state_, "Module").check_variable(name, type, bytes.size());
  read_variable(name, 0, bytes, device);
}

void Module::write_variable(std::string_view name, std::size_t offset, std::span<const std::byte> bytes,
                            std::string_view device) {
  runtime::ModuleState& module = held(state_, "Module");
  module.write_variable(name, offset, bytes, module.core()->find(device));
}

void Module::read_variable(std::string_view name, std::size_t offset, std::span<std::byte> bytes,
                           std::string_view device) const {
  runtime::ModuleState& module = held(state_, "Module");
  module.read_variable(name, offset, bytes, module.core()->find(device));
}

bool Argument::host_only() const { return buffer_ == nullptr || buffer_->host_only(); }

void Argument::prefetch() const {
  if (buffer_ == nullptr || offset_ > buffer_->bytes()) return;
  buffer_->prefetch(offset_, offset_ + std::min(length_, buffer_->bytes() - offset_));
}

std::size_t ArrayBytes::bytes() const { return held(buffer_, "Array").bytes(); }
const void* ArrayBytes::read_bytes() const { return held(buffer_, "Array").read(); }
void* ArrayBytes::write_bytes() { return held(buffer_, "Array").write(); }
const void* ArrayBytes::read_bytes(std::size_t begin, std::size_t end) const {
  return held(buffer_, "Array").read(begin, end);
}
void* ArrayBytes::write_bytes(std::size_t begin, std::size_t end) { return held(buffer_, "Array").write(begin, end); }
const void* ArrayBytes::read_near(std::size_t begin, std::size_t end) const {
  return held(buffer_, "Array").read_near(begin, end);
}
void ArrayBytes::prefetch_bytes(std::size_t begin, std::size_t end) const {
  held(buffer_, "Array").prefetch(begin, end);
}
void ArrayBytes::refuse_range(std::size_t first, std::size_t count, std::size_t size) {
  base::fail(ErrorCode::invalid_argument, "{} values from {} on are no part of an array of {}", count, first, size);
}
std::uint64_t ArrayBytes::address(std::string_view device) {
  runtime::Buffer& buffer = held(buffer_, "Array");
  return buffer.pin(buffer.core().find(device));
}

bool Launch::done() const { return held(state_, "Launch").done(); }
void Launch::wait() const { held(state_, "Launch").wait(); }
double Launch::seconds() const { return held(state_, "Launch").seconds(); }
const std::string& Launch::device() const { return held(state_, "Launch").device(); }

}  // namespace heddle
