// Modules of a program: the code that it brings, and what that was loaded as.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cuda_api/core/context.hpp"
#include "cuda_api/image/fat_binary.hpp"
#include "heddle/device.hpp"
#include "heddle/placed_variables.hpp"

namespace heddle::cuda_api {

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

}  // namespace heddle::cuda_api
