#include "cuda_api/core/managed_variables.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>

#include "cuda_api/core/process.hpp"

namespace heddle::cuda_api {
namespace {

std::uint64_t address_of(const void* p) { return reinterpret_cast<std::uint64_t>(p); }

// The program's own variables stay until the last thread of it has ended, and so do kernels that use them.
std::atomic<bool> process_ends{false};

}  // namespace

void ManagedVariables::add_section(const void* begin, const void* end) {
  const base::Lock lock(mutex_);
  sections_[address_of(begin)] = address_of(end);
}

bool ManagedVariables::covers(const void* variable) const {
  const base::Lock lock(mutex_);
  const auto after = sections_.upper_bound(address_of(variable));
  return after != sections_.begin() && address_of(variable) < std::prev(after)->second;
}

void ManagedVariables::add(const Image& image, void* variable, std::size_t size) {
  const base::Lock lock(mutex_);
  const auto found = variables_.try_emplace(address_of(variable)).first;
  const bool is_new = found->second.images.empty();
  found->second.images.insert(&image);
  found->second.size = std::max(found->second.size, size);
  if (process_ && is_new) show(*process_, *found);
}

void ManagedVariables::remove(const Image& image) {
  if (process_ends) return;
  Process* process = nullptr;
  {
    const base::Lock lock(mutex_);
    const bool has_some = std::any_of(variables_.begin(), variables_.end(),
                                      [&](const auto& variable) { return variable.second.images.contains(&image); });
    if (!has_some) return;
    process = process_;
  }
  for (int i = 0; process && i < process->device_count(); ++i) {
    try {
      process->context(i).synchronize();
    } catch (const std::exception&) {  // told to who asks for it
    }
  }
  const base::Lock lock(mutex_);
  for (auto it = variables_.begin(); it != variables_.end();) {
    const auto next = std::next(it);
    if (it->second.images.erase(&image) != 0 && it->second.images.empty()) {
      hide(*it);
      variables_.erase(it);
    }
    it = next;
  }
}

// The library that the section is of goes, with all in it.
void ManagedVariables::hide(Variables::value_type& variable) {
  if (process_) process_->memory.take(variable.first);
  const auto after = sections_.upper_bound(variable.first);
  if (after != sections_.begin() && variable.first < std::prev(after)->second) sections_.erase(std::prev(after));
}

void ManagedVariables::show(Process& process, Variables::value_type& variable) {
  auto* const data = reinterpret_cast<void*>(variable.first);
  for (int i = 0; i < process.device_count(); ++i) {
    Context& context = process.context(i);
    if (!context.info().managed_memory) continue;
    variable.second.for_kernels.push_back(context.device().register_host(data, variable.second.size));
    if (variable.second.for_kernels.size() > 1) continue;
    Block block;
    block.address = variable.first;
    block.size = variable.second.size;
    block.kind = BlockKind::managed;
    block.device = i;
    block.span = {i, block.address, block.size};
    block.hints = std::make_shared<MemoryHints>();
    process.memory.add_lasting(std::move(block));
  }
}

void ManagedVariables::show_to(Process& process) {
  const base::Lock lock(mutex_);
  process_ = &process;
  std::atexit([] { process_ends = true; });
  for (auto& variable : variables_) show(process, variable);
}

void require_managed(const Context& context) {
  if (!context.info().managed_memory)
    throw Failure(cudaErrorNotSupported, "managed variables (__managed__) on " + context.info().id +
                                             ", where they can bring down a GPU that others use, are not supported");
}

}  // namespace heddle::cuda_api
