// Kernels and variables of its modules that a program uses, by name.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

#include "base/thread_safety.hpp"
#include "cuda_api/core/image.hpp"

namespace heddle::cuda_api {

// A kernel that the program can launch. Lives as long as the process.
class KernelEntry {
 public:
  KernelEntry(Image& image, std::string name, const void* stub = nullptr)
      : image_(image), name_(std::move(name)), stub_(stub) {}
  const std::string& name() const { return name_; }
  // Its name in the program.
  void* stub() const { return const_cast<void*>(stub_); }
  Image& image() const { return image_; }
  // Throws Failure: cudaErrorInvalidDeviceFunction, and what Image::on throws.
  const heddle::LoadedKernel& on(Context& context);
  // Makes code for blocks of this shape, unless the last call was for the same shape. A launch would make it while
  // locks are held.
  void prepare(Context& context, const heddle::LoadedKernel& loaded, const Dim3& block);
  bool is_on(const Context& context) const;  // whether it has been loaded there
  // The dynamic shared memory that cudaFuncSetAttribute has allowed.
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
  heddle::base::Mutex mutex_;
  std::deque<Loaded> all_
      HEDDLE_GUARDED_BY(mutex_);  // also of contexts that were reset: a launch may still look at one
  std::atomic<const Loaded*> loaded_[most_contexts] = {};
  std::atomic<std::uint64_t> prepared_{0};
};

class VariableEntry {
 public:
  VariableEntry(Image& image, std::string name, std::size_t size)
      : image_(image), name_(std::move(name)), size_(size) {}
  const std::string& name() const { return name_; }
  std::size_t size() const { return size_; }
  // Its address on the device. Throws Failure: cudaErrorInvalidSymbol.
  MemorySpan on(Context& context);

 private:
  Image& image_;
  std::string name_;
  std::size_t size_;
};

}  // namespace heddle::cuda_api
