// What the program has registered: fat binaries, the kernels and variables in them, and what they were loaded as.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "cuda_api/core/managed_variables.hpp"
#include "cuda_api/image/fat_binary.hpp"
#include "heddle/device.hpp"
#include "heddle/placed_variables.hpp"

namespace heddle::cuda_api {

class Context;

// A module of the program, as each context has it; loaded at the first use there.
class Image {
 public:
  // `wrapper`: what __cudaRegisterFatBinary was given.
  explicit Image(const void* wrapper) : wrapper_(wrapper) {}
  // Another file's relocatable code: all of it is linked when the image is first used.
  void link(const void* wrapper) { linked_.push_back(wrapper); }
  // PTX that was given as such.
  explicit Image(std::string ptx) : binary_(FatBinary{{{0, std::move(ptx)}}, {}}) {}
  explicit Image(FatBinary binary) : binary_(std::move(binary)) {}

  // Managed variables of the program's own, which the module finds where they lie. The device's copy of the others is
  // the only one.
  void place(PlacedVariable variable);
  // Gives those that the file at `wrapper` defines the values that they begin with.
  void write_initial_values(const void* wrapper);
  // And those of all its files: the device was reset.
  void write_initial_values();

  // A handle of its own: other contexts may load the image meanwhile, or reset. Throws Failure:
  // cudaErrorNoKernelImageForDevice when there is no PTX for it, cudaErrorInvalidPtx.
  heddle::Module on(Context& context);
  // The capability that the PTX which is used on the device was compiled for, as 80.
  unsigned ptx_arch(Context& context);
  // Gives the loaded modules back as far as nobody else holds them.
  void unload();
  void forget() { gone_ = true; }
  bool gone() const { return gone_; }

 private:
  struct Loaded {
    std::optional<heddle::Module> module;
    std::uint64_t epoch = 0;
  };
  const FatBinary& binary();
  void write_values_of(const FatBinary& file);

  const void* wrapper_ = nullptr;
  std::vector<const void*> linked_;
  std::mutex mutex_;
  std::optional<FatBinary> binary_;
  std::vector<Loaded> loaded_;  // by the context's slot
  std::vector<PlacedVariable> placed_;
  std::vector<OpenAddress> open_;  // in these, of what is not known yet
  std::string problem_;            // why they cannot be used; empty: they can
  std::atomic<bool> gone_{false};
};

// A kernel that the program can launch. Lives as long as the process.
class KernelEntry {
 public:
  KernelEntry(Image& image, std::string name, const void* stub = nullptr)
      : image_(image), name_(std::move(name)), stub_(stub) {}
  const std::string& name() const { return name_; }
  // What the program calls it by.
  void* stub() const { return const_cast<void*>(stub_); }
  Image& image() const { return image_; }
  // Throws Failure: cudaErrorInvalidDeviceFunction, and what Image::on throws.
  const heddle::LoadedKernel& on(Context& context);
  // Makes code for blocks of this shape, if none was asked for last: not while locks are held, as a launch would.
  void prepare(Context& context, const heddle::LoadedKernel& loaded, const Dim3& block);
  bool is_on(const Context& context) const;  // whether it has been loaded there
  // What cudaFuncSetAttribute has allowed of dynamic shared memory.
  static constexpr std::uint32_t default_shared = 48 * 1024;
  std::atomic<std::uint32_t> most_dynamic_shared{default_shared};

 private:
  struct Loaded {
    heddle::LoadedKernel kernel;
    std::uint64_t epoch;
  };
  static constexpr int most_contexts = 64;
  Image& image_;
  std::string name_;
  const void* stub_;
  std::mutex mutex_;
  std::deque<Loaded> all_;  // also of contexts that were reset: a launch may still look at one
  std::atomic<const Loaded*> loaded_[most_contexts] = {};
  std::atomic<std::uint64_t> prepared_{0};
};

class VariableEntry {
 public:
  VariableEntry(Image& image, std::string name, std::size_t size)
      : image_(image), name_(std::move(name)), size_(size) {}
  const std::string& name() const { return name_; }
  std::size_t size() const { return size_; }
  // Where it lies on the device. Throws Failure: cudaErrorInvalidSymbol.
  MemorySpan on(Context& context);

 private:
  Image& image_;
  std::string name_;
  std::size_t size_;
};

// Any thread. Nothing that was registered is taken down while the process lives; what is unregistered is not found.
class Registry {
 public:
  Image& add_image(const void* wrapper);
  // The image that the relocatable code of `program` becomes, with this file's in it.
  Image& add_linked(const void* program, const void* wrapper);
  // Its kernels and variables are not found any more. They stay as they are for who holds them.
  void remove_image(Image& image);
  void add_kernel(Image& image, const void* stub, const char* name);
  void add_variable(Image& image, void* shadow, const char* name, std::size_t size);
  // Managed variables have the values again that they began with, as all variables of the device have.
  void reset_managed(const Context& context);
  // Of a stub function of the host, or of a shadow variable. Throws cudaErrorInvalidDeviceFunction,
  // cudaErrorInvalidSymbol. A KernelEntry's own address stands for it too.
  KernelEntry& kernel(const void* stub);
  VariableEntry& variable(const void* shadow);
  // Whether this is a kernel that was registered, by its entry's address.
  bool has_kernel(const KernelEntry* kernel);

  // Of programs of `heddle cc`.
  ManagedVariables managed_variables;

  // A __managed__ variable of nvcc's: what `pointer` points to is where the host finds it, from place_managed() on.
  void add_managed(Image& image, void** pointer, const char* name, std::size_t size);
  // Loads the image's managed variables for the context's device and tells the host where they are. Throws
  // cudaErrorNotSupported where the device has no managed memory.
  void place_managed(Image& image, Context& context);

 private:
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

}  // namespace heddle::cuda_api
