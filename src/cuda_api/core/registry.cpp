#include "cuda_api/core/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "cuda_api/core/process.hpp"

namespace heddle::cuda_api {

Registry& registry() {
  static Registry* const made = new Registry;
  return *made;
}

Registry::Registry() {
  Process::when_made([this](Process& process) { managed_variables.show_to(process); });
}

Image& Registry::add_image(const void* wrapper) {
  const std::unique_lock lock(mutex_);
  return images_.emplace_back(wrapper);
}

Image& Registry::add_linked(std::span<const void* const> units) {
  const std::unique_lock lock(mutex_);
  Image*& image = linked_[units.data()];
  if (image) return *image;
  image = &images_.emplace_back(static_cast<const void*>(nullptr));
  for (const void* const unit : units) image->link(unit);
  return *image;
}

void Registry::remove_image(Image& image) {
  managed_variables.remove(image);
  const std::unique_lock lock(mutex_);
  std::erase_if(linked_, [&](const auto& entry) { return entry.second == &image; });
  image.forget();
  changes_.fetch_add(1, std::memory_order_release);
  std::erase_if(by_stub_, [&](const auto& entry) { return entry.second.second == &image; });
  std::erase_if(by_shadow_, [&](const auto& entry) { return entry.second.second == &image; });
  std::erase_if(managed_, [&](const Managed& managed) { return managed.image == &image; });
}

void Registry::add_kernel(Image& image, const void* stub, const char* name) {
  const std::unique_lock lock(mutex_);
  KernelEntry& kernel = kernels_.emplace_back(image, name, stub);
  by_stub_[stub] = by_stub_[&kernel] = {&kernel, &image};
  changes_.fetch_add(1, std::memory_order_release);
}

void Registry::add_variable(Image& image, void* shadow, const char* name, std::size_t size) {
  {
    const std::unique_lock lock(mutex_);
    by_shadow_[shadow] = {&variables_.emplace_back(image, name, size), &image};
  }
  if (!managed_variables.covers(shadow)) return;
  image.place({name, shadow, size});
  managed_variables.add(image, shadow, size);
}

void Registry::reset_managed(const Context& context) {
  if (!context.info().managed_memory) return;
  const std::shared_lock lock(mutex_);
  for (Image& image : images_)
    if (!image.gone()) image.write_initial_values();
}

void Registry::add_managed(Image& image, void** pointer, const char* name, std::size_t size) {
  const std::unique_lock lock(mutex_);
  VariableEntry& variable = variables_.emplace_back(image, name, size);
  by_shadow_[pointer] = {&variable, &image};
  managed_.push_back({&image, pointer, &variable});
}

void Registry::place_managed(Image& image, Context& context) {
  std::vector<Managed> mine;
  {
    const std::shared_lock lock(mutex_);
    std::copy_if(managed_.begin(), managed_.end(), std::back_inserter(mine),
                 [&](const Managed& managed) { return managed.image == &image; });
  }
  if (mine.empty()) return;
  require_managed(context);
  for (const Managed& managed : mine) {
    const MemorySpan span = managed.variable->on(context);
    Block block;
    block.address = span.address;
    block.size = span.size;
    block.kind = BlockKind::managed;
    block.device = context.number();
    block.span = span;
    block.hints = std::make_shared<MemoryHints>();
    Process::get().memory.add(std::move(block));
    *managed.pointer = reinterpret_cast<void*>(span.address);
    // The program's &variable is the address itself.
    const std::unique_lock lock(mutex_);
    by_shadow_[*managed.pointer] = {managed.variable, &image};
  }
}

namespace {

// A thread's last kernels, by their stubs: a launch then takes no lock.
struct Recent {
  const void* stub = nullptr;
  KernelEntry* kernel = nullptr;
  std::uint64_t changes = 0;
};
constexpr std::size_t recent_kernels = 16;

Recent& recent(const void* stub) {
  thread_local Recent all[recent_kernels];
  return all[reinterpret_cast<std::uintptr_t>(stub) / 16 % recent_kernels];  // functions are aligned to 16 bytes
}

}  // namespace

KernelEntry& Registry::kernel(const void* stub) {
  Recent& last = recent(stub);
  const std::uint64_t changes = changes_.load(std::memory_order_acquire);
  if (last.stub == stub && last.changes == changes && stub) return *last.kernel;
  {
    const std::shared_lock lock(mutex_);
    const auto found = by_stub_.find(stub);
    if (found != by_stub_.end()) {
      last = {stub, found->second.first, changes};
      return *last.kernel;
    }
  }
  if (KernelEntry* const loaded = libraries().find_kernel(stub)) return *loaded;
  throw Failure(cudaErrorInvalidDeviceFunction, fmt::format("{} is not a kernel of the program", stub));
}

KernelHome Registry::home(const KernelEntry* kernel) {
  if (const std::optional<KernelHome> home = libraries().home(kernel)) return *home;
  if (!has_kernel(kernel))
    throw Failure(cudaErrorInvalidResourceHandle, "the function is none, or its module was unloaded");
  return {};
}

bool Registry::has_kernel(const KernelEntry* kernel) {
  const std::shared_lock lock(mutex_);
  return std::any_of(by_stub_.begin(), by_stub_.end(), [&](const auto& e) { return e.second.first == kernel; });
}

VariableEntry& Registry::variable(const void* shadow) {
  const std::shared_lock lock(mutex_);
  const auto found = by_shadow_.find(shadow);
  if (found == by_shadow_.end())
    throw Failure(cudaErrorInvalidSymbol, fmt::format("{} is not a variable of the program's devices", shadow));
  return *found->second.first;
}

}  // namespace heddle::cuda_api
