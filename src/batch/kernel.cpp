#include "batch/kernel.hpp"

#include <cstring>
#include <utility>

#include "base/fail.hpp"
#include "base/hash.hpp"
#include "ptx/analysis/block_independence.hpp"
#include "ptx/analysis/waiting.hpp"
#include "ptx/printer.hpp"

namespace heddle::batch {
namespace {

std::string find_why_whole(const ptx::Module& module, const ptx::Function& function, device::Function& loaded) {
  const auto all = ptx::analysis::find_block_independence(module, ptx::analysis::find_waiting(module, {}));
  const auto& blocks = all[static_cast<std::size_t>(&function - module.functions.data())];
  if (!blocks.independent()) return ptx::analysis::describe(module, blocks);
  return loaded.prepare_ranges() ? std::string() : "the device runs no parts of its grid";
}

}  // namespace

Kernel::Kernel(device::Device& device, KernelSpec spec) : device_(device), spec_(std::move(spec)) {
  loaded_ = device.load(spec_.module, {.check = spec_.check});
  function_ = &loaded_->function(entry());
  function_->prepare(config().block);
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
  reset();
  const ptx::Function& function = function_->ptx();
  id_ = base::hash64(fmt::format("{} {}x{}x{} {}\n", entry(), config().block.x, config().block.y, config().block.z,
                                 config().dynamic_shared_bytes),
                     base::hash64(ptx::print(*spec_.module)));
  why_whole_ = find_why_whole(*spec_.module,
                              *std::find_if(spec_.module->functions.begin(), spec_.module->functions.end(),
                                            [&](const auto& f) { return f.name == function.name; }),
                              *function_);
}

void Kernel::copy(device::Span to, device::Span from) {
  const auto queue = device_.queue({});
  queue->copy(to, from);
  queue->synchronize();
}

void Kernel::reset() {
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
