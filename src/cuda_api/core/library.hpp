// Code that a program loads while it runs: libraries, which serve every context, and modules, which are a library in
// one context. These are the targets of CUlibrary, CUmodule, CUkernel and CUfunction; a CUkernel and a CUfunction are
// both a KernelEntry.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cuda_api/abi/runtime.hpp"
#include "cuda_api/core/entry.hpp"
#include "cuda_api/core/memory_table.hpp"

struct CUmod_st;

// What a CUlibrary points to. Guarded by the table that it is in.
struct CUlib_st {
  explicit CUlib_st(heddle::cuda_api::FatBinary binary) : image(std::move(binary)) {}
  heddle::cuda_api::Image image;
  // Those that were requested.
  std::map<std::string, std::unique_ptr<heddle::cuda_api::KernelEntry>, std::less<>> kernels;
  std::vector<std::unique_ptr<CUmod_st>> modules;  // one a context, as far as they were asked for
  std::vector<std::uint64_t> variables;            // those that were asked for, in any context
  bool is_module = false;                          // loaded for one context only: its one module's
};

// What a CUmodule points to.
struct CUmod_st {
  CUlib_st* library = nullptr;
  heddle::cuda_api::Context* context = nullptr;
};

namespace heddle::cuda_api {

// The next launch of a kernel, as programs before CUDA 4.0 describe it: piece by piece.
struct OldLaunch {
  dim3 block;
  unsigned shared = 0;
  std::vector<std::byte> arguments;
};

// The origin of a kernel's handle.
struct KernelHome {
  CUlib_st* library = nullptr;  // null: the program registered it
  Context* context = nullptr;   // the only one that it runs in; null: it runs in all
};

// Any thread. Handles that are invalid, or no longer valid, are detected and throw cudaErrorInvalidResourceHandle.
class Libraries {
 public:
  // Throws what Image::on throws, if the code cannot be loaded in this context.
  CUlib_st& load(Context& context, FatBinary binary);
  CUmod_st& load_module(Context& context, FatBinary binary);
  // Waits for the contexts in which the library is loaded.
  void unload(CUlib_st* library);
  void unload(CUmod_st* module);
  // All modules of a context that ends.
  void forget(Context& context);

  CUlib_st& find(CUlib_st* library) const;
  CUmod_st& find(CUmod_st* module) const;
  // Nothing if it is no kernel of a library or module.
  std::optional<KernelHome> home(const KernelEntry* kernel) const;
  // Null if it is no kernel of a library or module.
  KernelEntry* find_kernel(const void* handle) const;
  // The library in a context; loaded there if it is not yet.
  CUmod_st& module(CUlib_st& library, Context& context);

  // By its exact name. Throws cudaErrorSymbolNotFound, with all names.
  KernelEntry& kernel(CUlib_st& library, Context& context, std::string_view name);
  // One thread at a time may use it.
  OldLaunch& old_launch(KernelEntry& kernel);
  // In the order of the code.
  std::vector<std::string> kernel_names(CUlib_st& library, Context& context);
  // The variable's address in that context. Throws cudaErrorSymbolNotFound.
  MemorySpan variable(CUlib_st& library, Context& context, const std::string& name);
  // The same for one that the host uses too. Throws cudaErrorNotSupported where it cannot.
  MemorySpan managed_variable(CUlib_st& library, Context& context, const std::string& name);

 private:
  MemorySpan find_variable(CUlib_st& library, Context& context, const std::string& name, BlockKind kind);
  void drop(CUlib_st& library);

  mutable std::shared_mutex mutex_;
  std::unordered_map<const CUlib_st*, std::unique_ptr<CUlib_st>> libraries_;
  std::unordered_map<const CUmod_st*, CUlib_st*> modules_;
  std::unordered_map<const KernelEntry*, KernelHome> kernels_;
  std::unordered_map<const KernelEntry*, OldLaunch> old_launches_;
};

// The process's; never destroyed.
Libraries& libraries();

}  // namespace heddle::cuda_api
