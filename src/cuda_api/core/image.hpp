// Modules of a program: the code in it, and the modules that it was loaded as.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "base/thread_safety.hpp"
#include "cuda_api/core/context.hpp"
#include "cuda_api/image/fat_binary.hpp"
#include "heddle/device.hpp"
#include "heddle/placed_variables.hpp"

namespace heddle::cuda_api {

// What the context's device runs of a program's code; null if that is nothing. GPUs run what is not newer than they
// are. The CPU device and simulated GPUs run all of it.
const FatPtx* ptx_for(const FatBinary& binary, const Context& context);

// A module of the program, as each context has it; loaded at the first use there.
class Image {
 public:
  // `wrapper`: the argument of __cudaRegisterFatBinary.
  explicit Image(const void* wrapper) : wrapper_(wrapper) {}
  // Another file's relocatable code: all of it is linked when the image is first used.
  void link(const void* wrapper) { linked_.push_back(wrapper); }
  // PTX that was given directly.
  explicit Image(std::string ptx) : binary_(FatBinary{{{0, std::move(ptx)}}, {}}) {}
  explicit Image(FatBinary binary) : binary_(std::move(binary)) {}

  // Managed variables of the program's own, which the module uses at their address. The others exist only in the
  // device's copy.
  void place(PlacedVariable variable);
  // Sets those that the file at `wrapper` defines to their initial values.
  void write_initial_values(const void* wrapper);
  // The same for all its files: the device was reset.
  void write_initial_values();

  // A handle of its own: other contexts may load the image at the same time, or reset. Throws Failure:
  // cudaErrorNoKernelImageForDevice if there is no PTX for it, cudaErrorInvalidPtx.
  heddle::Module on(Context& context);
  // The capability for which the PTX that the device uses was compiled, as 80.
  unsigned ptx_arch(Context& context);
  // Whether it is loaded there.
  bool is_on(const Context& context);
  // Frees the loaded modules that nobody else holds.
  void unload();
  void forget() { gone_ = true; }
  bool gone() const { return gone_; }

 private:
  struct Loaded {
    std::optional<heddle::Module> module;
    std::uint64_t epoch = 0;
  };
  const FatBinary& binary() HEDDLE_REQUIRES(mutex_);
  void write_values_of(const FatBinary& file) HEDDLE_REQUIRES(mutex_);

  const void* wrapper_ = nullptr;
  std::vector<const void*> linked_;
  heddle::base::Mutex mutex_;
  std::optional<FatBinary> binary_ HEDDLE_GUARDED_BY(mutex_);
  std::vector<Loaded> loaded_ HEDDLE_GUARDED_BY(mutex_);  // by the context's slot
  std::vector<PlacedVariable> placed_ HEDDLE_GUARDED_BY(mutex_);
  std::vector<OpenAddress> open_ HEDDLE_GUARDED_BY(mutex_);  // in these, of what is not known yet
  std::string problem_ HEDDLE_GUARDED_BY(mutex_);            // why they cannot be used; empty: they can be used
  std::atomic<bool> gone_{false};
};

}  // namespace heddle::cuda_api
