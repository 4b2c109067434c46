#include "cuda_api/core/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/apart.hpp"
#include "cuda_api/core/graph_condition.hpp"
#include "cuda_api/core/library.hpp"
#include "cuda_api/core/process.hpp"
#include "cuda_api/core/program_binary.hpp"

namespace heddle::cuda_api {
namespace {

std::string list_of(const std::vector<unsigned>& gpus) {
  std::string text;
  for (unsigned gpu : gpus) text += fmt::format("{}sm_{}", text.empty() ? "" : ", ", gpu);
  return text.empty() ? "nothing" : "machine code for " + text;
}

[[noreturn]] void no_ptx(const FatBinary& binary, const Context& context) {
  if (!binary.ptx.empty())
    throw Failure(cudaErrorNoKernelImageForDevice,
                  fmt::format("the program's PTX is for GPUs newer than {} (compute_{} at the least)",
                              context.info().id, choose_ptx(binary, 0)->arch));
  throw Failure(cudaErrorNoKernelImageForDevice,
                fmt::format("the program carries {} and no PTX, which is what Heddle runs; build it with PTX, as with "
                            "nvcc -gencode arch=compute_80,code=compute_80",
                            list_of(binary.machine_code)));
}

}  // namespace

const FatBinary& Image::binary() {
  if (!binary_) binary_ = read_program_binary(linked_.empty() ? std::span(&wrapper_, 1) : std::span(linked_));
  return *binary_;
}

void Image::place(PlacedVariable variable) {
  const std::lock_guard lock(mutex_);
  placed_.push_back(std::move(variable));
}

void Image::write_values_of(const FatBinary& file) {
  // All of its texts have the same values.
  const FatPtx* const ptx = choose_ptx(file, 0);
  if (!ptx) return;
  for (OpenAddress& address : heddle::write_initial_values(ptx->text, placed_)) open_.push_back(std::move(address));
  // What another file has said before may be known now.
  std::erase_if(open_, [&](const OpenAddress& open) {
    const auto found = std::find_if(placed_.begin(), placed_.end(),
                                    [&](const PlacedVariable& variable) { return variable.name == open.name; });
    if (found == placed_.end()) return false;
    const std::uint64_t address =
        reinterpret_cast<std::uint64_t>(found->data) + static_cast<std::uint64_t>(open.offset);
    std::uint64_t there = 0;
    std::memcpy(&there, open.place, sizeof there);
    if (there == address_of_device) std::memcpy(open.place, &address, sizeof address);
    return true;
  });
}

void Image::write_initial_values(const void* wrapper) {
  const std::lock_guard lock(mutex_);
  if (placed_.empty()) return;
  base::run_apart([&] {
    try {
      write_values_of(read_registered_binary(wrapper));
    } catch (const std::exception& error) {  // said where they are used
      problem_ = error.what();
    }
  });
}

void Image::write_initial_values() {
  {
    const std::lock_guard lock(mutex_);
    open_.clear();
  }
  if (linked_.empty()) return write_initial_values(wrapper_);
  for (const void* wrapper : linked_) write_initial_values(wrapper);
}

heddle::Module Image::on(Context& context) {
  const std::lock_guard lock(mutex_);
  const auto number = static_cast<std::size_t>(context.slot());
  if (loaded_.size() <= number) loaded_.resize(number + 1);
  Loaded& loaded = loaded_[number];
  if (loaded.module && loaded.epoch == context.epoch()) return *loaded.module;
  if (!placed_.empty()) {
    require_managed(context);
    if (!problem_.empty()) throw Failure(cudaErrorNotSupported, problem_);
  }
  base::run_apart([&] {
    // GPUs run what is not newer than they are; the CPU device runs all of it.
    const FatPtx* ptx = choose_ptx(binary(), context.capability());
    if (!ptx) no_ptx(binary(), context);
    loaded.module.reset();
    const std::string text = with_set_conditional(ptx->text);
    heddle::Module module = context.process().runtime().load_ptx(text, "the program's PTX");
    // What the driver runs must be what the PTX says.
    context.device().load(
        module, text == ptx->text ? std::span<const std::byte>(binary_->container) : std::span<const std::byte>(),
        placed_);
    loaded.module.emplace(std::move(module));
  });
  loaded.epoch = context.epoch();
  return *loaded.module;
}

unsigned Image::ptx_arch(Context& context) {
  const std::lock_guard lock(mutex_);
  const FatPtx* ptx = choose_ptx(binary(), context.capability());
  return ptx ? ptx->arch : 0;
}

void Image::unload() {
  const std::lock_guard lock(mutex_);
  loaded_.clear();
}

void KernelEntry::prepare(Context& context, const heddle::LoadedKernel& loaded, const Dim3& block) {
  // A GPU's code does not depend on the block.
  if (!context.info().host_memory || block.x > 1024 || block.y > 1024 || block.z > 64) return;
  const std::uint64_t key = context.epoch() << 40 | std::uint64_t(context.number() & 63) << 34 |
                            std::uint64_t{block.x} << 20 | block.y << 8 | block.z;
  if (prepared_.load(std::memory_order_relaxed) == key) return;
  base::run_apart([&] { loaded.prepare(block); });
  prepared_.store(key, std::memory_order_relaxed);
}

const heddle::LoadedKernel& KernelEntry::on(Context& context) {
  std::atomic<const Loaded*>& place = loaded_[context.slot() % most_contexts];
  const Loaded* loaded = place.load(std::memory_order_acquire);
  if (loaded && loaded->epoch == context.epoch()) return loaded->kernel;
  const std::lock_guard lock(mutex_);
  try {
    base::run_apart([&] {
      const heddle::Module module = image_.on(context);
      all_.push_back({context.device().load(module.kernel(name_)), context.epoch()});
    });
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) throw;
    throw Failure(cudaErrorInvalidDeviceFunction, error.what());
  }
  place.store(&all_.back(), std::memory_order_release);
  return all_.back().kernel;
}

bool KernelEntry::is_on(const Context& context) const {
  const Loaded* const loaded = loaded_[context.slot() % most_contexts].load(std::memory_order_acquire);
  return loaded && loaded->epoch == context.epoch();
}

MemorySpan VariableEntry::on(Context& context) {
  try {
    return context.device().variable(image_.on(context), name_);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) throw;
    throw Failure(cudaErrorInvalidSymbol, error.what());
  }
}

Image& Registry::add_image(const void* wrapper) {
  const std::unique_lock lock(mutex_);
  return images_.emplace_back(wrapper);
}

Image& Registry::add_linked(const void* program, const void* wrapper) {
  const std::unique_lock lock(mutex_);
  Image*& image = linked_[program];
  if (!image) image = &images_.emplace_back(static_cast<const void*>(nullptr));
  image->link(wrapper);
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
    context.process().memory.add(std::move(block));
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
