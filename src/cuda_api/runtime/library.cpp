// Libraries: modules that the program loads itself, from memory or from a file.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <filesystem>
#include <map>
#include <mutex>

#include "base/file.hpp"
#include "cuda_api/runtime/call.hpp"

using namespace heddle::cuda_api;

// What a cudaLibrary_t points to. Never freed, so that a handle of one that was unloaded is found to be dead.
struct CUlib_st {
  std::atomic<bool> alive{true};
  Image* image = nullptr;
  std::mutex mutex;
  std::map<std::string, KernelEntry*> kernels;
  std::map<std::string, VariableEntry> variables;
  std::vector<std::uint64_t> known;  // addresses of variables that the memory table has
};

namespace {

std::deque<CUlib_st>& libraries() {
  static auto* const made = new std::deque<CUlib_st>;
  return *made;
}
std::mutex libraries_mutex;

CUlib_st& library_of(CUlib_st* library) {
  if (!library || !library->alive)
    throw Failure(cudaErrorInvalidResourceHandle, "the library was not loaded, or was unloaded");
  return *library;
}

// A fat binary, what a program would register of one, or PTX. Nothing says how long it is but itself.
FatBinary read_image(const void* code) {
  constexpr std::uint32_t wrapper = 0x466243b1, container = 0xba55ed50, elf = 0x464c457f;
  std::uint32_t magic = 0;
  require(code, cudaErrorInvalidValue, "no code");
  std::memcpy(&magic, code, std::min(sizeof magic, std::strlen(static_cast<const char*>(code)) + 1));
  if (magic == wrapper) return read_registered_binary(code);
  if (magic == container) return read_fat_binary(code);
  if (magic == elf)
    throw Failure(cudaErrorNoKernelImageForDevice,
                  "the library is machine code (a cubin); Heddle runs PTX: give it that, or a fat binary with it");
  return {{{0, static_cast<const char*>(code)}}, {}};
}

void load(Context& context, CUlib_st** library, FatBinary binary) {
  Image& image = registry().add_image(std::move(binary));
  try {
    const heddle::Module& module = image.on(context);
    const std::lock_guard lock(libraries_mutex);
    CUlib_st& made = libraries().emplace_back();
    made.image = &image;
    for (const std::string& name : module.kernel_names()) made.kernels[name] = &registry().add_kernel(image, name);
    *library = &made;
  } catch (...) {
    registry().remove_image(image);
    throw;
  }
}

heddle::MemorySpan variable(Context& context, CUlib_st& library, const char* name) {
  const std::lock_guard lock(library.mutex);
  auto found = library.variables.find(name);
  if (found == library.variables.end())
    found = library.variables.try_emplace(name, *library.image, name, std::size_t{0}).first;
  heddle::MemorySpan span;
  try {
    span = found->second.on(context);
  } catch (const Failure& failure) {
    if (failure.code() != cudaErrorInvalidSymbol) throw;
    throw Failure(cudaErrorSymbolNotFound, failure.what());
  }
  if (!context.process().memory.find(span.address)) {
    Block block;
    block.address = span.address;
    block.size = span.size;
    block.kind = BlockKind::variable;
    block.device = context.number();
    block.span = span;
    context.process().memory.add(std::move(block));
    library.known.push_back(span.address);
  }
  return span;
}

cudaError_t get_variable(const char* function, void** p, std::size_t* size, CUlib_st* library, const char* name,
                         bool managed) {
  return with_context(function, [&](Context& context) {
    require(name && (p || size), cudaErrorInvalidValue, "no name, or nothing to ask");
    if (managed && !context.info().host_memory) not_supported("managed memory on " + context.info().id);
    const heddle::MemorySpan span = variable(context, library_of(library), name);
    if (p) *p = reinterpret_cast<void*>(span.address);
    if (size) *size = span.size;
  });
}

}  // namespace

// How the code is to be compiled is the device's business: options are passed over.
HEDDLE_CUDA_API cudaError_t cudaLibraryLoadData(CUlib_st** library, const void* code, int*, void**, unsigned, int*,
                                                void**, unsigned) {
  return with_context(__func__, [&](Context& context) {
    require(library, cudaErrorInvalidValue, "no place for the library");
    load(context, library, read_image(code));
  });
}
HEDDLE_CUDA_API cudaError_t cudaLibraryLoadFromFile(CUlib_st** library, const char* file, int*, void**, unsigned, int*,
                                                    void**, unsigned) {
  return with_context(__func__, [&](Context& context) {
    require(library && file, cudaErrorInvalidValue, "no place for the library, or no file");
    if (!std::filesystem::is_regular_file(file))
      throw Failure(cudaErrorFileNotFound, std::string("there is no file ") + file);
    const std::string code = heddle::base::read_file(file);
    load(context, library, read_image(code.c_str()));
  });
}
HEDDLE_CUDA_API cudaError_t cudaLibraryUnload(CUlib_st* library) {
  return with_context(__func__, [&](Context& context) {
    CUlib_st& ended = library_of(library);
    Process& process = context.process();
    for (int i = 0; i < process.device_count(); ++i) process.context(i).synchronize();
    require(ended.alive.exchange(false), cudaErrorInvalidResourceHandle, "the library was unloaded before");
    registry().remove_image(*ended.image);
    const std::lock_guard lock(ended.mutex);
    for (const std::uint64_t address : ended.known) process.memory.take(address);
    ended.image->unload();
  });
}

HEDDLE_CUDA_API cudaError_t cudaLibraryGetKernel(KernelEntry** kernel, CUlib_st* library, const char* name) {
  return guarded(__func__, [&] {
    require(kernel && name, cudaErrorInvalidValue, "no place for the kernel, or no name");
    const auto& kernels = library_of(library).kernels;
    const auto found = kernels.find(name);
    if (found == kernels.end())
      throw Failure(cudaErrorSymbolNotFound, std::string("the library has no kernel '") + name + "'");
    *kernel = found->second;
  });
}
HEDDLE_CUDA_API cudaError_t cudaLibraryGetKernelCount(unsigned* count, CUlib_st* library) {
  return guarded(__func__, [&] {
    require(count, cudaErrorInvalidValue, "no place for the number");
    *count = static_cast<unsigned>(library_of(library).kernels.size());
  });
}
HEDDLE_CUDA_API cudaError_t cudaLibraryEnumerateKernels(KernelEntry** kernels, unsigned most, CUlib_st* library) {
  return guarded(__func__, [&] {
    require(kernels && most > 0, cudaErrorInvalidValue, "no place for kernels");
    for (const auto& [name, kernel] : library_of(library).kernels) {
      if (most-- == 0) return;
      *kernels++ = kernel;
    }
  });
}
HEDDLE_CUDA_API cudaError_t cudaLibraryGetGlobal(void** p, std::size_t* size, CUlib_st* library, const char* name) {
  return get_variable(__func__, p, size, library, name, false);
}
HEDDLE_CUDA_API cudaError_t cudaLibraryGetManaged(void** p, std::size_t* size, CUlib_st* library, const char* name) {
  return get_variable(__func__, p, size, library, name, true);
}
