#include "batch/kernel.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/fail.hpp"
#include "base/hash.hpp"
#include "batch/launch_order.hpp"
#include "device/launch_check.hpp"
#include "ptx/analysis/block_independence.hpp"
#include "ptx/analysis/waiting/waiting.hpp"
#include "ptx/printer.hpp"

namespace heddle::batch {
namespace {

std::string find_why_whole(const ptx::Module& module, std::uint32_t function, device::Function& loaded) {
  const auto all = ptx::analysis::find_block_independence(module, ptx::analysis::find_waiting(module, {}));
  const auto& blocks = all[function];
  if (!blocks.independent()) return ptx::analysis::describe(module, blocks);
  return loaded.prepare_ranges() ? std::string() : "the device runs no parts of its grid";
}

std::string why_ordered(const KernelSpec& spec, std::uint32_t function) {
  if (spec.ordered) return *spec.ordered ? "its launches are to be in order" : "";
  std::vector<bool> arrays;
  for (const ArgumentData& argument : spec.arguments) arrays.push_back(argument.is_array);
  return find_why_ordered(*spec.module, function, arrays);
}

// What launches leave in variables, the next ones find.
bool has_state(const ptx::Module& module) {
  return std::any_of(module.variables.begin(), module.variables.end(),
                     [](const ptx::Variable& variable) { return variable.space == ptx::Space::global; });
}

}  // namespace

Kernel::Kernel(device::Device& device, KernelSpec spec) : device_(device), spec_(std::move(spec)) {
  load();
  const auto& layout = function_->parameters();
  if (layout.size() != spec_.arguments.size())
    base::fail(ErrorCode::invalid_argument, "{}: kernel '{}' has {} parameters, and {} arguments are given", name(),
               entry(), layout.size(), spec_.arguments.size());
  packed_.resize(function_->parameter_bytes());
  for (std::size_t i = 0; i < layout.size(); ++i) {
    const ArgumentData& argument = spec_.arguments[i];
    const std::size_t size = argument.is_array ? sizeof(std::uint64_t) : argument.bytes.size();
    if (size != layout[i].size)
      base::fail(ErrorCode::invalid_argument, "{}: argument {} has {} bytes; the parameter of kernel '{}' has {}",
                 name(), i + 1, size, entry(), layout[i].size);
    memory_.push_back(argument.is_array ? device.allocate(argument.bytes.size()) : nullptr);
    const std::uint64_t address = memory_[i] ? memory_[i]->span().address : 0;
    std::memcpy(packed_.data() + layout[i].offset,
                argument.is_array ? reinterpret_cast<const std::byte*>(&address) : argument.bytes.data(), size);
  }
  fill();
  const ptx::Function& function = function_->ptx();
  id_ = base::hash64(fmt::format("{} {}x{}x{} {}\n", entry(), config().block.x, config().block.y, config().block.z,
                                 config().dynamic_shared_bytes),
                     base::hash64(ptx::print(*spec_.module)));
  const auto& functions = spec_.module->functions;
  const auto index = static_cast<std::uint32_t>(
      std::find_if(functions.begin(), functions.end(), [&](const auto& f) { return f.name == function.name; }) -
      functions.begin());
  why_whole_ = find_why_whole(*spec_.module, index, *function_);
  why_ordered_ = batch::why_ordered(spec_, index);
}

void Kernel::load() {
  loaded_.reset();
  loaded_ = device_.load(spec_.module, {.check = spec_.check, .place = spec_.place});
  function_ = &loaded_->function(entry());
  // Not when other kernels have run.
  device::check_launch(device_.info(), *function_, config(), {0, blocks()}, function_->parameter_bytes());
  function_->prepare(config().block);
}

void Kernel::copy(device::Span to, device::Span from) {
  const auto queue = device_.queue({});
  queue->copy(to, from);
  queue->synchronize();
}

void Kernel::reset() {
  if (has_state(*spec_.module)) load();
  fill();
}

void Kernel::fill() {
  for (std::size_t i = 0; i < memory_.size(); ++i)
    if (memory_[i])
      copy(memory_[i]->span(), device::Span::host(spec_.arguments[i].bytes.data(), spec_.arguments[i].bytes.size()));
}

std::vector<std::byte> Kernel::read(std::size_t argument) {
  if (argument >= memory_.size() || !memory_[argument])
    base::fail(ErrorCode::invalid_argument, "{}: argument {} is no array", name(), argument + 1);
  std::vector<std::byte> bytes(spec_.arguments[argument].bytes.size());
  copy(device::Span::host(bytes.data(), bytes.size()), memory_[argument]->span().sub(0, bytes.size()));
  return bytes;
}

}  // namespace heddle::batch
