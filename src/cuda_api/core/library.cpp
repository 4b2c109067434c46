#include "cuda_api/core/library.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <mutex>

#include "cuda_api/core/managed_variables.hpp"
#include "cuda_api/core/process.hpp"

namespace heddle::cuda_api {

Libraries& libraries() {
  static Libraries* const made = new Libraries;  // never taken down, see Process
  return *made;
}

namespace {

// Registers a module's variable for copies and fills, and for the calls that query an address.
void add_variable_block(Context& context, const MemorySpan& span, BlockKind kind) {
  MemoryTable& memory = Process::get().memory;
  const std::optional<Block> known = memory.find(span.address);
  if (known && (known->kind == kind || kind == BlockKind::variable)) return;
  Block block;
  block.address = span.address;
  block.size = span.size;
  block.kind = kind;
  block.device = context.number();
  block.span = span;
  if (kind == BlockKind::managed) block.hints = std::make_shared<MemoryHints>();
  memory.add(std::move(block));
}

}  // namespace

CUlib_st& Libraries::load(Context& context, FatBinary binary) {
  auto made = std::make_unique<CUlib_st>(std::move(binary));
  made->image.on(context);
  const std::unique_lock lock(mutex_);
  return *libraries_.emplace(made.get(), std::move(made)).first->second;
}

CUmod_st& Libraries::load_module(Context& context, FatBinary binary) {
  CUlib_st& library = load(context, std::move(binary));
  library.is_module = true;
  return module(library, context);
}

CUlib_st& Libraries::find(CUlib_st* library) const {
  const std::shared_lock lock(mutex_);
  const auto found = libraries_.find(library);
  if (found == libraries_.end() || library->is_module)
    throw Failure(cudaErrorInvalidResourceHandle, "the library was not loaded, or was unloaded before");
  return *library;
}

CUmod_st& Libraries::find(CUmod_st* module) const {
  const std::shared_lock lock(mutex_);
  if (!modules_.contains(module))
    throw Failure(cudaErrorInvalidResourceHandle, "the module was not loaded, or was unloaded before");
  return *module;
}

std::optional<KernelHome> Libraries::home(const KernelEntry* kernel) const {
  const std::shared_lock lock(mutex_);
  const auto found = kernels_.find(kernel);
  return found == kernels_.end() ? std::nullopt : std::optional(found->second);
}

KernelEntry* Libraries::find_kernel(const void* handle) const {
  const std::shared_lock lock(mutex_);
  const auto* const entry = static_cast<const KernelEntry*>(handle);
  return kernels_.contains(entry) ? const_cast<KernelEntry*>(entry) : nullptr;
}

CUmod_st& Libraries::module(CUlib_st& library, Context& context) {
  library.image.on(context);
  const std::unique_lock lock(mutex_);
  for (const std::unique_ptr<CUmod_st>& module : library.modules)
    if (module->context == &context) return *module;
  CUmod_st& made = *library.modules.emplace_back(std::make_unique<CUmod_st>(CUmod_st{&library, &context}));
  modules_[&made] = &library;
  return made;
}

OldLaunch& Libraries::old_launch(KernelEntry& kernel) {
  const std::unique_lock lock(mutex_);
  return old_launches_[&kernel];  // stays where it is
}

std::vector<std::string> Libraries::kernel_names(CUlib_st& library, Context& context) {
  return library.image.on(context).kernel_names();
}

KernelEntry& Libraries::kernel(CUlib_st& library, Context& context, std::string_view name) {
  {
    const std::shared_lock lock(mutex_);
    const auto found = library.kernels.find(name);
    if (found != library.kernels.end()) return *found->second;
  }
  const std::vector<std::string> names = kernel_names(library, context);
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw Failure(cudaErrorSymbolNotFound,
                  fmt::format("the module has no kernel '{}'; it has {}", name, fmt::join(names, ", ")));
  const std::unique_lock lock(mutex_);
  std::unique_ptr<KernelEntry>& entry = library.kernels[std::string(name)];
  if (!entry) {
    entry = std::make_unique<KernelEntry>(library.image, std::string(name));
    kernels_[entry.get()] = {&library, library.is_module ? &context : nullptr};
  }
  return *entry;
}

MemorySpan Libraries::find_variable(CUlib_st& library, Context& context, const std::string& name, BlockKind kind) {
  try {
    const MemorySpan span = context.device().variable(library.image.on(context), name);
    add_variable_block(context, span, kind);
    const std::unique_lock lock(mutex_);
    library.variables.push_back(span.address);
    return span;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) throw;
    throw Failure(cudaErrorSymbolNotFound, error.what());
  }
}

MemorySpan Libraries::variable(CUlib_st& library, Context& context, const std::string& name) {
  return find_variable(library, context, name, BlockKind::variable);
}

MemorySpan Libraries::managed_variable(CUlib_st& library, Context& context, const std::string& name) {
  require_managed(context);
  return find_variable(library, context, name, BlockKind::managed);
}

// Needs the lock. The memory of its variables goes with the code.
void Libraries::drop(CUlib_st& library) {
  for (const auto& [name, kernel] : library.kernels) {
    kernels_.erase(kernel.get());
    old_launches_.erase(kernel.get());
  }
  for (const std::unique_ptr<CUmod_st>& module : library.modules) modules_.erase(module.get());
  for (const std::uint64_t address : library.variables) Process::get().memory.take(address);
  libraries_.erase(&library);
}

void Libraries::unload(CUlib_st* library) {
  CUlib_st& ended = find(library);
  // Kernels of the library run without a module of their own.
  for (Context* const context : Process::get().contexts.all())
    if (ended.image.is_on(*context)) context->synchronize();
  const std::unique_lock lock(mutex_);
  drop(ended);
}

void Libraries::unload(CUmod_st* module) {
  CUmod_st& ended = find(module);
  if (!ended.library->is_module)
    throw Failure(cudaErrorNotPermitted, "the module belongs to a library; cuLibraryUnload unloads it");
  ended.context->synchronize();
  const std::unique_lock lock(mutex_);
  drop(*ended.library);
}

void Libraries::forget(Context& context) {
  const std::unique_lock lock(mutex_);
  std::vector<CUlib_st*> gone;
  for (const auto& [library, owner] : libraries_) {
    const auto in_it = [&](const std::unique_ptr<CUmod_st>& module) { return module->context == &context; };
    const auto module = std::find_if(owner->modules.begin(), owner->modules.end(), in_it);
    if (module == owner->modules.end()) continue;
    if (owner->is_module) {
      gone.push_back(owner.get());
    } else {
      modules_.erase(module->get());
      owner->modules.erase(module);
    }
  }
  for (CUlib_st* library : gone) drop(*library);
}

}  // namespace heddle::cuda_api
