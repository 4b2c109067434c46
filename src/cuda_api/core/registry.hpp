// What the program has registered: fat binaries, and the kernels and variables in them.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <shared_mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cuda_api/core/entry.hpp"
#include "cuda_api/core/library.hpp"
#include "cuda_api/core/managed_variables.hpp"

namespace heddle::cuda_api {

// Any thread. Nothing that was registered is destroyed while the process lives; after unregistering it is not found.
class Registry {
 public:
  Registry();
  Image& add_image(const void* wrapper);
  // The image that the relocatable code of a program becomes, given the records of all its files. The first to ask may
  // use it before the others have registered: a constructor of a static object.
  Image& add_linked(std::span<const void* const> units);
  // Its kernels and variables are no longer found. They stay as they are for code that holds them.
  void remove_image(Image& image);
  void add_kernel(Image& image, const void* stub, const char* name);
  void add_variable(Image& image, void* shadow, const char* name, std::size_t size);
  // Managed variables have their initial values again, as all variables of the device have.
  void reset_managed(const Context& context);
  // Of a stub function of the host, or of a shadow variable. Throws cudaErrorInvalidDeviceFunction,
  // cudaErrorInvalidSymbol. A KernelEntry's own address stands for it too.
  KernelEntry& kernel(const void* stub);
  VariableEntry& variable(const void* shadow);
  // The origin of a kernel, by its entry's address. Throws cudaErrorInvalidResourceHandle for another address.
  KernelHome home(const KernelEntry* kernel);

  // Of programs of `heddle cc`.
  ManagedVariables managed_variables;

  // A __managed__ variable of nvcc's: the host finds it through `pointer`, from place_managed() on.
  void add_managed(Image& image, void** pointer, const char* name, std::size_t size);
  // Loads the image's managed variables for the context's device and writes their addresses for the host. Throws
  // cudaErrorNotSupported if the device has no managed memory.
  void place_managed(Image& image, Context& context);

 private:
  bool has_kernel(const KernelEntry* kernel);

  struct Managed {
    Image* image;
    void** pointer;
    VariableEntry* variable;
  };
  std::vector<Managed> managed_;

  std::atomic<std::uint64_t> changes_{0};  // what threads have found before one may be gone
  std::shared_mutex mutex_;
  std::deque<Image> images_;
  std::unordered_map<const void*, Image*> linked_;
  std::deque<KernelEntry> kernels_;
  std::deque<VariableEntry> variables_;
  std::unordered_map<const void*, std::pair<KernelEntry*, Image*>> by_stub_;
  std::unordered_map<const void*, std::pair<VariableEntry*, Image*>> by_shadow_;
};

// Registration happens before main() and must not open devices: it has an object of its own, made at the first call and
// never destroyed.
Registry& registry();

}  // namespace heddle::cuda_api
